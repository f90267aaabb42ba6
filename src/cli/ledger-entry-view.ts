import { formatUsd, usdToNumber } from '../core/money.ts';
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

/** An entry as JSON (accounts-and-limits 1.7). */
export function showEntry(entry: LedgerEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: entry.type,
    amount_usd: usdToNumber(entry.amount),
    fee_usd: usdToNumber(entry.fee),
    counts_as_purchase: entry.countsAsPurchase,
    expires_at: entry.expiresAt === null ? null : new Date(entry.expiresAt).toISOString(),
    external_ref: entry.externalRef,
    related_id: entry.relatedId,
    note: entry.note,
    created_by: entry.createdBy,
    created_at: new Date(entry.createdAt).toISOString(),
  };
}
