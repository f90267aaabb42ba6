import type { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { RanTool } from '../server-tools/server-tool.ts';
import type { CallFacts, SettledFacts } from '../settlement/call-settlement.ts';

/** An answer that the cache had: whose it is, who made it, and what it cost then. */
export interface FoundAnswer {
  readonly accountId: string;
  readonly keyHash: string;
  readonly workspaceId: string | null;
  readonly model: string;
  readonly saved: NanoUsd;
}

/**
 * Who hears of requests as they run. A method is called where something is decided, in the midst of a request: it must
 * return at once and never throw.
 */
export interface RequestObserver {
  /** A client's request was turned away before any endpoint was asked: there is no record of it. */
  turnedAway?(call: CallFacts, thrown: unknown): void;
  /** A stage refused a request, with what stages had to say of it until then. */
  blocked?(entries: readonly PipelineEntry[]): void;
  /** The cache was asked for an answer. @param found Undefined where it had none. */
  lookedForCached?(found: FoundAnswer | undefined): void;
  /** A call of a tool of the gateway is over. */
  ranTool?(ran: RanTool): void;
  /** A turn or a fee has its record: its charge is durable, or could not be made so. */
  settled?(facts: SettledFacts): void;
  /**
   * A turn with a record was routed so.
   * @param isNotable Whether it failed, or more than one endpoint was asked.
   */
  routed?(call: CallFacts, plan: RouteJudgement, isNotable: boolean): void;
  /** Any request, of a model or not, is answered with an error. */
  refused?(error: HeadgateError): void;
}

/** The one channel of what happens to requests: passes each event to all observers, in their order. */
export class RequestEvents implements Required<RequestObserver> {
  readonly #observers: readonly RequestObserver[];

  constructor(observers: readonly RequestObserver[]) {
    this.#observers = observers;
  }

  turnedAway(call: CallFacts, thrown: unknown): void {
    for (const one of this.#observers) one.turnedAway?.(call, thrown);
  }

  blocked(entries: readonly PipelineEntry[]): void {
    for (const one of this.#observers) one.blocked?.(entries);
  }

  lookedForCached(found: FoundAnswer | undefined): void {
    for (const one of this.#observers) one.lookedForCached?.(found);
  }

  ranTool(ran: RanTool): void {
    for (const one of this.#observers) one.ranTool?.(ran);
  }

  settled(facts: SettledFacts): void {
    for (const one of this.#observers) one.settled?.(facts);
  }

  routed(call: CallFacts, plan: RouteJudgement, isNotable: boolean): void {
    for (const one of this.#observers) one.routed?.(call, plan, isNotable);
  }

  refused(error: HeadgateError): void {
    for (const one of this.#observers) one.refused?.(error);
  }
}
