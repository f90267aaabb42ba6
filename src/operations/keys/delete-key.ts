import type { ApiKey } from '../../ports/keys.ts';
import type { Actor } from '../actor.ts';
import { keyLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { findKey, noSuchKey } from './find-key.ts';

/** Deletes a key for good and returns what it was. Refuses like `findKey`. */
export async function deleteKey(actor: Actor, hash: string, services: UsesToChange<'keys'>): Promise<ApiKey> {
  const action = 'key.delete';
  return notingRefusal({ actor, action, id: hash }, services, async () => {
    const before = await findKey(actor, hash, services);
    const { hash: id, accountId, workspaceId } = before;
    const outdates = { kind: 'callers', keyHash: id } as const;
    await makeChange(
      { actor, action, id, accountId, workspaceId, look: keyLook(id), outdates },
      services,
      async ({ keys }) => {
        if (!(await keys.delete(id, services.clock.now()))) throw noSuchKey(actor, hash);
      },
    );
    return before;
  });
}
