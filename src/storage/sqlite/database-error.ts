import { HeadgateError } from '../../core/errors.ts';
import type { ThreadFailure } from './protocol.ts';

/** A failure of SQLite or of the thread it runs in. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** Whether the statement was at fault, so that trying again is in vain. */
  readonly byStatement: boolean;

  constructor({ message, byStatement }: ThreadFailure) {
    super(message);
    this.byStatement = byStatement;
  }
}

/** What a caller learns when the database cannot do its work now but may do it later. */
export function unavailable(cause: unknown): HeadgateError {
  if (cause instanceof HeadgateError) return cause;
  return new HeadgateError('service_unavailable', 'The storage cannot be reached.', { cause });
}

/** A failed statement: `service_unavailable` when a later try may succeed, else the error as it is. */
export function statementError(error: unknown): unknown {
  return error instanceof DatabaseError && !error.byStatement ? unavailable(error) : error;
}
