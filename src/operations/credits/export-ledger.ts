import type { EntryQuery, LedgerEntry } from '../../ports/ledger.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';

/** Entries that are read, and in memory, at once. */
const pageLength = 500;

/** Which entries are wanted: of the actor's account where none is named, of every type where none is. */
export interface LedgerExport {
  readonly account?: string | undefined;
  readonly type?: EntryQuery['type'];
}

/**
 * All movements of credits of an account, newest first, page by page. Entries are only ever added, so that all pages
 * together are the ledger as it was at the first.
 * @throws HeadgateError `not_found` for an account that the actor does not reach.
 */
export async function* exportLedger(
  actor: Actor,
  { account: named, type }: LedgerExport,
  { storage }: Uses<'accounts' | 'ledger'>,
): AsyncGenerator<readonly LedgerEntry[]> {
  const { id } = await accountOf(actor, named, { storage });
  let before: number | undefined;
  do {
    const { entries, next } = await storage.ledger.page(id, { before, limit: pageLength, type });
    yield entries;
    before = next ?? undefined;
  } while (before !== undefined);
}
