import { nanoFromInteger } from '../../core/money.ts';
import type { EntryPage, EntryQuery, LedgerEntry } from '../../ports/ledger.ts';
import type { BookedEntry } from './credit-replay.ts';
import type { SqlConnection } from './database.ts';
import { type SqlStatement, sql } from './statement.ts';
import { flag, isSet, numberOrNull } from './values.ts';

/** A row of `ledger_entries`. */
export interface EntryRow {
  readonly id: string;
  readonly account_id: string;
  readonly position: bigint;
  readonly spent_before: bigint;
  readonly type: LedgerEntry['type'];
  readonly amount: bigint;
  readonly fee: bigint;
  readonly counts_as_purchase: bigint;
  readonly expires_at: bigint | null;
  readonly external_ref: string | null;
  readonly related_id: string | null;
  readonly note: string | null;
  readonly created_by: string | null;
  readonly created_at: bigint;
}

/** The entry a row holds. */
export function entryFromRow(row: EntryRow): LedgerEntry {
  return {
    id: row.id,
    accountId: row.account_id,
    type: row.type,
    amount: nanoFromInteger(row.amount),
    fee: nanoFromInteger(row.fee),
    countsAsPurchase: isSet(row.counts_as_purchase),
    expiresAt: numberOrNull(row.expires_at),
    externalRef: row.external_ref,
    relatedId: row.related_id,
    note: row.note,
    createdBy: row.created_by,
    createdAt: Number(row.created_at),
  };
}

/** An entry with what had been charged to its account before it. */
export function bookedEntryFromRow(row: EntryRow): BookedEntry {
  return { entry: entryFromRow(row), spentBefore: row.spent_before };
}

/** The entries of an account, oldest first. */
export async function readEntries(db: SqlConnection, accountId: string): Promise<readonly EntryRow[]> {
  return db.rows<EntryRow>(
    sql`select * from ledger_entries where account_id = ${accountId} order by position`,
  );
}

/** See `Ledger.page`. */
export async function readEntryPage(
  db: SqlConnection,
  accountId: string,
  { before, limit, type }: EntryQuery,
): Promise<EntryPage> {
  const older = before === undefined ? sql`` : sql`and position < ${before}`;
  const ofType = type === undefined ? sql`` : sql`and type = ${type}`;
  const rows = await db.rows<EntryRow>(sql`
    select * from ledger_entries where account_id = ${accountId} ${older} ${ofType}
    order by position desc limit ${limit + 1}`);
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? Number(last.position) : null;
  return { entries: shown.map(entryFromRow), next };
}

/** Inserts an entry as the one of this number in its account's books. */
export function insertEntry(entry: LedgerEntry, position: bigint, spentBefore: bigint): SqlStatement {
  return sql`
    insert into ledger_entries (id, account_id, position, spent_before, type, amount, fee, counts_as_purchase,
      expires_at, external_ref, related_id, note, created_by, created_at)
    values (${entry.id}, ${entry.accountId}, ${position}, ${spentBefore}, ${entry.type}, ${entry.amount},
      ${entry.fee}, ${flag(entry.countsAsPurchase)}, ${entry.expiresAt}, ${entry.externalRef},
      ${entry.relatedId}, ${entry.note}, ${entry.createdBy}, ${entry.createdAt})`;
}
