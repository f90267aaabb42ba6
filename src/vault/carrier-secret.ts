import { randomBytes } from 'node:crypto';
import type { CredentialStore } from '../ports/credentials.ts';
import type { MasterKey } from '../secrets/master-key.ts';
import { Secret } from '../util/secret.ts';
import type { KeySource } from './key-source.ts';
import { seal, unseal } from './sealing.ts';

/** It belongs to the installation and to no account. */
const owner = { id: 'carriers', accountId: '' };
const length = 32;
/** Two processes may begin together, hardly more at once. */
const maxTries = 5;

type Store = Pick<CredentialStore, 'carrierSecret' | 'replaceCarrierSecret'>;

/**
 * The installation's secret for what clients carry between requests, 32 bytes; the first start makes and stores it, sealed
 * under the master key. Where its master key is missing it is another one for as long as this process lives: what
 * clients carry is then not readable, and readable again once the key is back.
 */
export async function openCarrierSecret(keys: KeySource, store: Store): Promise<Buffer> {
  for (let tries = 1; ; tries += 1) {
    const stored = await store.carrierSecret();
    if (stored !== undefined) {
      const key = await keys.find(stored.masterKeyId);
      return key === undefined ? randomBytes(length) : bytesOf(unseal(stored, owner, key));
    }
    const made = new Secret(randomBytes(length).toString('base64'));
    if (await store.replaceCarrierSecret(undefined, seal(made, owner, await keys.current()))) {
      return bytesOf(made);
    }
    if (tries === maxTries) throw new Error('The secret for carried reasoning cannot be stored.');
  }
}

/** Seals the secret under a new master key; one whose key is lost is removed, so that the next start makes another. */
export async function resealCarrierSecret(keys: KeySource, store: Store, next: MasterKey): Promise<void> {
  const stored = await store.carrierSecret();
  if (stored === undefined || stored.masterKeyId === next.id) return;
  const old = await keys.find(stored.masterKeyId);
  const sealed = old && seal(unseal(stored, owner, old), owner, next);
  if (!(await store.replaceCarrierSecret(stored, sealed)))
    throw new Error('another rotation began; its key counts');
}

function bytesOf(secret: Secret): Buffer {
  return Buffer.from(secret.reveal(), 'base64');
}
