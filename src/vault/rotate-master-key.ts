import type { ContentStore } from '../ports/content.ts';
import type { CredentialStore } from '../ports/credentials.ts';
import type { DestinationStore } from '../ports/destinations.ts';
import { resealCarrierSecret } from './carrier-secret.ts';
import type { RenewableKeySource } from './key-source.ts';
import { type SealPurpose, seal, unseal } from './sealing.ts';

const atATime = 100;

/** The result of a rotation. */
export interface Rotation {
  /** Secrets that were sealed again. */
  readonly rotated: number;
  readonly masterKeyId: string;
}

/** The stores whose secrets are sealed. */
export interface SealedStores {
  readonly credentials: CredentialStore;
  readonly destinations: Pick<DestinationStore, 'sealedUnderOthers' | 'replaceSealed'>;
  readonly contents: Pick<ContentStore, 'sealedUnderOthers' | 'replaceSealed' | 'dropSpareKeys'>;
}

/** Secrets of one kind. */
interface SealedKind {
  readonly what: string;
  readonly purpose: SealPurpose;
  readonly store: SealedStores['destinations'];
}

/**
 * Seals every stored secret with a new master key while servers run (docs/spec/operations.md#master-keys, `secrets
 * rotate`). First the new key is published, then no new secret uses the old keys, then the secrets change over one by
 * one; the old keys are removed last. An interrupted rotation can be repeated. Without any stored secret nothing is
 * renewed, but a lost key is no longer needed.
 * @throws Error for the operator, for example when another rotation took over or a secret cannot be opened; then
 * every needed key still exists.
 */
export async function rotateMasterKey(keys: RenewableKeySource, stores: SealedStores): Promise<Rotation> {
  const { credentials, destinations, contents } = stores;
  const kinds: readonly SealedKind[] = [
    { what: 'credential', purpose: 'provider-credentials', store: credentials },
    { what: 'destination', purpose: 'destination', store: destinations },
    { what: 'content key', purpose: 'content', store: contents },
  ];
  const current = await credentials.masterKeyId();
  const isLost = current !== undefined && (await keys.find(current)) === undefined;
  if (isLost) await contents.dropSpareKeys();
  const stored = await Promise.all(kinds.map(({ store }) => store.sealedUnderOthers('', 1)));
  if (stored.every((some) => some.length === 0)) return takeUp(keys, credentials, isLost);
  // A new key beside a lost one would hide the loss, and be overwritten when the lost one is restored.
  if (isLost)
    throw new Error(`secrets are sealed under master key ${current}, which is not here: ${remedyOfLoss}`);
  const { key, replaced } = await keys.renew();
  await credentials.useMasterKey(key.id);
  let rotated = 0;
  for (const kind of kinds) rotated += await reseal(keys, kind, key);
  await resealCarrierSecret(keys, credentials, key);
  if ((await credentials.masterKeyId()) !== key.id) throw new Error('another rotation began; its key counts');
  await keys.retire(replaced);
  return { rotated, masterKeyId: key.id };
}

/** Seals all secrets of a kind with a key. @returns How many. */
async function reseal(
  keys: RenewableKeySource,
  { what, purpose, store }: SealedKind,
  key: Awaited<ReturnType<RenewableKeySource['current']>>,
): Promise<number> {
  let rotated = 0;
  for (;;) {
    const stored = await store.sealedUnderOthers(key.id, atATime);
    if (stored.length === 0) return rotated;
    for (const { id, accountId, sealed } of stored) {
      const old = await keys.find(sealed.masterKeyId);
      if (old === undefined) {
        throw new Error(
          `${what} ${id} is sealed under master key ${sealed.masterKeyId}, which is not here; delete the ${what} or bring the key back`,
        );
      }
      const secret = open(() => unseal(sealed, { id, accountId }, old, purpose), `${what} ${id}`);
      // False when it was changed or deleted meanwhile; the next pass handles it.
      if (await store.replaceSealed(id, sealed, seal(secret, { id, accountId }, key, purpose))) rotated += 1;
    }
  }
}

/** What an operator can do about a lost master key. */
export const remedyOfLoss =
  'bring it back, or remove all credentials, destinations and contents and run "headgate secrets rotate"';

async function takeUp(keys: RenewableKeySource, store: CredentialStore, isLost: boolean): Promise<Rotation> {
  const current = await keys.current();
  if (isLost) await store.useMasterKey(current.id);
  await resealCarrierSecret(keys, store, current);
  return { rotated: 0, masterKeyId: current.id };
}

function open<Value>(unsealed: () => Value, which: string): Value {
  try {
    return unsealed();
  } catch (cause) {
    throw new Error(`${which} cannot be decrypted; delete it`, { cause });
  }
}
