import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { RouteReport } from '../core/route-report.ts';

/** What is known of a call that failed, besides why. */
export interface RefusalDetails {
  /** How it was routed; undefined when the request does not ask for it or routing had not begun. */
  readonly report?: RouteReport;
  /** The bodies sent to providers, when the request asks for them. */
  readonly bodies?: readonly unknown[];
}

/** A call that failed before anything was answered. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly error: HeadgateError;
  readonly report: RouteReport | undefined;
  readonly bodies: readonly unknown[];

  constructor(error: HeadgateError, { report, bodies = [] }: RefusalDetails = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.report = report;
    this.bodies = bodies;
  }

  /** Any thrown value as a call that failed. */
  static of(thrown: unknown): RefusedCall {
    return thrown instanceof RefusedCall ? thrown : new RefusedCall(toHeadgateError(thrown));
  }
}
