import { signal } from '@preact/signals';

/** A column of a list, in its place. */
export interface Column {
  readonly name: string;
  /** Whether it cannot be hidden. */
  readonly isFixed?: boolean;
  /** Whether it is hidden until somebody chooses it. */
  readonly isExtra?: boolean;
  /** Classes of its head. */
  readonly look?: string;
  readonly title?: string;
}

/** Choices of a page under a name. */
export interface SavedView {
  readonly name: string;
  /** The query of its address. */
  readonly query: string;
  /** Columns that are shown against the usual, and the other way round. */
  readonly toggled: readonly string[];
}

interface Choices {
  /** By list: the columns whose visibility is not the usual one. */
  readonly toggled: Readonly<Record<string, readonly string[]>>;
  readonly views: Readonly<Record<string, readonly SavedView[]>>;
}

const storageName = 'headgate-tables-1';
/** Views of one page. */
export const mostViews = 30;

const choices = signal<Choices>(read());

function read(): Choices {
  try {
    return { toggled: {}, views: {}, ...JSON.parse(localStorage.getItem(storageName) ?? '{}') };
  } catch {
    return { toggled: {}, views: {} };
  }
}

function keep(next: Choices): void {
  choices.value = next;
  localStorage.setItem(storageName, JSON.stringify(next));
}

const toggledOf = (list: string) => choices.value.toggled[list] ?? [];

/** Whether a column of a list is shown. */
export function isShown(list: string, { name, isFixed, isExtra = false }: Column): boolean {
  return isFixed === true || isExtra === toggledOf(list).includes(name);
}

export function toggleColumn(list: string, name: string): void {
  const before = toggledOf(list);
  const after = before.includes(name) ? before.filter((one) => one !== name) : [...before, name];
  keep({ ...choices.value, toggled: { ...choices.value.toggled, [list]: after } });
}

/** Classes that hide the columns of a list that nobody wants to see; the rules are in `style/tables.css`. */
export function hiddenColumns(list: string, columns: readonly Column[]): string {
  return columns.flatMap((column, at) => (isShown(list, column) ? [] : [`hides-${at + 1}`])).join(' ');
}

export function viewsOf(page: string): readonly SavedView[] {
  return choices.value.views[page] ?? [];
}

/** Saves what is chosen; a view of the same name is replaced. */
export function saveView(page: string, name: string, params: URLSearchParams): void {
  const query = new URLSearchParams(params);
  // Who acts belongs to the tab.
  query.delete('as');
  const others = viewsOf(page).filter((one) => one.name !== name);
  const view: SavedView = { name, query: query.toString(), toggled: toggledOf(page) };
  keepViews(page, [...others, view].slice(-mostViews));
}

export function removeView(page: string, name: string): void {
  keepViews(
    page,
    viewsOf(page).filter((one) => one.name !== name),
  );
}

function keepViews(page: string, views: readonly SavedView[]): void {
  keep({ ...choices.value, views: { ...choices.value.views, [page]: views } });
}

/** Shows the columns of a view. */
export function showColumnsOf(page: string, { toggled }: SavedView): void {
  keep({ ...choices.value, toggled: { ...choices.value.toggled, [page]: toggled } });
}
