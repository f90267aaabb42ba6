import type { NanoUsd } from '../core/money.ts';

/** How far a request is. */
export type CallPhase = 'admitted' | 'waiting' | 'streaming' | 'tool' | 'settling' | 'ended';

/** How a request ended. */
export type CallOutcome = 'ok' | 'failed' | 'cancelled' | 'refused';

/** What a turn does at the moment; worked out when somebody looks. */
export interface TurnState {
  readonly phase: Exclude<CallPhase, 'admitted' | 'ended'>;
  /** Endpoints asked so far. */
  readonly attempts: number;
  readonly model: string | undefined;
  readonly provider: string | undefined;
  readonly outputTokens: number;
  /** When the first delta came, Unix milliseconds. */
  readonly firstAt: number | undefined;
  /** What it may cost at most at its endpoint; undefined without a price. */
  readonly ceiling: NanoUsd | undefined;
}

/** A turn as seen by those who watch it, and by the request when its client leaves. */
export interface WatchedTurn {
  readonly state: TurnState;
  /** The client has gone. Returns whether the turn goes on for a while; then it calls `abort` itself. */
  leave(abort: () => void): boolean;
}

/**
 * What a request does at the moment. It is written by assigning a member here and there, and read only while somebody
 * watches running requests (docs/spec/dashboard.md#live).
 */
export class CallProgress {
  /** The turn that runs or ran last. */
  turn: WatchedTurn | undefined;
  outcome: CallOutcome | undefined;
  /** What its turns were charged so far. */
  cost = 0n;
}
