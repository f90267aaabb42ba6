/** Puts an open popover below its button, or above where there is no room. */
export function placeBelow(anchor: HTMLElement, popover: HTMLElement): void {
  const { bottom, right, top } = anchor.getBoundingClientRect();
  const { offsetWidth, offsetHeight, style } = popover;
  const isBelow = bottom + offsetHeight + 8 < innerHeight;
  style.insetBlockStart = `${isBelow ? bottom + 4 : Math.max(8, top - offsetHeight - 4)}px`;
  style.insetInlineStart = `${Math.max(8, right - offsetWidth)}px`;
}
