import type { JournalSource } from '../journal/read-source.ts';
import type { ByokCharge } from '../sql/byok-charge.ts';
import type { DatabaseFailure } from '../sql/database-error.ts';
import type { SqlValue } from '../sql/statement.ts';

/** How the database thread opens its connection. */
export interface ConnectionSettings {
  /** A file that exists, or ":memory:". */
  readonly file: string;
  readonly readOnly: boolean;
  /** How long to wait for another process's transaction, in milliseconds. */
  readonly busyTimeout: number;
  /** Where charges are kept that were promised and that the database refuses; undefined without a journal. */
  readonly heldFile?: string;
}

/** What the database thread can be asked to do. Requests are carried out one by one in the order sent. */
export type ThreadRequest =
  | { readonly kind: 'rows' | 'change'; readonly sql: string; readonly values: readonly SqlValue[] }
  /** Books charge lines in one transaction of its own. */
  | { readonly kind: 'settle'; readonly charges: string }
  /** Books charge lines with their fees in one transaction of its own, and answers with what each was charged, if it was not kept aside. */
  | { readonly kind: 'settle-byok'; readonly charges: readonly ByokCharge[] }
  /** Books what a file of the journal holds, in the same way, and answers where its last whole frame ends. */
  | { readonly kind: 'apply'; readonly source: JournalSource }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' };

/** What came of a request: the rows of `rows`, the amounts of `settle-byok`, the number of `change` and `apply`, else nothing. */
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
