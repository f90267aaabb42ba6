import type { KeyChange } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { listsAddress } from '../../util/address-list.ts';
import type { Actor } from '../actor.ts';
import { keyLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { findKey, noSuchKey } from './find-key.ts';
import { type KeyWithSpend, withSpend } from './key-with-spend.ts';
import { requireFittingSettings } from './require-fitting-settings.ts';

/** A key and what of it changes; what is absent stays. `change` is read once the key was found. */
export interface ChangedKey {
  /** For the operator the beginning of a hash is enough. */
  readonly hash: string;
  readonly change: KeyChange;
  /** Confirms a change after which the actor's own key is refused. */
  readonly force?: boolean;
}

/**
 * Changes a key. Effective at once in this process, within seconds in others.
 * @throws HeadgateError like `findKey`; `invalid_request` when the actor would lock itself out and does not confirm it.
 */
export async function changeKey(
  actor: Actor,
  input: ChangedKey,
  services: UsesToChange<'keys' | 'ledger'>,
): Promise<KeyWithSpend> {
  const action = 'key.update';
  return notingRefusal({ actor, action, id: input.hash }, services, async () => {
    const { hash: id, accountId, workspaceId, kind } = await findKey(actor, input.hash, services);
    const { change, force } = input;
    requireFittingSettings(actor, kind, change);
    if (force !== true && locksOut(actor, id, change)) {
      throw malformed('force', 'must be true for a change after which this very key is refused');
    }
    const outdates = { kind: 'callers', keyHash: id } as const;
    const changed = await makeChange(
      { actor, action, id, accountId, workspaceId, look: keyLook(id), outdates },
      services,
      async ({ keys }) => {
        const key = await keys.update(id, change, services.clock.now());
        // Deleted since it was found.
        if (key === undefined) throw noSuchKey(actor, input.hash);
        return key;
      },
    );
    return withSpend(changed, services);
  });
}

/** Whether the actor's own key is refused after a change of the key with this hash. */
function locksOut(actor: Actor, hash: string, { disabled, allowedIps = null }: KeyChange): boolean {
  if (actor.kind === 'operator' || actor.keyHash !== hash) return false;
  return disabled === true || (allowedIps !== null && !listsAddress(allowedIps, actor.address));
}
