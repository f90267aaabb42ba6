import type { HeadgateError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';

/** A call that failed before anything was answered, with what routing can tell about it when asked. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly error: HeadgateError;
  readonly metadata: JsonObject | undefined;

  constructor(error: HeadgateError, metadata?: JsonObject) {
    super(error.message, { cause: error });
    this.error = error;
    this.metadata = metadata;
  }
}
