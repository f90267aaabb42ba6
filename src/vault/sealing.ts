import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealedSecret } from '../ports/credentials.ts';
import type { MasterKey } from '../secrets/master-key.ts';
import { Secret } from '../util/secret.ts';

const algorithm = 'aes-256-gcm';
/** What a secret is for: each kind is sealed with a key of its own. */
export type SealPurpose = 'provider-credentials' | 'destination' | 'content';

const nonceLength = 12;
const tagLength = 16;

/** The owner of a secret: a sealed one opens for no other account and no other credential. */
export interface SecretOwner {
  readonly id: string;
  readonly accountId: string;
}

/** Encrypts a secret with a fresh nonce (docs/spec/credentials.md#secrets-and-labels). */
export function seal(
  secret: Secret,
  owner: SecretOwner,
  master: MasterKey,
  purpose: SealPurpose = 'provider-credentials',
): SealedSecret {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv(algorithm, master.derive(purpose), nonce, { authTagLength: tagLength });
  cipher.setAAD(boundTo(owner));
  const parts = [cipher.update(secret.reveal(), 'utf8'), cipher.final(), cipher.getAuthTag()];
  return {
    ciphertext: Buffer.concat(parts).toString('base64'),
    nonce: nonce.toString('base64'),
    masterKeyId: master.id,
  };
}

/**
 * Decrypts a secret. @throws Error when it was altered, belongs to another owner, or was sealed with another key.
 */
export function unseal(
  sealed: SealedSecret,
  owner: SecretOwner,
  master: MasterKey,
  purpose: SealPurpose = 'provider-credentials',
): Secret {
  const bytes = Buffer.from(sealed.ciphertext, 'base64');
  const nonce = Buffer.from(sealed.nonce, 'base64');
  const decipher = createDecipheriv(algorithm, master.derive(purpose), nonce, { authTagLength: tagLength });
  decipher.setAAD(boundTo(owner));
  decipher.setAuthTag(bytes.subarray(-tagLength));
  const text = Buffer.concat([decipher.update(bytes.subarray(0, -tagLength)), decipher.final()]);
  return new Secret(text.toString('utf8'));
}

function boundTo({ id, accountId }: SecretOwner): Buffer {
  return Buffer.from(JSON.stringify([accountId, id]));
}
