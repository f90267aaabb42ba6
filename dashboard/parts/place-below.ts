/** Puts an open popover below its button, or above where there is no room. */
export function placeBelow(anchor: HTMLElement, popover: HTMLElement): void {
  const { bottom, left, right, top } = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight, style } = popover;
  const isBelow = bottom + offsetHeight + 8 < innerHeight;
  style.insetBlockStart = `${isBelow ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
  // Rectangles are measured from the left whichever way the text runs.
  const isLeftwards = getComputedStyle(anchor).direction === 'rtl';
  const wanted = isLeftwards ? Math.min(left, innerWidth - offsetWidth - 8) : right - offsetWidth;
  style.left = `${Math.max(8, wanted)}px`;
}
