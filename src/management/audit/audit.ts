import { type AuditEntry, actorName, type ChainHead, emptyChain, hashEntry } from '../../core/audit-entry.ts';
import type { AuditChain, AuditColumns, AuditQuery, StoredAuditEntry } from '../../ports/audit.ts';
import { canonicalJson } from '../../util/canonical-json.ts';
import { parseJson } from '../../util/json.ts';
import type { Actor, KeyActor, OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** A page of the audit log, newest first. */
export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** The place before which the next page begins; null on the last page. */
  readonly next: number | null;
}

/**
 * Lists audit entries. A key reads those of its account.
 * @param query The operator may name an account, null for what belongs to none, or leave it out for all.
 */
export async function listAudit(
  actor: Actor,
  query: AuditQuery,
  { storage }: Uses<'audit'>,
): Promise<AuditPage> {
  const { limit } = query;
  const accountId = actor.kind === 'key' ? actor.account.id : query.accountId;
  const found = await storage.audit.list({ ...query, accountId, limit: limit + 1 });
  const entries = found.slice(0, limit);
  return { entries, next: found.length > limit ? (entries.at(-1)?.seq ?? null) : null };
}

/** Entries that are read, and in memory, at once. */
const pageLength = 200;

/** All entries of the account that a query fits, newest first, page by page. What is added meanwhile is left out. */
export async function* exportAudit(
  actor: KeyActor,
  query: Omit<AuditQuery, 'accountId' | 'before' | 'limit'>,
  services: Uses<'audit'>,
): AsyncGenerator<readonly AuditEntry[]> {
  let before: number | undefined;
  do {
    const { entries, next } = await listAudit(actor, { ...query, before, limit: pageLength }, services);
    yield entries;
    before = next ?? undefined;
  } while (before !== undefined);
}

const verifiedAtOnce = 500;

/** What the verification of one chain found. */
export interface VerifiedChain {
  readonly accountId: string | null;
  /** Entries that are intact, from the first one. */
  readonly intact: number;
  /** The hash of the last intact entry. */
  readonly hash: string;
  /** The first entry that is not as it was written, with what is wrong; undefined where all are. */
  readonly broken?: { readonly seq: number; readonly id: string | null; readonly fault: string };
}

/** Reads all entries of chains, oldest first. */
export async function* readChains(
  _actor: OperatorActor,
  accountId: string | null | undefined,
  { storage }: Uses<'audit'>,
): AsyncGenerator<StoredAuditEntry> {
  for (const chain of await chainsOf(accountId, { storage })) yield* readChain(chain, { storage });
}

/**
 * Computes every hash of the audit log anew.
 * @param accountId Of this chain alone; null is the chain of what belongs to no account.
 */
export async function verifyAudit(
  _actor: OperatorActor,
  accountId: string | null | undefined,
  services: Uses<'audit'>,
): Promise<readonly VerifiedChain[]> {
  const verified: VerifiedChain[] = [];
  for (const chain of await chainsOf(accountId, services)) verified.push(await verifyChain(chain, services));
  return verified;
}

async function chainsOf(
  accountId: string | null | undefined,
  { storage }: Uses<'audit'>,
): Promise<readonly AuditChain[]> {
  const chains = await storage.audit.chains();
  return accountId === undefined ? chains : chains.filter((chain) => chain.accountId === accountId);
}

async function verifyChain(chain: AuditChain, services: Uses<'audit'>): Promise<VerifiedChain> {
  const { accountId } = chain;
  let head = emptyChain;
  for await (const stored of readChain(chain, services)) {
    const fault = faultOf(stored, accountId, head);
    if (fault !== undefined) {
      return {
        accountId,
        intact: head.seq,
        hash: head.hash,
        broken: { seq: stored.seq, id: stored.columns.id, fault },
      };
    }
    head = { seq: stored.seq, hash: stored.hash };
  }
  const fault = faultOfEnd(head, chain);
  const verified = { accountId, intact: head.seq, hash: head.hash };
  return fault === undefined ? verified : { ...verified, broken: { seq: head.seq + 1, id: null, fault } };
}

/** What is wrong with the last entry, compared with the end of the chain that was read before the entries. */
function faultOfEnd(last: ChainHead, end: ChainHead): string | undefined {
  if (last.seq < end.seq) return 'it is missing, and so is all that followed';
  if (end.seq === 0 && last.seq > 0) return 'the end of the chain is not stored, so entries may be missing';
  // Entries that were written meanwhile follow the end.
  if (last.seq === end.seq && last.hash !== end.hash)
    return 'the chain before it is not the one that was stored';
  return undefined;
}

async function* readChain(
  { accountId }: AuditChain,
  { storage }: Uses<'audit'>,
): AsyncGenerator<StoredAuditEntry> {
  for (let after = 0; ; ) {
    const page = await storage.audit.read(accountId, after, verifiedAtOnce);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < verifiedAtOnce) return;
    after = last.seq;
  }
}

/** What is wrong with a stored entry that follows an intact one. */
function faultOf(
  { seq, text, hash, columns }: StoredAuditEntry,
  accountId: string | null,
  before: ChainHead,
): string | undefined {
  if (seq !== before.seq + 1) return `the entry before it is missing: ${before.seq + 1}`;
  if (hashEntry(before.hash, text) !== hash)
    return 'its hash does not fit its content and the entry before it';
  const entry = parseJson(text) as AuditEntry;
  if (entry.seq !== seq || entry.account_id !== accountId || entry.previous !== before.hash) {
    return 'it belongs to another place or another chain';
  }
  if (canonicalJson(columnsOf(entry)) !== canonicalJson(columns))
    return 'its columns differ from its content';
  return undefined;
}

function columnsOf(entry: AuditEntry): AuditColumns {
  const { id, at, action, object, actor, outcome } = entry;
  return {
    id,
    at: Date.parse(at),
    action,
    objectType: object.type,
    objectId: object.id,
    actor: actorName(actor),
    outcome,
  };
}
