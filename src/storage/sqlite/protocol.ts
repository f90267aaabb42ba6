import type { DatabaseFailure } from '../sql/database.ts';
import type { SqlValue } from '../sql/statement.ts';

/** How the database thread opens its connection. */
export interface ConnectionSettings {
  /** A file that exists, or ":memory:". */
  readonly file: string;
  readonly readOnly: boolean;
  /** How long to wait for another process's transaction, in milliseconds. */
  readonly busyTimeout: number;
  /** Whether no other connection may use the file while this one is open. */
  readonly exclusive?: boolean;
}

/** What the database thread can be asked to do. Requests are carried out one by one in the order sent. */
export type ThreadRequest =
  | { readonly kind: 'rows' | 'change'; readonly sql: string; readonly values: readonly SqlValue[] }
  /** Makes charge lines durable, to be booked before anything else is asked of the connection; some lines in each text. */
  | { readonly kind: 'append'; readonly lines: readonly string[] }
  /** Books waiting lines at once, some with terms, and answers with what each was charged. */
  | { readonly kind: 'settle'; readonly lines: readonly string[] }
  /** Adds the calls that wait to the sums that reports read. */
  | { readonly kind: 'fold' }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' };

/** The answer to a request: the rows of `rows`, the amounts of `settle`, the number of rows of `change`, else nothing. */
export type ThreadAnswer = readonly unknown[] | number | undefined;

/** A request on its way to the thread. */
export interface RequestMessage {
  readonly number: number;
  readonly request: ThreadRequest;
}

/** The answer to the request with the same number. */
export type ReplyMessage =
  | { readonly number: number; readonly answer: ThreadAnswer }
  | { readonly number: number; readonly failure: DatabaseFailure };
