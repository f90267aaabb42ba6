import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { JsonObject } from '../util/json.ts';

/** What can be told of a call that failed, besides why. */
export interface RefusalDetails {
  /** What routing can tell about it when asked. */
  readonly metadata?: JsonObject;
  /** What was sent to providers, to be shown when asked for. */
  readonly bodies?: readonly unknown[];
}

/** A call that failed before anything was answered. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly error: HeadgateError;
  readonly metadata: JsonObject | undefined;
  readonly bodies: readonly unknown[];

  constructor(error: HeadgateError, { metadata, bodies = [] }: RefusalDetails = {}) {
    super(error.message, { cause: error });
    this.error = error;
    this.metadata = metadata;
    this.bodies = bodies;
  }

  /** Any thrown value as a call that failed; one that is so already stays itself. */
  static of(thrown: unknown): RefusedCall {
    return thrown instanceof RefusedCall ? thrown : new RefusedCall(toHeadgateError(thrown));
  }
}
