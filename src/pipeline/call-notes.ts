import type { RouteJudgement } from '../routing/plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';

/** Hears of calls as they end (docs/spec/dashboard.md#refused-requests-and-plans). Costs no wait. */
export interface CallNotes {
  /** Of a client's request that was turned away before any endpoint was asked. */
  refused(call: CallFacts, thrown: unknown): void;
  /**
   * Of a call that has a record.
   * @param isNotable Whether it failed, or more than one endpoint was asked.
   */
  settled(call: CallFacts, plan: RouteJudgement, isNotable: boolean): void;
}
