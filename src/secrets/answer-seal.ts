import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
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
