import type { DatabaseFailure } from '../sql/database-error.ts';

/** Primary result codes a statement itself brings about: error, too big, constraint, mismatch, misuse, range. */
const statementCodes: ReadonlySet<number | undefined> = new Set([1, 18, 19, 20, 21, 25]);

/** Those of them that a value brings about: too big, constraint, mismatch. */
const valueCodes: ReadonlySet<number | undefined> = new Set([18, 19, 20]);

/** A thrown value as another thread is told of it. */
export function describeFailure(error: unknown): DatabaseFailure {
  if (!(error instanceof Error)) return { message: String(error), byStatement: false };
  return {
    message: error.message,
    byStatement: isUnbindable(error) || statementCodes.has(primaryCode(error)),
  };
}

/** Whether a value was refused, so that other values may well be accepted. */
export function isByValue(error: unknown): boolean {
  return error instanceof Error && (isUnbindable(error) || valueCodes.has(primaryCode(error)));
}

/** A value that cannot be bound is refused before SQLite sees it. */
function isUnbindable(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError;
}

/** The low byte of SQLite's extended result code. */
function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
