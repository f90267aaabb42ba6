import type { ByokTerms } from '../../core/byok-fee.ts';
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
import { AccountBooks, type TotalsRow } from './account-books.ts';
import { appendEntries } from './append-entries.ts';
import type { SqlDatabase } from './database.ts';
import { entryFromRow, readEntries, readEntryPage } from './entry-row.ts';
import { keySpendIn } from './key-spend.ts';
import { sql } from './statement.ts';
import { numberOrNull } from './values.ts';
import { verifyBooks } from './verify.ts';

/** What differs from engine to engine: how charges are booked. */
export interface ChargeBooking {
  /** See `Ledger.settle`. */
  settle(generation: Generation): Promise<void>;
  /** See `Ledger.settleByok`. */
  settleByok(generation: Generation, terms: ByokTerms): Promise<NanoUsd>;
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

  settle(generation: Generation): Promise<void> {
    return this.#booking.settle(generation);
  }

  settleByok(generation: Generation, terms: ByokTerms): Promise<NanoUsd> {
    return this.#booking.settleByok(generation, terms);
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
      (await AccountBooks.open(transaction, accountId)).expire(now),
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
