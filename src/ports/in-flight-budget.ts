import type { NanoUsd } from '../core/money.ts';

/** Identifies the hold of one request on one account. */
export interface HoldId {
  readonly accountId: string;
  readonly requestId: string;
}

/** The terms of a hold. Durations are milliseconds. */
export interface HoldTerms {
  /** Limit of all holds of the account together, running and settling. */
  readonly budget: NanoUsd;
  /** After which the hold expires unless it is renewed. */
  readonly lease: number;
  /** How long settled charges still count: the longest wait that is ever advised. */
  readonly settlementWindow: number;
  /** Returned by `sweep` if the hold expires; the first note of a running hold is kept. */
  readonly note?: string;
  /** The limits that the request counts in, in the order in which they refuse; undefined without any. */
  readonly limits?: readonly LimitTerms[];
  /** Whether no limit may refuse the request, because one has let it begin: it then holds what is left, even nothing. */
  readonly isBegun?: boolean;
  /** Whether only the outcome is wanted: nothing is held then. */
  readonly isTrial?: boolean;
}

/** A part of a limit: what a request holds of it or was charged. */
export interface LimitShare {
  /** Names the limit within its account. */
  readonly id: string;
  /** The window of the limit, by a number that grows with each; a limit that never begins anew has one window. */
  readonly window: number;
  readonly amount: NanoUsd;
}

/** A limit of a key, or a budget, and what a request may cost of it (`amount`). */
export interface LimitTerms extends LimitShare {
  readonly limit: NanoUsd;
  /** What was spent of it in the window, as far as this process knows; may lack charges of the last seconds. */
  readonly spent: NanoUsd;
}

/**
 * Milliseconds for which a limit is remembered after its last hold or charge. What a process knows to be spent must
 * include everything older: far more than the few seconds by which it may be late.
 */
export const limitMemory = 60_000;

/** A hold whose lease has expired, with its note. */
export interface LapsedHold extends HoldId {
  readonly note?: string;
}

/** What is taken, with its shares of limits, if there are any. */
export interface TakenHold {
  readonly held: true;
  readonly shares?: readonly LimitShare[];
}

/** The account's budget is full; after how many whole seconds it may fit, from 1 to the settlement window. */
export interface FullBudget {
  readonly held: false;
  readonly retryAfter: number;
}

/** Nothing is left of a limit: it is used up, or running requests hold the rest of it. */
export interface FullLimit {
  readonly held: false;
  /** The id of the limit. */
  readonly limit: string;
  readonly spent: NanoUsd;
}

/** Whether a hold fits. */
export type HoldOutcome = TakenHold | FullBudget | FullLimit;

/** The hold of a running request. Its amount is zero where it holds something of limits alone. */
export interface RunningHold {
  readonly requestId: string;
  readonly amount: NanoUsd;
  /** Milliseconds until it lapses unless its lease is renewed. */
  readonly leaseLeft: number;
  readonly note?: string;
}

/** What an account has in flight at one moment. */
export interface InFlightView {
  /** Running holds and settling charges together. */
  readonly total: NanoUsd;
  /** How many requests hold something. */
  readonly running: number;
  /** Some of them: as many as were asked for. */
  readonly holds: readonly RunningHold[];
}

/**
 * What prepaid accounts have in flight (docs/spec/money.md#in-flight-budget): an amount reserved for each running
 * request, and the charges of those that ended recently. Beside it, what running requests hold of the limits of keys and
 * of budgets (docs/spec/money.md#held-limits). Every call is atomic for its account, across all processes. Rejects when the
 * shared state cannot be reached.
 *
 * A limit is known from its first hold until it was unused for `limitMemory`. What was spent of it is what the first hold
 * says, and every charge that a request settles afterwards: a charge counts in one of the two, never in both. Later holds
 * that say more raise it, as far as running requests of other processes cannot explain that.
 */
export interface InFlightBudget {
  /**
   * Sets the hold of a request to `amount` if it then fits beside all others (equality fits); else changes nothing. A
   * hold that does not grow always fits. Zero releases it. Of each limit it holds the amount or what is left, whichever is
   * smaller; it does not fit where nothing is left.
   */
  hold(id: HoldId, amount: NanoUsd, terms: HoldTerms): Promise<HoldOutcome>;
  /**
   * Sets the hold of a request unconditionally: a running request is never refused
   * (docs/spec/money.md#fallbacks-and-the-budget).
   * @param shares What it holds of limits from now on.
   */
  raise(id: HoldId, amount: NanoUsd, lease: number, shares?: readonly LimitShare[]): Promise<void>;
  /**
   * Turns the hold of a request, expired or not, into its charge, which counts for the settlement window; a charge of
   * zero is dropped immediately. Idempotent within the window.
   * @param shares What it was charged of limits; counts in those of which it holds something, or did hold nothing for lack
   * of a rest. The charge of a request whose hold has lapsed is known from the books.
   */
  settle(
    id: HoldId,
    charge: NanoUsd,
    settlementWindow: number,
    shares?: readonly LimitShare[],
  ): Promise<void>;
  /** Counts a charge that nothing was held for in the limits of an account that are known. */
  charge(accountId: string, shares: readonly LimitShare[]): Promise<void>;
  /** Renews the leases of these holds; an expired hold stays expired. */
  renew(ids: readonly HoldId[], lease: number): Promise<void>;
  /** Releases every hold whose lease has expired and returns them. */
  sweep(): Promise<readonly LapsedHold[]>;
  /** What an account has in flight: running holds and settling charges together. */
  inFlight(accountId: string): Promise<NanoUsd>;
  /** The same with its running holds, those that lapse first first, at most `limit`. */
  look(accountId: string, limit: number): Promise<InFlightView>;
}
