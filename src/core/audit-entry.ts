import { hash } from 'node:crypto';
import { canonicalJson } from '../util/canonical-json.ts';
import type { JsonObject } from '../util/json.ts';

/** Who did something, as an audit entry names them. `anonymous` is a caller whose key is not accepted. */
export interface AuditActor {
  readonly type: 'management_key' | 'inference_key' | 'workload' | 'command' | 'system' | 'anonymous';
  readonly key_hash: string | null;
  readonly key_label: string | null;
  readonly user_id: string | null;
  readonly address: string | null;
}

/** What something was done to. */
export interface AuditObject {
  readonly type: string;
  readonly id: string | null;
  readonly workspace_id: string | null;
}

/** One action before it has its place in a chain, as JSON. Holds no secret (docs/spec/accounts.md#audit-log). */
export interface AuditRecord {
  /** `aud_…` */
  readonly id: string;
  /** Which chain it belongs to; null is the chain of what belongs to no account. */
  readonly account_id: string | null;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: AuditActor;
  /** Object and verb, such as `key.create`. */
  readonly action: string;
  readonly object: AuditObject;
  readonly outcome: 'ok' | 'refused';
  /** The type of the error of what was refused. */
  readonly reason: string | null;
  /** Fields that changed, as they were; null where there was nothing. */
  readonly before: JsonObject | null;
  /** Fields that changed, as they are now; null where nothing is left. */
  readonly after: JsonObject | null;
  /** Of the HTTP request; null at the command line. */
  readonly request_id: string | null;
}

/** An action in its chain. */
export interface AuditEntry extends AuditRecord {
  /** Its place in the chain, from 1. */
  readonly seq: number;
  /** The hash of the entry before it; 64 zeros for the first one. */
  readonly previous: string;
  /** Lowercase hex SHA-256, see `hashEntry`. */
  readonly hash: string;
}

/** The end of a chain: the place and the hash of its newest entry. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The end of a chain without entries. */
export const emptyChain: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/** Puts a record behind the last entry of its chain. Returns the entry and the text that is stored and hashed. */
export function chainEntry(record: AuditRecord, head: ChainHead): { entry: AuditEntry; text: string } {
  const linked = { ...record, seq: head.seq + 1, previous: head.hash };
  const text = canonicalJson(linked);
  return { entry: { ...linked, hash: hashEntry(head.hash, text) }, text };
}

/**
 * The hash of an entry: SHA-256 over the hash before it and the entry without its own hash.
 * @param text The entry as canonical JSON (RFC 8785).
 */
export function hashEntry(previous: string, text: string): string {
  return hash('sha256', previous + text, 'hex');
}

/** What `actor` filters compare: the hash of the key, or the kind of actor where there is no key. */
export function actorName({ type, key_hash }: AuditActor): string {
  return key_hash ?? type;
}
