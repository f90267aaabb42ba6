import { formatUsd } from '../../core/money.ts';
import { showExactEntry } from '../../operations/credits/show-credits.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { csvRow, csvStart } from '../../util/csv.ts';

/** What a file of the ledger may be. */
export type FileFormat = 'csv' | 'jsonl';

export const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
};

const head = [
  'time',
  'id',
  'account_id',
  'type',
  'amount_usd',
  'amount_nano',
  'fee_nano',
  'counts_as_purchase',
  'expires_at',
  'external_ref',
  'related_id',
  'note',
  'created_by',
];

/** The pieces of a file with entries of the ledger, in their order; a file without any has its head. Times are UTC. */
export async function* ledgerFile(
  format: FileFormat,
  pages: AsyncIterable<readonly LedgerEntry[]>,
): AsyncGenerator<string> {
  let first = format === 'csv' ? csvStart + csvRow(head) : '';
  for await (const entries of pages) {
    const lines = entries.map(
      format === 'csv' ? csvOf : (entry) => `${JSON.stringify(showExactEntry(entry))}\n`,
    );
    yield first + lines.join('');
    first = '';
  }
}

function csvOf(entry: LedgerEntry): string {
  const shown = showExactEntry(entry);
  return csvRow([
    shown.created_at,
    shown.id,
    shown.account_id,
    shown.type,
    formatUsd(entry.amount),
    shown.amount_nano,
    shown.fee_nano,
    shown.counts_as_purchase,
    shown.expires_at,
    shown.external_ref,
    shown.related_id,
    shown.note,
    shown.created_by,
  ]);
}
