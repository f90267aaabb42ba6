import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Seals answers that are kept for later, each under the key it is found by. */
export interface AnswerSeal {
  /** Base64. */
  seal(bytes: Uint8Array, key: string): string;
  /** The bytes again; undefined when they were altered, moved to another key, or sealed under another master key. */
  open(sealed: string, key: string): Buffer | undefined;
}

/** Creates the seal of cached answers (docs/spec/caching.md#what-is-kept): AES-256-GCM under a key derived for this alone. */
export function createAnswerSeal(masterKey: MasterKey): AnswerSeal {
  const secret = masterKey.derive('cached-answers');
  return {
    seal(bytes, key) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, secret, nonce, { authTagLength: tagLength });
      cipher.setAAD(Buffer.from(key));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]).toString(
        'base64',
      );
    },
    open(sealed, key) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < nonceLength + tagLength) return undefined;
      const decipher = createDecipheriv(algorithm, secret, bytes.subarray(0, nonceLength), {
        authTagLength: tagLength,
      });
      decipher.setAAD(Buffer.from(key));
      decipher.setAuthTag(bytes.subarray(-tagLength));
      try {
        return Buffer.concat([decipher.update(bytes.subarray(nonceLength, -tagLength)), decipher.final()]);
      } catch {
        return undefined;
      }
    },
  };
}

/**
 * Creates pseudonyms of end users that may leave the gateway: a keyed hash that includes the account, so that it
 * reveals neither the identifier nor a link between accounts (docs/spec/accounts.md#end-users). Without an end user the
 * account itself is the identity.
 * @param masterKey The installation's secret; only a key derived for this one purpose is used.
 */
export function createPseudonymizer(
  masterKey: MasterKey,
): (accountId: string, endUser: string | undefined) => string {
  const key = masterKey.derive('end-user-pseudonym');
  const ofAccounts = new Map<string, string>();
  const hash = (text: string) => createHmac('sha256', key).update(text).digest('hex').slice(0, 40);
  return (accountId, endUser) => {
    if (endUser !== undefined) return hash(JSON.stringify([accountId, endUser]));
    const known = ofAccounts.get(accountId);
    if (known !== undefined) return known;
    const made = hash(JSON.stringify([accountId]));
    ofAccounts.set(accountId, made);
    return made;
  };
}
