/** What is no part of a cell's value: actions, what opens over it, and what only explains it. */
const aside = 'button, [popover], dialog, .hint, .hidden';

/** The exact value of a cell of a table: amounts and times in full, else the text that stands there. */
export function cellValue(cell: HTMLElement): string {
  const own = cell.dataset.exact;
  if (own !== undefined) return own;
  const exact = cell.querySelectorAll<HTMLElement>('[data-exact]');
  const [only] = exact;
  if (exact.length === 1 && only?.dataset.exact !== undefined) return only.dataset.exact;
  const copy = cell.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const part of copy.querySelectorAll(aside)) part.remove();
  for (const part of copy.querySelectorAll<HTMLElement>('[data-exact]'))
    part.textContent = part.dataset.exact ?? '';
  return (copy.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** The cell of a list's body that an element stands in. */
export function cellOf(target: EventTarget | null): HTMLElement | undefined {
  if (!(target instanceof Element) || target.closest('[popover], dialog') !== null) return undefined;
  return target.closest<HTMLElement>('.table tbody td') ?? undefined;
}

/** The cell that arrow keys lead to from another; undefined at the edge. */
export function nextCell(from: HTMLElement, key: string): HTMLElement | undefined {
  const row = from.closest('tr');
  if (row === null) return undefined;
  const inRow = visibleCells(row);
  const at = inRow.indexOf(from);
  if (key === 'ArrowLeft') return inRow[at - 1];
  if (key === 'ArrowRight') return inRow[at + 1];
  const rows = [...(row.parentElement?.querySelectorAll<HTMLElement>(':scope > tr:has(> td)') ?? [])];
  const next = rows[rows.indexOf(row) + (key === 'ArrowUp' ? -1 : 1)];
  return next === undefined ? undefined : visibleCells(next)[at];
}

/** Where copying begins: the cell that has the focus, the row that is marked, or the first row. */
export function firstCell(): HTMLElement | undefined {
  const here = cellOf(document.activeElement);
  if (here !== undefined) return here;
  const rows = document.querySelectorAll<HTMLElement>('main .table tbody tr:has(> td)');
  const marked = [...rows].find((row) => row.ariaSelected === 'true');
  const row = marked ?? [...rows].find((one) => one.checkVisibility());
  return row === undefined ? undefined : visibleCells(row)[0];
}

const visibleCells = (row: HTMLElement) =>
  [...row.querySelectorAll<HTMLElement>(':scope > td')].filter((cell) => cell.checkVisibility());
