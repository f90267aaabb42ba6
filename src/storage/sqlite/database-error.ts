import { HeadgateError } from '../../core/errors.ts';
import type { ThreadFailure } from './protocol.ts';

/** SQLite's primary result codes that a statement itself brings about; all others are the database's state. */
const statementCodes: ReadonlySet<number> = new Set([1, 18, 19, 20, 21, 25]);

/** A failure of SQLite or of the thread it runs in. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';
  /** SQLite's extended result code, undefined when the failure is not SQLite's. */
  readonly code: number | undefined;

  constructor(failure: ThreadFailure) {
    super(failure.message);
    this.code = failure.code;
  }

  /** Whether the statement was at fault (a constraint, an unknown table), not the database's state. */
  get byStatement(): boolean {
    return this.code !== undefined && statementCodes.has(this.code & 0xff);
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
