import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { RouteReport } from '../core/route-report.ts';
import type { RouteJudgement } from '../routing/plan.ts';

/** What is known of a call that failed, besides why. */
export interface RefusalDetails {
  /** How it was routed; undefined when the request does not ask for it or routing had not begun. */
  readonly report?: RouteReport;
  /** The bodies sent to providers, when the request asks for them. */
  readonly bodies?: readonly unknown[];
  /** Where it might have gone; undefined when routing had not begun. */
  readonly plan?: RouteJudgement | undefined;
}

/** A call that failed before anything was answered. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly error: HeadgateError;
  readonly report: RouteReport | undefined;
  readonly bodies: readonly unknown[];
  readonly plan: RouteJudgement | undefined;

  constructor(error: HeadgateError, { report, bodies = [], plan }: RefusalDetails = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.report = report;
    this.bodies = bodies;
    this.plan = plan;
  }

  /** Any thrown value as a call that failed. */
  static of(thrown: unknown): RefusedCall {
    return thrown instanceof RefusedCall ? thrown : new RefusedCall(toHeadgateError(thrown));
  }
}
