import { HeadgateError } from '../../core/errors.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { AccountBooks, countsAsPurchase } from './account-books.ts';
import type { SqlConnection } from './database.ts';
import { type EntryRow, entryFromRow } from './entry-row.ts';
import { sql } from './statement.ts';

/**
 * Appends entries inside a transaction, which must be rolled back when this rejects; see `Ledger.append`.
 * Credit past its time at `now` is expired first, so that the books are in order.
 */
export async function appendEntries(
  transaction: SqlConnection,
  given: readonly LedgerEntry[],
  now: number,
): Promise<boolean> {
  const entries = given.map((entry) => ({ ...entry, countsAsPurchase: countsAsPurchase(entry) }));
  for (const entry of entries) checkExpiry(entry);
  await requireAccounts(transaction, entries);
  const books = await openBooks(transaction, entries);
  const seen: boolean[] = [];
  for (const entry of entries) seen.push(await wasBooked(transaction, entry));
  if (seen.every(Boolean)) return false;
  if (seen.some(Boolean))
    throw new HeadgateError('unprocessable', 'A reference of one entry was booked before.');
  for (const entry of entries) {
    await books.get(entry.accountId)?.expire(now);
    await books.get(entry.accountId)?.append(entry);
  }
  return true;
}

function checkExpiry({ amount, expiresAt, createdAt }: LedgerEntry): void {
  if (expiresAt === null) return;
  if (amount <= 0n) throw new HeadgateError('invalid_request', 'Only added credit can expire.');
  if (expiresAt <= createdAt) throw new HeadgateError('invalid_request', 'The expiry lies in the past.');
}

async function requireAccounts(transaction: SqlConnection, entries: readonly LedgerEntry[]): Promise<void> {
  for (const accountId of new Set(entries.map((entry) => entry.accountId))) {
    const found = await transaction.rows(sql`select id from accounts where id = ${accountId}`);
    if (found.length === 0) throw new HeadgateError('not_found', 'The account does not exist.');
  }
}

/** The books of all accounts that entries belong to, locked in the order everybody locks them in. */
async function openBooks(
  transaction: SqlConnection,
  entries: readonly LedgerEntry[],
): Promise<ReadonlyMap<string, AccountBooks>> {
  const books = new Map<string, AccountBooks>();
  for (const accountId of [...new Set(entries.map((entry) => entry.accountId))].sort()) {
    books.set(accountId, await AccountBooks.open(transaction, accountId));
  }
  return books;
}

/** @throws HeadgateError `unprocessable` when the reference stands for something else. */
async function wasBooked(transaction: SqlConnection, entry: LedgerEntry): Promise<boolean> {
  if (entry.externalRef === null) return false;
  const [row] = await transaction.rows<EntryRow>(sql`
    select * from ledger_entries
    where account_id = ${entry.accountId} and external_ref = ${entry.externalRef}`);
  if (row === undefined) return false;
  const booked = entryFromRow(row);
  const changed = [...content].filter(([name]) => booked[name] !== entry[name]).map(([, word]) => word);
  if (changed.length === 0) return true;
  throw new HeadgateError(
    'unprocessable',
    `The reference "${entry.externalRef}" was booked before with another ${changed.join(' and ')}: give another reference to book this as well.`,
  );
}

/** What must be the same for an entry to be a repeat; who repeats it, when and with what remark may differ. */
const content = new Map([
  ['type', 'type'],
  ['amount', 'amount'],
  ['fee', 'fee'],
  ['countsAsPurchase', 'kind (bought or not)'],
  ['expiresAt', 'expiry'],
] as const);
