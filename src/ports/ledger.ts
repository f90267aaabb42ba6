import type { NanoUsd } from '../core/money.ts';
import type { Generation } from './generations.ts';
import type { KeySpend } from './keys.ts';

/** An append-only movement of credits other than a charge (accounts-and-limits 1.7). */
export interface LedgerEntry {
  readonly id: string;
  readonly accountId: string;
  readonly type: 'purchase' | 'grant' | 'refund' | 'expiry' | 'transfer' | 'adjustment';
  /** Signed. */
  readonly amount: NanoUsd;
  readonly countsAsPurchase: boolean;
  /** The caller's own reference: an entry with a reference already seen changes nothing. */
  readonly externalRef: string | null;
  readonly note: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** An account's money as the books have it. */
export interface Balance {
  /** Entries less charges; may be negative. */
  readonly balance: NanoUsd;
  readonly purchasedTotal: NanoUsd;
  readonly spentTotal: NanoUsd;
}

/** A difference `verify` found between a kept total and the one recomputed from the entries. */
export interface LedgerDifference {
  readonly subject: string;
  readonly kept: NanoUsd;
  readonly recomputed: NanoUsd;
}

/** The one place where money moves. */
export interface Ledger {
  /**
   * Books a finished generation: its record, its charge, and every counter that grows by it, in one
   * transaction. Resolves when that is durable: a crash of process or machine after it loses nothing.
   * Booking the same generation id again changes nothing. Many calls made together share one transaction.
   */
  settle(generation: Generation): Promise<void>;
  /** Appends an entry; false when its reference was booked before. */
  append(entry: LedgerEntry): Promise<boolean>;
  balance(accountId: string): Promise<Balance>;
  /** What a key spent, in the windows that hold `now` (Unix milliseconds). */
  keySpend(keyHash: string, now: number): Promise<KeySpend>;
  /** Recomputes every kept total from entries and generations; empty when all agree. */
  verify(): Promise<readonly LedgerDifference[]>;
}
