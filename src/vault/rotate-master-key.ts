import type { CredentialStore } from '../ports/credentials.ts';
import { resealCarrierSecret } from './carrier-secret.ts';
import type { RenewableKeySource } from './key-source.ts';
import { seal, unseal } from './sealing.ts';

const atATime = 100;

/** The result of a rotation. */
export interface Rotation {
  /** Secrets that were sealed again. */
  readonly rotated: number;
  readonly masterKeyId: string;
}

/**
 * Seals every stored secret with a new master key while servers run (docs/spec/operations.md#master-keys, `secrets
 * rotate`). First the new key is published, then no new secret uses the old keys, then the secrets change over one by
 * one; the old keys are removed last. An interrupted rotation can be repeated. Without any stored secret nothing is
 * renewed, but a lost key is no longer needed.
 * @throws Error for the operator, for example when another rotation took over or a secret cannot be opened; then
 * every needed key still exists.
 */
export async function rotateMasterKey(keys: RenewableKeySource, store: CredentialStore): Promise<Rotation> {
  const current = await store.masterKeyId();
  const isLost = current !== undefined && (await keys.find(current)) === undefined;
  if ((await store.sealedUnderOthers('', 1)).length === 0) return takeUp(keys, store, isLost);
  // A new key beside a lost one would hide the loss, and be overwritten when the lost one is restored.
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
      // False when it was changed or deleted meanwhile; the next pass handles it.
      if (await store.replaceSealed(id, sealed, seal(secret, { id, accountId }, key))) rotated += 1;
    }
  }
  await resealCarrierSecret(keys, store, key);
  if ((await store.masterKeyId()) !== key.id) throw new Error('another rotation began; its key counts');
  await keys.retire(replaced);
  return { rotated, masterKeyId: key.id };
}

/** What an operator can do about a lost master key. */
export const remedyOfLoss = 'bring it back, or remove all credentials and run "headgate secrets rotate"';

async function takeUp(keys: RenewableKeySource, store: CredentialStore, isLost: boolean): Promise<Rotation> {
  const current = await keys.current();
  if (isLost) await store.useMasterKey(current.id);
  await resealCarrierSecret(keys, store, current);
  return { rotated: 0, masterKeyId: current.id };
}

function open<Value>(unsealed: () => Value, id: string): Value {
  try {
    return unsealed();
  } catch (cause) {
    throw new Error(`credential ${id} cannot be decrypted; delete it`, { cause });
  }
}
