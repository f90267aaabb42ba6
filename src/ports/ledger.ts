import type { ByokTerms } from '../core/byok-fee.ts';
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
  /** What was paid on top of the amount; no part of the balance. */
  readonly fee: NanoUsd;
  readonly countsAsPurchase: boolean;
  /**
   * When what is left of the amount lapses, Unix milliseconds; null is never. Spending takes the credit that
   * expires soonest first.
   */
  readonly expiresAt: number | null;
  /** The caller's own reference: an entry with a reference already booked changes nothing. */
  readonly externalRef: string | null;
  /** The entry this one belongs to: what expired, the purchase refunded, the other side of a transfer. */
  readonly relatedId: string | null;
  readonly note: string | null;
  /** Who booked it, for people to read. */
  readonly createdBy: string | null;
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

/** The one place where money moves. Every answer holds all that was settled before it was asked for. */
export interface Ledger {
  /**
   * Books a finished generation: its record, its charge, and every counter that grows by it, as one. Resolves
   * when that is durable: a crash of process or machine after it loses nothing. Booking the same generation id
   * again changes nothing, save that the record of a lapsed call gives way to the true one, and never the other way
   * round. Many calls made together share the wait for the disk.
   * @throws HeadgateError `service_unavailable` when it cannot be booked now; then nothing is.
   */
  settle(generation: Generation): Promise<void>;
  /**
   * Books a generation that an own provider credential served, in the same way, and resolves with its charge: what
   * its `cost` says, which is anything but the fee, and the fee on its list cost. What the account's earlier calls of
   * the UTC month cost is read in the same transaction, so that fees are exact however many calls end together.
   * Booking the same id again resolves with the charge of the first time.
   */
  settleByok(generation: Generation, terms: ByokTerms): Promise<NanoUsd>;
  /**
   * Appends entries, all or none, such as the two sides of a transfer. False, with nothing changed, when their
   * references were booked before with the same content.
   * @throws HeadgateError `not_found` when an account does not exist; `unprocessable` when a reference was
   *   booked before with another content; `invalid_request` when an expiry makes no sense.
   */
  append(...entries: readonly LedgerEntry[]): Promise<boolean>;
  /** The entries of an account, oldest first. Credit that is past its time has been expired. */
  entries(accountId: string): Promise<readonly LedgerEntry[]>;
  /** An account's money now: credit that is past its time has been expired. */
  balance(accountId: string): Promise<Balance>;
  /** Books the expiry of everything past its time, in all accounts, and returns the new entries. */
  expire(): Promise<readonly LedgerEntry[]>;
  /** What a key spent, in the windows that hold `now` (Unix milliseconds). */
  keySpend(keyHash: string, now: number): Promise<KeySpend>;
  /** Recomputes every kept total from entries and generations; empty when all agree. */
  verify(): Promise<readonly LedgerDifference[]>;
}
