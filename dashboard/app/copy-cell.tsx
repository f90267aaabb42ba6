import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../parts/icon.tsx';
import { cellOf, cellValue, firstCell, nextCell } from '../state/cell-value.ts';
import { notify } from '../state/notice.ts';
import { isShortcut } from '../state/typing.ts';
import '../style/copy-cell.css';

/**
 * Copies the exact value of a cell: with the pointer by a button over the cell, with the keyboard by `c`, which
 * marks a cell, arrows, and `c` or Enter. Cells are no stops of the Tab key.
 */
export function CopyCell() {
  const button = useRef<HTMLButtonElement>(null);
  const over = useRef<HTMLElement>(undefined);
  const copy = async (cell: HTMLElement) => {
    const value = cellValue(cell);
    try {
      await navigator.clipboard.writeText(value);
      notify(`Copied ${value}`);
    } catch {
      getSelection()?.selectAllChildren(cell);
      notify('The browser allows no copying here; the cell is selected.');
    }
  };
  usePointer(button, over);
  useCellKeys((cell) => void copy(cell));
  return (
    <button
      ref={button}
      type="button"
      class="copy-cell"
      popover="manual"
      tabIndex={-1}
      aria-label="Copy this cell"
      title="Copy the exact value"
      onClick={() => over.current !== undefined && void copy(over.current)}
    >
      <Icon name="copy" />
    </button>
  );
}

type Ref<Value> = { current: Value };

/** Shows the button at the cell under the pointer. */
function usePointer(button: Ref<HTMLButtonElement | null>, over: Ref<HTMLElement | undefined>): void {
  useEffect(() => {
    const hide = () => {
      over.current = undefined;
      button.current?.hidePopover();
    };
    const onPointerOver = ({ target, pointerType }: PointerEvent) => {
      const { current } = button;
      if (current === null || pointerType === 'touch') return;
      if (target instanceof Node && current.contains(target)) return;
      const cell = cellOf(target);
      if (cell === over.current) return;
      if (cell === undefined || cellValue(cell) === '') return hide();
      over.current = cell;
      const { left, top, size } = placeBeside(cell);
      current.style.inlineSize = `${size}px`;
      current.style.blockSize = `${size}px`;
      current.style.left = `${left}px`;
      current.style.top = `${top}px`;
      current.showPopover();
    };
    addEventListener('pointerover', onPointerOver);
    addEventListener('scroll', hide, true);
    return () => {
      removeEventListener('pointerover', onPointerOver);
      removeEventListener('scroll', hide, true);
    };
  }, []);
}

const largest = 18;

/** Where the button is: between two columns, beside what stands in the cell, so that it never covers the value. */
function placeBeside(cell: HTMLElement): {
  readonly left: number;
  readonly top: number;
  readonly size: number;
} {
  const box = cell.getBoundingClientRect();
  const text = document.createRange();
  text.selectNodeContents(cell);
  const { left, right } = text.getBoundingClientRect();
  const style = getComputedStyle(cell);
  const [before, after] = [Number.parseFloat(style.paddingLeft), Number.parseFloat(style.paddingRight)];
  // Between two columns is the padding of both.
  const size = Math.min(largest, 2 * Math.min(before, after) - 2);
  const start = Math.max(left, box.left + before);
  // What is too long for its cell ends where the cell does.
  const end = Math.min(right, box.right - after);
  // Figures end at the end of their cell, so that there is room before them.
  const at = cell.classList.contains('end') ? start - size - 1 : end + 1;
  return { left: at, top: box.top + box.height / 2 - size / 2, size };
}

/** Marks a cell with `c` and moves the mark with arrows. */
function useCellKeys(copy: (cell: HTMLElement) => void): void {
  const latest = useRef(copy);
  latest.current = copy;
  useEffect(() => {
    let before: HTMLElement | undefined;
    const begin = (target: EventTarget | null) => {
      before = target instanceof HTMLElement ? target : undefined;
      mark(firstCell());
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event)) return;
      const { target, key } = event;
      const marked = target instanceof HTMLElement && target.matches('td[tabindex]') ? target : undefined;
      const act: Readonly<Record<string, () => void>> =
        marked === undefined ? { c: () => begin(target) } : deeds(marked, latest.current, before);
      const deed = act[key];
      if (deed === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      deed();
    };
    // Before the keys of pages, for which Enter opens a row.
    addEventListener('keydown', onKeyDown, true);
    return () => removeEventListener('keydown', onKeyDown, true);
  }, []);
}

/** What keys do while a cell is marked. */
function deeds(
  cell: HTMLElement,
  copy: (cell: HTMLElement) => void,
  before: HTMLElement | undefined,
): Readonly<Record<string, () => void>> {
  const arrows = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'];
  return {
    ...Object.fromEntries(arrows.map((key) => [key, () => mark(nextCell(cell, key))])),
    c: () => copy(cell),
    Enter: () => copy(cell),
    Escape: () => before?.focus(),
  };
}

function mark(cell: HTMLElement | undefined): void {
  if (cell === undefined) return;
  cell.tabIndex = -1;
  cell.focus();
}
