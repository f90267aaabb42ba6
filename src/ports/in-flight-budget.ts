import type { NanoUsd } from '../core/money.ts';

/** Names the hold of one request on one account. */
export interface HoldId {
  readonly accountId: string;
  readonly requestId: string;
}

/** Under which terms a hold is taken. Durations are milliseconds. */
export interface HoldTerms {
  /** What all holds of the account, running and settling, may reach together. */
  readonly budget: NanoUsd;
  /** After which the hold lapses unless it is renewed. */
  readonly lease: number;
  /** How long settled charges go on counting: the longest wait that is ever advised. */
  readonly settlementWindow: number;
  /** Told by `sweep` should nobody come back for the request; the first one a running hold was given counts. */
  readonly note?: string;
}

/** A hold whose lease has lapsed, with what was noted with it. */
export interface LapsedHold extends HoldId {
  readonly note?: string;
}

/** Whether a hold fits; if not, after how many whole seconds it may, from 1 to the settlement window. */
export type HoldOutcome = { readonly held: true } | { readonly held: false; readonly retryAfter: number };

/**
 * What prepaid accounts have in flight (accounts-and-limits 11): an amount held for each running request, and
 * the charges of those that ended a moment ago. Every call is one atomic step for its account, whoever else
 * calls, in this process or another. Rejects when the shared state cannot be reached.
 */
export interface InFlightBudget {
  /**
   * Sets the hold of a request to `amount` if it then fits beside all others (equality fits); else changes
   * nothing. A hold that does not grow always fits. Zero lets go of it.
   */
  hold(id: HoldId, amount: NanoUsd, terms: HoldTerms): Promise<HoldOutcome>;
  /** Sets the hold of a request without asking: a request that runs is never refused (section 11, case 5). */
  raise(id: HoldId, amount: NanoUsd, lease: number): Promise<void>;
  /**
   * Turns the hold of a request, lapsed or not, into its charge, which counts for the settlement window; a
   * charge of zero is dropped at once. Doing so again within the window changes nothing.
   */
  settle(id: HoldId, charge: NanoUsd, settlementWindow: number): Promise<void>;
  /** Begins the leases of these holds anew; a hold that has lapsed stays so. */
  renew(ids: readonly HoldId[], lease: number): Promise<void>;
  /** Lets go of every hold whose lease has lapsed and names them: nobody came back for those requests. */
  sweep(): Promise<readonly LapsedHold[]>;
  /** What an account has in flight: running holds and settling charges together. */
  inFlight(accountId: string): Promise<NanoUsd>;
}
