import { type CsvCell, csvRow, csvStart } from '../../src/util/csv.ts';

/** A whole file of comma-separated values, by the rules of the server's own. */
export function csvFile(rows: readonly (readonly CsvCell[])[]): Blob {
  return new Blob([csvStart, ...rows.map(csvRow)], { type: 'text/csv;charset=utf-8' });
}
