import type { ByokTerms } from '../core/byok-fee.ts';
import type { NanoUsd } from '../core/money.ts';
import type { Generation } from './generations.ts';
import type { KeySpend } from './keys.ts';

/** An append-only movement of credits other than a charge (docs/spec/money.md#ledger). */
export interface LedgerEntry {
  readonly id: string;
  readonly accountId: string;
  readonly type: 'purchase' | 'grant' | 'refund' | 'expiry' | 'transfer' | 'adjustment';
  /** Signed. */
  readonly amount: NanoUsd;
  /** What was paid on top of the amount; not part of the balance. */
  readonly fee: NanoUsd;
  readonly countsAsPurchase: boolean;
  /**
   * When the rest of the amount expires, Unix milliseconds; null means never. Spending uses the credit that expires
   * first.
   */
  readonly expiresAt: number | null;
  /** The caller's own reference: an entry whose reference is already booked changes nothing. */
  readonly externalRef: string | null;
  /** The related entry: what expired, the refunded purchase, the other side of a transfer. */
  readonly relatedId: string | null;
  readonly note: string | null;
  /** Who booked it, for people to read. */
  readonly createdBy: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** Which entries of an account are wanted. */
export interface EntryQuery {
  /** The number of an entry in its account's books: those before it. */
  readonly before?: number | undefined;
  readonly limit: number;
  readonly type?: LedgerEntry['type'] | undefined;
}

/** Entries, and what `before` is for those that follow; null where none follows. */
export interface EntryPage {
  readonly entries: readonly LedgerEntry[];
  readonly next: number | null;
}

/** An account's money according to the ledger. */
export interface Balance {
  /** Entries less charges; may be negative. */
  readonly balance: NanoUsd;
  readonly purchasedTotal: NanoUsd;
  readonly spentTotal: NanoUsd;
}

/** A difference found by `verify` between a stored total and the one recomputed from the entries. */
export interface LedgerDifference {
  readonly subject: string;
  readonly kept: NanoUsd;
  readonly recomputed: NanoUsd;
}

/** The one place where money moves. Every answer includes everything that was settled before the call. */
export interface Ledger {
  /**
   * Books a finished generation atomically: its record, its charge, and every counter that they increase. Resolves
   * when that is durable: a crash of process or machine afterwards loses nothing. Booking the same generation id
   * again changes nothing, except that the true record of a call replaces the record of its expiry, never the
   * reverse. Concurrent calls share the wait for the disk.
   * @param terms Given for what an own credential served: its fee on the list cost is added to `cost`, which is everything
   *   else. The cost of the account's earlier calls in the UTC month is read in the same transaction, so fees are exact
   *   however many calls end together. Booking the same id again resolves with the first charge.
   * @returns What was charged.
   * @throws HeadgateError `service_unavailable` when it cannot be booked now; then nothing is booked.
   */
  settle(generation: Generation, terms?: ByokTerms): Promise<NanoUsd>;
  /**
   * Appends entries atomically, such as the two sides of a transfer. Returns false without any change when their
   * references were booked before with the same content.
   * @throws HeadgateError `not_found` when an account does not exist; `unprocessable` when a reference was booked
   * before with other content; `invalid_request` when an expiry is invalid.
   */
  append(...entries: readonly LedgerEntry[]): Promise<boolean>;
  /** The entries of an account, oldest first, after expiring outdated credit. */
  entries(accountId: string): Promise<readonly LedgerEntry[]>;
  /** Some of the entries of an account, newest first, after expiring outdated credit. */
  page(accountId: string, query: EntryQuery): Promise<EntryPage>;
  /** An account's current money, after expiring outdated credit. */
  balance(accountId: string): Promise<Balance>;
  /** Books the expiry of all outdated credit, in all accounts, and returns the new entries. */
  expire(): Promise<readonly LedgerEntry[]>;
  /** The spending of a key, in the UTC day, week (from Monday) and month that include `now` (Unix milliseconds). */
  keySpend(keyHash: string, now: number): Promise<KeySpend>;
  /** The same in the windows that limits count in. */
  limitSpend(keyHash: string, now: number): Promise<KeySpend>;
  /** When a call of the key was booked last, Unix milliseconds; undefined before the first one. */
  lastUse(keyHash: string): Promise<number | undefined>;
  /**
   * Recomputes every stored total from entries and generations; empty when all agree.
   * @param onStep Called with the number of steps that are done, and of all.
   */
  verify(onStep?: (done: number, of: number) => void): Promise<readonly LedgerDifference[]>;
}
