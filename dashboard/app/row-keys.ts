import { useEffect } from 'preact/hooks';
import { isShortcut } from '../state/typing.ts';

const rowsOfLists = 'main .table tbody tr:has(> td), main .credential';
/** Pages that keep a mark of their own listen themselves. */
const ownKeys = 'main [data-own-row-keys]';
const menuButton = '[aria-haspopup="true"]';

/** `j` and `k` walk the rows of lists, `.` opens the actions of the row that has the focus, or those of the page. */
export function useRowKeys(): void {
  useEffect(() => {
    const byKey: Readonly<Record<string, () => void>> = {
      j: () => walk(1),
      k: () => walk(-1),
      '.': openActions,
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const act = byKey[event.key];
      if (act === undefined || !isShortcut(event) || document.querySelector(ownKeys) !== null) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
}

const focusedRow = () => document.activeElement?.closest<HTMLElement>(rowsOfLists) ?? undefined;

/** Gives the focus to what a row leads to; without that to the row. */
function walk(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>(rowsOfLists)].filter((row) =>
    row.checkVisibility(),
  );
  const row = focusedRow();
  const next = rows[row === undefined ? 0 : rows.indexOf(row) + by];
  if (next === undefined) return;
  const inside = [...next.querySelectorAll<HTMLElement>('a[href], button, summary')];
  const target = inside.find((one) => one.checkVisibility()) ?? next;
  if (target === next) next.tabIndex = -1;
  target.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest' });
}

function openActions(): void {
  const row = focusedRow();
  const menu =
    row === undefined
      ? document.querySelector<HTMLElement>(`main .page-head ${menuButton}`)
      : row.querySelector<HTMLElement>(menuButton);
  if (menu !== null) menu.click();
  // A single action needs no menu.
  else row?.querySelector<HTMLElement>('td:last-child button')?.focus();
}
