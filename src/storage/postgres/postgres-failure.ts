import { DatabaseError } from '../sql/database.ts';

/**
 * Classes of SQLSTATE a statement itself brings about: no data, wrong number of rows, feature, cursor, data, constraint,
 * name or syntax.
 */
const statementClasses: ReadonlySet<string> = new Set(['02', '0A', '21', '22', '23', '24', '42']);

/** Classes of those a value brings about, so that other values may well be accepted. */
const valueClasses: ReadonlySet<string> = new Set(['22', '23']);

/** Missing privilege: the operator's to repair, and no fault of a statement of ours. */
const forbidden = '42501';

/** A write to a server that only reads: another connection may lead to one that does not. */
const readOnly = '25006';

/** Two transactions could not both go on; either works when it is tried again. */
const conflicts: ReadonlySet<string> = new Set(['40001', '40P01']);

/** A failure of PostgreSQL or of the way to it. Holds nothing but the message: details may quote what is stored. */
export class PostgresFailure extends DatabaseError {
  /** The SQLSTATE; undefined when the connection failed. */
  readonly code: string | undefined;

  constructor(error: unknown) {
    const code = codeOf(error);
    const message = error instanceof Error ? error.message || nameOf(error) : String(error);
    const byStatement = isByStatement(error, code);
    const byValue = byStatement && (code === undefined || valueClasses.has(code.slice(0, 2)));
    super({ message, byStatement, byValue });
    this.code = code;
  }

  /** Whether the same transaction may work when it is tried again at once. */
  get isConflict(): boolean {
    return this.code !== undefined && conflicts.has(this.code);
  }
}

/** A thrown value as a failure of the database; one that is none of it stays as it is. */
export function asFailure(error: unknown): PostgresFailure {
  return error instanceof PostgresFailure ? error : new PostgresFailure(error);
}

/** Whether the connection can be used again after this failure. */
export function leavesConnectionWhole(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined || code === readOnly) return false;
  // The server ends the connection after what is worse than an error, and the client after what it did not understand.
  return error instanceof Error && 'severity' in error && error.severity === 'ERROR';
}

function isByStatement(error: unknown, code: string | undefined): boolean {
  if (code !== undefined) return code !== forbidden && statementClasses.has(code.slice(0, 2));
  // A value that cannot be sent is refused before the server sees it.
  return error instanceof TypeError || error instanceof RangeError;
}

/** The SQLSTATE; failures of the network have codes of another form. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && 'severity' in error)) return undefined;
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : undefined;
}

/** Several addresses tried in vain are one error without a message. */
function nameOf(error: Error): string {
  return 'code' in error ? String(error.code) : error.name;
}
