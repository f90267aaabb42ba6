import { formatUsd, nanoFromInteger } from '../../core/money.ts';
import { apiBase } from '../../edge/paths.ts';
import { exportLedger } from '../../operations/credits/export-ledger.ts';
import { showExactEntry } from '../../operations/credits/show-credits.ts';
import { Type, text, word } from '../../util/json-schema.ts';
import { exportRow } from '../export-row.ts';
import { withRole } from '../require-operator.ts';
import { movementTypes } from './ledger.ts';
import { one } from './management-parts.ts';

const maybe = Type.Optional;

type Shown = ReturnType<typeof showExactEntry>;

/** Movements of credits as a file. */
export const ledgerExportRow = exportRow({
  ...one,
  path: `${apiBase}/ledger/export`,
  id: 'exportLedger',
  summary: 'All movements of credits besides charges as one file: CSV, or a line of JSON each',
  name: 'ledger',
  query: Type.Object({
    type: maybe(word(movementTypes)),
    account_id: maybe(text({ description: 'Another account; only for operators' })),
  }),
  columns: [
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
  ],
  cells: (entry: Shown) => [
    entry.created_at,
    entry.id,
    entry.account_id,
    entry.type,
    formatUsd(nanoFromInteger(BigInt(entry.amount_nano))),
    entry.amount_nano,
    entry.fee_nano,
    entry.counts_as_purchase,
    entry.expires_at,
    entry.external_ref,
    entry.related_id,
    entry.note,
    entry.created_by,
  ],
  pages: async function* ({ actor, query }, services) {
    const { type, account_id: account } = query;
    const pages = exportLedger(await withRole(actor, services), { account, type }, services);
    for await (const entries of pages) yield entries.map(showExactEntry);
  },
});
