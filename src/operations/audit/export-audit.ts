import type { AuditEntry } from '../../core/audit-entry.ts';
import type { AuditQuery } from '../../ports/audit.ts';
import type { KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { listAudit } from './list-audit.ts';

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
