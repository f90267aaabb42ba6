import type { DatabaseFailure, FileTrouble } from '../sql/database.ts';

/** Primary result codes a statement itself causes: error, too big, constraint, mismatch, misuse, range. */
const statementCodes: ReadonlySet<number | undefined> = new Set([1, 18, 19, 20, 21, 25]);

/** Those of them that a value causes: too big, constraint, mismatch. */
const valueCodes: ReadonlySet<number | undefined> = new Set([18, 19, 20]);

/** Result codes of files that cannot be used now: busy, locked, full. */
const troubles: ReadonlyMap<number | undefined, FileTrouble> = new Map([
  [5, 'locked'],
  [6, 'locked'],
  [13, 'full'],
]);

/** A thrown value in the form another thread receives. */
export function describeFailure(error: unknown): DatabaseFailure {
  if (!(error instanceof Error)) return { message: String(error), byStatement: false };
  const code = primaryCode(error);
  // A value that cannot be bound is refused before SQLite sees it.
  const isUnbindable = error instanceof TypeError || error instanceof RangeError;
  return {
    message: error.message,
    byStatement: isUnbindable || statementCodes.has(code),
    byValue: isUnbindable || valueCodes.has(code),
    trouble: troubles.get(code),
  };
}

/** The low byte of SQLite's extended result code. */
function primaryCode(error: Error): number | undefined {
  return 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : undefined;
}
