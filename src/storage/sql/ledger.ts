import type { ByokTerms } from '../../core/byok-fee.ts';
import { HeadgateError } from '../../core/errors.ts';
import { type SpendCalendar, utcCalendar } from '../../core/limit-calendar.ts';
import { type NanoUsd, nanoFromInteger } from '../../core/money.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Generation } from '../../ports/generations.ts';
import type { KeySpend } from '../../ports/keys.ts';
import type {
  Balance,
  EntryPage,
  EntryQuery,
  Ledger,
  LedgerDifference,
  LedgerEntry,
} from '../../ports/ledger.ts';
import { heldCharges } from '../charges/charge.ts';
import { AccountLedger, countsAsPurchase, type TotalsRow } from './account-ledger.ts';
import { chargePlace, isLapsed } from './charge-columns.ts';
import { Comparison } from './comparison.ts';
import { CreditReplay } from './credit-replay.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { bookedEntryFromRow, type EntryRow, entryFromRow, readEntries, readEntryPage } from './entry-row.ts';
import { keySpendIn } from './key-spend.ts';
import { rawSql, sql } from './statement.ts';
import { numberOrNull } from './values.ts';
import { verifySpend } from './verify-spend.ts';

/** What differs from engine to engine: how charges are booked. */
export interface ChargeBooking {
  /** See `Ledger.settle`. */
  settle(generation: Generation, terms?: ByokTerms): Promise<NanoUsd>;
}

/** Where a ledger reads and writes; both databases must hold every charge that was promised. */
export interface LedgerDatabases {
  readonly books: SqlDatabase;
  /** For reads that take long. */
  readonly reports: SqlDatabase;
  /** Whether sums of calls by day are kept (`daily_usage`). */
  readonly keepsDailyUsage: boolean;
  /** In which windows limits count. */
  readonly calendar: SpendCalendar;
}

/** The columns of `account_totals` that make a balance. */
interface BalanceTotals {
  readonly entries_total: bigint | null;
  readonly charges_total: bigint | null;
  readonly purchased_total: bigint | null;
}

/**
 * The books in any SQL engine (docs/spec/money.md#ledger, docs/spec/accounts.md#windows,
 * docs/spec/accounts.md#reports).
 */
export class SqlLedger implements Ledger {
  readonly #db: SqlDatabase;
  readonly #reports: SqlDatabase;
  readonly #keepsDailyUsage: boolean;
  readonly #booking: ChargeBooking;
  readonly #calendar: SpendCalendar;
  readonly #clock: Clock;

  constructor(databases: LedgerDatabases, booking: ChargeBooking, clock: Clock) {
    this.#db = databases.books;
    this.#reports = databases.reports;
    this.#keepsDailyUsage = databases.keepsDailyUsage;
    this.#booking = booking;
    this.#calendar = databases.calendar;
    this.#clock = clock;
  }

  settle(generation: Generation, terms?: ByokTerms): Promise<NanoUsd> {
    return this.#booking.settle(generation, terms);
  }

  append(...entries: readonly LedgerEntry[]): Promise<boolean> {
    const now = this.#clock.now();
    return this.#db.transaction((transaction) => appendEntries(transaction, entries, now));
  }

  async entries(accountId: string): Promise<readonly LedgerEntry[]> {
    await this.#upToNow(accountId);
    return (await readEntries(this.#db, accountId)).map(entryFromRow);
  }

  async page(accountId: string, query: EntryQuery): Promise<EntryPage> {
    await this.#upToNow(accountId);
    return readEntryPage(this.#db, accountId, query);
  }

  async balance(accountId: string): Promise<Balance> {
    return balanceFromTotals(await this.#upToNow(accountId));
  }

  async expire(): Promise<readonly LedgerEntry[]> {
    const due = await this.#db.rows<Pick<TotalsRow, 'account_id'>>(sql`
      select account_id from account_totals where next_expiry <= ${Math.floor(this.#clock.now())}
      order by account_id`);
    const expired: LedgerEntry[] = [];
    for (const { account_id: accountId } of due) expired.push(...(await this.#expireIn(accountId)));
    return expired;
  }

  keySpend(keyHash: string, now: number): Promise<KeySpend> {
    return keySpendIn(this.#db, keyHash, utcCalendar.windowsAt(now));
  }

  limitSpend(keyHash: string, now: number): Promise<KeySpend> {
    return keySpendIn(this.#db, keyHash, this.#calendar.windowsAt(now));
  }

  async lastUse(keyHash: string): Promise<number | undefined> {
    const [row] = await this.#db.rows<{ readonly last_used_at: bigint | null }>(
      sql`select last_used_at from key_totals where key_hash = ${keyHash}`,
    );
    return numberOrNull(row?.last_used_at ?? null) ?? undefined;
  }

  verify(onStep?: (done: number, of: number) => void): Promise<readonly LedgerDifference[]> {
    const facts = { keepsDailyUsage: this.#keepsDailyUsage, now: this.#clock.now() };
    return verifyBooks(this.#reports, facts, onStep);
  }

  /** The totals of an account, after the expiry of what is past its time. */
  async #upToNow(accountId: string): Promise<TotalsRow | undefined> {
    const totals = await this.#totals(accountId);
    const due = totals?.next_expiry ?? null;
    if (due === null || due > BigInt(Math.floor(this.#clock.now()))) return totals;
    await this.#expireIn(accountId);
    return this.#totals(accountId);
  }

  #expireIn(accountId: string): Promise<readonly LedgerEntry[]> {
    const now = this.#clock.now();
    return this.#db.transaction(async (transaction) =>
      (await AccountLedger.open(transaction, accountId)).expire(now),
    );
  }

  async #totals(accountId: string): Promise<TotalsRow | undefined> {
    const [totals] = await this.#db.rows<TotalsRow>(
      sql`select * from account_totals where account_id = ${accountId}`,
    );
    return totals;
  }
}

/** An account's money by the totals of its row, which are null or missing until something was booked for it. */
export function balanceFromTotals(totals: BalanceTotals | undefined): Balance {
  const charges = totals?.charges_total ?? 0n;
  return {
    balance: nanoFromInteger((totals?.entries_total ?? 0n) - charges),
    purchasedTotal: nanoFromInteger(totals?.purchased_total ?? 0n),
    spentTotal: nanoFromInteger(charges),
  };
}

/**
 * Recomputes every kept total from ledger entries and generations, all of one moment, and names each difference
 * (docs/spec/money.md#verification, `ledger verify`). Reads every call once.
 * @param facts Whether sums of calls by day are among the totals, which replace calls that are not kept; and the moment, in
 *   Unix milliseconds.
 * @param onStep Called with the number of steps that are done, and of all.
 */
export function verifyBooks(
  db: SqlDatabase,
  { keepsDailyUsage, now }: { readonly keepsDailyUsage: boolean; readonly now: number },
  onStep: (done: number, of: number) => void = () => {},
): Promise<readonly LedgerDifference[]> {
  return db.snapshot(async (snapshot) => {
    const totals = await snapshot.rows<TotalsRow>(sql`select * from account_totals`);
    const steps = [
      () => verifyEntries(snapshot, totals),
      () => verifySpend(snapshot, totals, { keepsDailyUsage, now }),
      () => verifyHeld(snapshot),
    ];
    const differences: LedgerDifference[] = [];
    for (const [index, step] of steps.entries()) {
      onStep(index, steps.length);
      differences.push(...(await step()));
    }
    return differences;
  });
}

/** Names the charges that the database refused, unless they were booked since. */
async function verifyHeld(snapshot: SqlConnection): Promise<readonly LedgerDifference[]> {
  const differences: LedgerDifference[] = [];
  for (const row of await heldCharges(snapshot)) {
    const id = String(row[chargePlace.id]);
    const found = await snapshot.rows(sql`
      select id from generations where id = ${id} and not ${rawSql(isLapsed())}`);
    if (found.length > 0) continue;
    const subject = `charge ${id}: refused by the database, kept in held_charges`;
    const recomputed = nanoFromInteger(BigInt(row[chargePlace.cost] ?? 0));
    differences.push({ subject, kept: nanoFromInteger(0), recomputed });
  }
  return differences;
}

/**
 * Appends entries inside a transaction, which must be rolled back when this rejects; see `Ledger.append`.
 * Credit past its time at `now` is expired first, so that the books are in order.
 */
async function appendEntries(
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
): Promise<ReadonlyMap<string, AccountLedger>> {
  const books = new Map<string, AccountLedger>();
  for (const accountId of [...new Set(entries.map((entry) => entry.accountId))].sort()) {
    books.set(accountId, await AccountLedger.open(transaction, accountId));
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

/** Recomputes from the ledger entries what accounts were given and what of it expired, and names each difference. */
async function verifyEntries(
  snapshot: SqlConnection,
  totals: readonly TotalsRow[],
): Promise<readonly LedgerDifference[]> {
  const rows = await snapshot.rows<EntryRow>(sql`select * from ledger_entries order by account_id, position`);
  const entries = new Comparison((account) => `account ${account}: entries`);
  const purchases = new Comparison((account) => `account ${account}: purchases`);
  for (const row of totals) {
    entries.keep(row.entries_total, row.account_id);
    purchases.keep(row.purchased_total, row.account_id);
  }
  const replays = new Map<string, CreditReplay>();
  const expiries: LedgerDifference[] = [];
  for (const row of rows) {
    const booked = bookedEntryFromRow(row);
    const { accountId, amount, id } = booked.entry;
    entries.recompute(amount, accountId);
    if (countsAsPurchase(booked.entry)) purchases.recompute(amount, accountId);
    const replay = replays.get(accountId) ?? new CreditReplay();
    replays.set(accountId, replay);
    const left = replay.book(booked);
    if (left !== undefined && left !== -amount)
      expiries.push(difference(`entry ${id}: expired credit`, -amount, left));
  }
  return [
    ...entries.differences(),
    ...purchases.differences(),
    ...verifyOrder(rows, totals),
    ...expiries,
    ...totals.flatMap((row) => forgottenExpiry(row, replays.get(row.account_id))),
  ];
}

/** Entries are numbered without a gap, and what had been spent before each only grows: what expires is worked out by it. */
function verifyOrder(rows: readonly EntryRow[], totals: readonly TotalsRow[]): readonly LedgerDifference[] {
  const differences: LedgerDifference[] = [];
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  for (const {
    account_id: account,
    entry_count: counted,
    charges_total: charged,
    entries_total: kept,
  } of totals) {
    const entries = byAccount.get(account) ?? [];
    let [place, spent] = [0n, 0n];
    for (const { id, position, spent_before: before, amount } of entries) {
      place += 1n;
      if (position !== place) {
        differences.push(difference(`entry ${id}: number ${position}, ${place} was due`, 0n, amount));
        place = position;
      }
      if (before < spent || before > charged)
        differences.push(
          difference(`entry ${id}: spent before it`, before, before < spent ? spent : charged),
        );
      else spent = before;
    }
    if (counted === BigInt(entries.length)) continue;
    const sum = entries.reduce((total, { amount }) => total + amount, 0n);
    differences.push(
      difference(`account ${account}: ${counted} entries counted, ${entries.length} there`, kept, sum),
    );
  }
  return differences;
}

/** Credit whose time will pass unnoticed. A time noted too early is no fault: it is put right when it comes. */
function forgottenExpiry(row: TotalsRow, replay: CreditReplay | undefined): readonly LedgerDifference[] {
  replay?.spendUpTo(row.charges_total);
  const credit = replay?.next();
  if (credit === undefined) return [];
  if (row.next_expiry !== null && row.next_expiry <= BigInt(credit.expiresAt)) return [];
  return [
    difference(`account ${row.account_id}: credit ${credit.id} that would not expire`, 0n, credit.left),
  ];
}

function difference(subject: string, kept: bigint, recomputed: bigint): LedgerDifference {
  return { subject, kept: nanoFromInteger(kept), recomputed: nanoFromInteger(recomputed) };
}
