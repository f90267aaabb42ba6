import type { AuditActor, AuditEntry, AuditObject, AuditRecord, ChainHead } from '../core/audit-entry.ts';

/** Which entries to list. Members that are absent restrict nothing. */
export interface AuditQuery {
  /** Null is the chain of what belongs to no account; undefined is all chains. */
  readonly accountId?: string | null | undefined;
  /** Unix milliseconds; from is included, to is not. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly action?: string | undefined;
  readonly objectType?: string | undefined;
  readonly objectId?: string | undefined;
  /** See `actorName`. */
  readonly actor?: string | undefined;
  readonly outcome?: AuditRecord['outcome'] | undefined;
  /** Only entries of the chain before this place. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** The end of one chain as it is stored. */
export interface AuditChain extends ChainHead {
  readonly accountId: string | null;
}

/** A stored entry with everything that verification compares. */
export interface StoredAuditEntry {
  readonly seq: number;
  /** Canonical JSON without the hash. */
  readonly text: string;
  readonly hash: string;
  /** The columns that lists filter by, which repeat parts of the text. */
  readonly columns: AuditColumns;
}

/** Parts of an entry that lists filter by. */
export interface AuditColumns {
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly action: string;
  readonly objectType: string;
  readonly objectId: string | null;
  readonly actor: string;
  readonly outcome: string;
}

/** Keeps the audit log: one chain of entries for each account and one more. Nothing is ever changed or deleted. */
export interface AuditStore {
  /** Locks a chain for the rest of the transaction, so that changes of one account come one after the other. */
  lock(accountId: string | null): Promise<void>;
  /** Appends to the chain of the record's account. */
  append(record: AuditRecord): Promise<AuditEntry>;
  /** Newest first. Those of all chains are in the order of their times. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** The ends of all chains that have a head or entries; a chain without a head ends at 0. */
  chains(): Promise<readonly AuditChain[]>;
  /** Entries of a chain behind a place, oldest first. */
  read(accountId: string | null, after: number, limit: number): Promise<readonly StoredAuditEntry[]>;
}

/** An action that was refused. */
export interface Refusal {
  readonly actor: AuditActor;
  readonly accountId: string | null;
  readonly action: string;
  readonly object: AuditObject;
  /** The type of the error. */
  readonly reason: string;
  readonly requestId: string | null;
}

/** Records refused actions. */
export interface RefusalLog {
  /** Records a refusal, or leaves it out where an address has too many of them. Never rejects. */
  note(refusal: Refusal): Promise<void>;
}
