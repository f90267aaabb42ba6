import type { CredentialStore } from '../ports/credentials.ts';
import type { RenewableKeySource } from './key-source.ts';
import { seal, unseal } from './sealing.ts';

const atATime = 100;

/** What a rotation did. */
export interface Rotation {
  /** Secrets that were sealed anew. */
  readonly rotated: number;
  readonly masterKeyId: string;
}

/**
 * Seals every stored secret under a new master key while servers run (operations.md 2, `secrets rotate`): first
 * the new key is where all can find it, then nothing is taken under the old ones any more, then one secret after the
 * other changes over, and only when none is left are the old keys gone. Broken off, it can be run again. Where nothing is
 * stored nothing is renewed, but a key that was lost is no longer asked for.
 * @throws Error for the operator, among others when another rotation took over or a secret cannot be opened; then
 * every key that is needed is still there.
 */
export async function rotateMasterKey(keys: RenewableKeySource, store: CredentialStore): Promise<Rotation> {
  const current = await store.masterKeyId();
  const isLost = current !== undefined && (await keys.find(current)) === undefined;
  if ((await store.sealedUnderOthers('', 1)).length === 0) return takeUp(keys, store, isLost);
  // A new key beside a lost one would hide the loss, and be overwritten by who brings the lost one back.
  if (isLost)
    throw new Error(`credentials are sealed under master key ${current}, which is not here: ${remedyOfLoss}`);
  const { key, replaced } = await keys.renew();
  await store.useMasterKey(key.id);
  let rotated = 0;
  for (;;) {
    const stored = await store.sealedUnderOthers(key.id, atATime);
    if (stored.length === 0) break;
    for (const { id, accountId, sealed } of stored) {
      const old = await keys.find(sealed.masterKeyId);
      if (old === undefined) {
        throw new Error(
          `credential ${id} is sealed under master key ${sealed.masterKeyId}, which is not here; delete the credential or bring the key back`,
        );
      }
      const secret = open(() => unseal(sealed, { id, accountId }, old), id);
      // False when it was changed or deleted meanwhile: the next look will tell.
      if (await store.replaceSealed(id, sealed, seal(secret, { id, accountId }, key))) rotated += 1;
    }
  }
  if ((await store.masterKeyId()) !== key.id) throw new Error('another rotation began; its key counts');
  await keys.retire(replaced);
  return { rotated, masterKeyId: key.id };
}

/** What an operator can do about a master key that is gone. */
export const remedyOfLoss = 'bring it back, or remove all credentials and run "headgate secrets rotate"';

async function takeUp(keys: RenewableKeySource, store: CredentialStore, isLost: boolean): Promise<Rotation> {
  const { id } = await keys.current();
  if (isLost) await store.useMasterKey(id);
  return { rotated: 0, masterKeyId: id };
}

function open<Value>(unsealed: () => Value, id: string): Value {
  try {
    return unsealed();
  } catch (cause) {
    throw new Error(`credential ${id} cannot be decrypted; delete it`, { cause });
  }
}
