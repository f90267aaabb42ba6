import { formatUsd } from '../core/money.ts';
import type { LedgerEntry } from '../ports/ledger.ts';
import type { Column } from './format-table.ts';

/** Columns of the table of ledger entries. */
export const entryColumns: readonly Column[] = [
  { heading: 'TIME' },
  { heading: 'TYPE' },
  { heading: 'USD', align: 'right' },
  { heading: 'EXPIRES' },
  { heading: 'REFERENCE' },
  { heading: 'BY' },
  { heading: 'NOTE' },
];

/** An entry as a row of the table. */
export function entryRow(entry: LedgerEntry): readonly string[] {
  return [
    new Date(entry.createdAt).toISOString(),
    entry.type,
    formatUsd(entry.amount),
    entry.expiresAt === null ? '-' : new Date(entry.expiresAt).toISOString(),
    entry.externalRef ?? '-',
    entry.createdBy ?? '-',
    entry.note ?? '',
  ];
}
