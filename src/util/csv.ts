/** What a cell of a file of comma-separated values can hold. */
export type CsvCell = string | number | boolean | null;

/** Tells programs that the bytes are UTF-8. Stands once, before the first row. */
export const csvStart = '\ufeff';

/** One row by RFC 4180. Text that a spreadsheet would take for a formula gets a leading apostrophe; numbers never do. */
export function csvRow(cells: readonly CsvCell[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

function cellOf(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
