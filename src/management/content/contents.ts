import { type ContentRecord, unpackRecord } from '../../content/content-record.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { ContentFilter } from '../../ports/content.ts';
import { isoTimeOrNull } from '../../util/iso-time.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { isOwn, reachesOwn } from '../keys/own-keys.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

/** Contents that are deleted in one transaction. */
const deletedAtOnce = 5_000;

/**
 * What was said in a call of the account. Each time it is read leaves an entry in the audit log.
 * @throws HeadgateError `not_found` where nothing is kept of it, whatever the reason.
 */
export async function readContent(
  actor: Actor,
  generationId: string,
  services: UsesToChange<'accounts' | 'contents' | 'keys', 'contentVault'>,
): Promise<ContentRecord> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const now = services.clock.now();
  const found = await services.storage.contents.find(accountId, generationId, now);
  if (found === undefined || !(await mayRead(actor, found.keyHash, services))) throw notKept();
  const record = unpackRecord(await services.contentVault.open(found));
  const { workspaceId } = found;
  await makeChange(
    { actor, action: 'content.read', id: generationId, accountId, workspaceId },
    services,
    async () => undefined,
  );
  return record;
}

/** Whether an actor may read what was said with a key: an editor, with keys of its own person alone. */
async function mayRead(actor: Actor, keyHash: string, { storage }: Uses<'keys'>): Promise<boolean> {
  if (!reachesOwn(actor, 'content')) return true;
  const known = await storage.keys.findWithAccount(keyHash);
  return known !== undefined && isOwn(actor, known.key.creatorUserId);
}

/** Deletes what was said in a call at once. @throws HeadgateError `not_found`. */
export async function deleteContent(
  actor: Actor,
  generationId: string,
  services: UsesToChange<'accounts' | 'contents'>,
): Promise<void> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  await makeChange(
    { actor, action: 'content.delete', id: generationId, accountId },
    services,
    async ({ contents }) => {
      if (!(await contents.deleteOne(accountId, generationId))) throw notKept();
    },
  );
}

/** Deletes what was said in all calls of the account that fit. @returns How many. */
export async function deleteContents(
  actor: Actor,
  filter: Omit<ContentFilter, 'accountId'>,
  services: UsesToChange<'accounts' | 'contents'>,
): Promise<number> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const { keyHash = null, workspaceId = null, before = null } = filter;
  const after = (deleted: number) => ({ deleted, key_hash: keyHash, before: isoTimeOrNull(before) });
  let deleted = 0;
  for (let some = deletedAtOnce; some === deletedAtOnce; deleted += some) {
    some = await makeChange(
      { actor, action: 'content.delete', accountId, workspaceId, after },
      services,
      ({ contents }) => contents.delete({ ...filter, accountId }, deletedAtOnce),
    );
  }
  return deleted;
}

function notKept(): HeadgateError {
  return new HeadgateError('not_found', 'Nothing is kept of what was said in such a call of this account.');
}
