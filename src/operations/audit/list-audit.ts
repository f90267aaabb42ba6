import type { AuditEntry } from '../../core/audit-entry.ts';
import type { AuditQuery } from '../../ports/audit.ts';
import type { Actor } from '../actor.ts';
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
