import { HeadgateError } from '../../core/errors.ts';

/** Why an engine could not do its work. */
export interface DatabaseFailure {
  readonly message: string;
  /** Whether the statement was at fault (a constraint, an unknown table), not the database's state. */
  readonly byStatement: boolean;
  /** Whether a value was at fault, so that other values may be accepted. */
  readonly byValue?: boolean;
  /** What stops a file of this machine from being used; undefined: something else, or it is not known. */
  readonly trouble?: FileTrouble | undefined;
}

/** Another process has locked the file, or its disk is full. */
export type FileTrouble = 'locked' | 'full';

/** A failure of an engine or of the connection to it. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** Whether the statement was at fault, so that trying again does not help. */
  readonly byStatement: boolean;
  /** Whether a value was at fault, so that other values may be accepted. */
  readonly byValue: boolean;
  /** What stops a file of this machine from being used, if that is the reason. */
  readonly trouble: FileTrouble | undefined;

  constructor({ message, byStatement, byValue = false, trouble }: DatabaseFailure) {
    super(message);
    this.byStatement = byStatement;
    this.byValue = byValue;
    this.trouble = trouble;
  }
}

/** The error for a caller when the database cannot do its work now but may do it later. */
export function unavailable(cause: unknown): HeadgateError {
  if (cause instanceof HeadgateError) return cause;
  return new HeadgateError('service_unavailable', 'The storage cannot be reached.', { cause });
}

/** Throws the caller's error in place of a failure. @throws HeadgateError `service_unavailable`. */
export function throwUnavailable(cause: unknown): never {
  throw unavailable(cause);
}

/** A failed statement: `service_unavailable` when a later try may succeed, else the error as it is. */
export function statementError(error: unknown): unknown {
  return error instanceof DatabaseError && !error.byStatement ? unavailable(error) : error;
}

/** The error of a health check while the database answers but charges cannot be booked. */
export function unbookable(cause: unknown): HeadgateError {
  return new HeadgateError('service_unavailable', 'Charges cannot be booked now.', { cause });
}
