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
}

/** A hold whose lease has expired, with its note. */
export interface LapsedHold extends HoldId {
  readonly note?: string;
}

/** Whether a hold fits; if not, after how many whole seconds it may, from 1 to the settlement window. */
export type HoldOutcome = { readonly held: true } | { readonly held: false; readonly retryAfter: number };

/** The hold of a running request. */
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
 * request, and the charges of those that ended recently. Every call is atomic for its account, across all processes.
 * Rejects when the shared state cannot be reached.
 */
export interface InFlightBudget {
  /**
   * Sets the hold of a request to `amount` if it then fits beside all others (equality fits); else changes nothing. A
   * hold that does not grow always fits. Zero releases it.
   */
  hold(id: HoldId, amount: NanoUsd, terms: HoldTerms): Promise<HoldOutcome>;
  /**
   * Sets the hold of a request unconditionally: a running request is never refused
   * (docs/spec/money.md#fallbacks-and-the-budget).
   */
  raise(id: HoldId, amount: NanoUsd, lease: number): Promise<void>;
  /**
   * Turns the hold of a request, expired or not, into its charge, which counts for the settlement window; a charge of
   * zero is dropped immediately. Idempotent within the window.
   */
  settle(id: HoldId, charge: NanoUsd, settlementWindow: number): Promise<void>;
  /** Renews the leases of these holds; an expired hold stays expired. */
  renew(ids: readonly HoldId[], lease: number): Promise<void>;
  /** Releases every hold whose lease has expired and returns them. */
  sweep(): Promise<readonly LapsedHold[]>;
  /** What an account has in flight: running holds and settling charges together. */
  inFlight(accountId: string): Promise<NanoUsd>;
  /** The same with its running holds, those that lapse first first, at most `limit`. */
  look(accountId: string, limit: number): Promise<InFlightView>;
}
