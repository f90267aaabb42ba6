import type { ByokTerms } from '../../core/byok-fee.ts';
import type { SqlValue } from '../sql/statement.ts';

/** How the database thread opens its connection. */
export interface ConnectionSettings {
  /** A file that exists, or ":memory:". */
  readonly file: string;
  readonly readOnly: boolean;
  /** How long to wait for another process's transaction, in milliseconds. */
  readonly busyTimeout: number;
  /** Where charges from the journal are kept that the database refuses; undefined without a journal. */
  readonly heldFile?: string;
}

/** Part of a file of the journal. */
export interface JournalSource {
  /** A path, or the descriptor of a file that is open in this process. */
  readonly file: string | number;
  /** Bytes from the file's beginning, 0 or the end of a frame. */
  readonly from: number;
  /** Undefined is the file's end. */
  readonly to: number | undefined;
}

/** A charge line whose fee the month so far decides. */
export interface ByokCharge {
  readonly line: string;
  readonly terms: ByokTerms;
}

/** What the database thread can be asked to do. Requests are carried out one by one in the order sent. */
export type ThreadRequest =
  | { readonly kind: 'rows' | 'change'; readonly sql: string; readonly values: readonly SqlValue[] }
  /** Books charge lines in one transaction of its own. */
  | { readonly kind: 'settle'; readonly charges: string }
  /** Books charge lines with their fees in one transaction of its own, and answers with what each was charged. */
  | { readonly kind: 'settle-byok'; readonly charges: readonly ByokCharge[] }
  /** Books what a file of the journal holds, in the same way, and answers where its last whole frame ends. */
  | { readonly kind: 'apply'; readonly source: JournalSource }
  | { readonly kind: 'begin' | 'commit' | 'rollback' | 'ping' | 'close' };

/** What came of a request: the rows of `rows`, the amounts of `settle-byok`, the number of `change` and `apply`, else nothing. */
export type ThreadAnswer = readonly unknown[] | number | undefined;

/** Why a request failed. */
export interface ThreadFailure {
  readonly message: string;
  /** Whether the statement was at fault (a constraint, an unknown table), not the database's state. */
  readonly byStatement: boolean;
}

/** A request on its way to the thread. */
export interface RequestMessage {
  readonly number: number;
  readonly request: ThreadRequest;
}

/** The answer to the request with the same number. */
export type ReplyMessage =
  | { readonly number: number; readonly answer: ThreadAnswer }
  | { readonly number: number; readonly failure: ThreadFailure };
