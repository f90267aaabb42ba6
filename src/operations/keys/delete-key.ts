import type { ApiKey } from '../../ports/keys.ts';
import type { Actor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { Uses } from '../services.ts';
import { findKey, noSuchKey } from './find-key.ts';

/** Deletes a key for good and returns what it was. Refuses like `findKey`. */
export async function deleteKey(
  actor: Actor,
  hash: string,
  services: Uses<'keys', 'clock' | 'invalidate'>,
): Promise<ApiKey> {
  const before = await findKey(actor, hash, services);
  const { hash: id, accountId } = before;
  const outdates = { kind: 'callers', keyHash: id } as const;
  const deleted = await makeChange(
    { actor, action: 'key.delete', id, accountId, before, outdates },
    services,
    ({ keys }) => keys.delete(id, services.clock.now()),
  );
  if (!deleted) throw noSuchKey(actor, hash);
  return before;
}
