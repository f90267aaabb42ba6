import { HeadgateError } from '../../core/errors.ts';

/** Why an engine could not do its work. */
export interface DatabaseFailure {
  readonly message: string;
  /** Whether the statement was at fault (a constraint, an unknown table), not the database's state. */
  readonly byStatement: boolean;
}

/** A failure of an engine or of the way to it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** Whether the statement was at fault, so that trying again is in vain. */
  readonly byStatement: boolean;

  constructor({ message, byStatement }: DatabaseFailure) {
    super(message);
    this.byStatement = byStatement;
  }
}

/** What a caller learns when the database cannot do its work now but may do it later. */
export function unavailable(cause: unknown): HeadgateError {
  if (cause instanceof HeadgateError) return cause;
  return new HeadgateError('service_unavailable', 'The storage cannot be reached.', { cause });
}

/** Throws in place of a failure what its caller learns of it. @throws HeadgateError `service_unavailable`. */
export function throwUnavailable(cause: unknown): never {
  throw unavailable(cause);
}

/** A failed statement: `service_unavailable` when a later try may succeed, else the error as it is. */
export function statementError(error: unknown): unknown {
  return error instanceof DatabaseError && !error.byStatement ? unavailable(error) : error;
}

/** What whoever asks learns while the database answers and charges cannot be booked all the same. */
export function unbookable(cause: unknown): HeadgateError {
  return new HeadgateError('service_unavailable', 'Charges cannot be booked now.', { cause });
}
