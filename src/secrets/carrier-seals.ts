import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceLength = 12;
const tagLength = 16;

/** Seals texts for one account. */
interface AccountSeal {
  /** Base64url, for a text. */
  seal(text: string): string;
  /** The text again; undefined when it was altered, or sealed for another account. */
  open(sealed: string): string | undefined;
}

/**
 * Creates the seals of what clients carry for the gateway between requests (docs/spec/messages.md#thoughts): AES-256-GCM
 * with the account as additional data.
 * @param secret The installation's secret for this purpose, 32 bytes, which outlives master keys.
 */
export function createCarrierSeals(secret: Buffer): (accountId: string) => AccountSeal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'carried-reasoning', 32));
  return (accountId) => ({
    seal(text) {
      const nonce = randomBytes(nonceLength);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagLength });
      cipher.setAAD(Buffer.from(accountId));
      const sealed = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(sealed).toString('base64url');
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < nonceLength + tagLength) return undefined;
      const nonce = bytes.subarray(0, nonceLength);
      const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagLength });
      decipher.setAAD(Buffer.from(accountId));
      decipher.setAuthTag(bytes.subarray(-tagLength));
      try {
        const text = decipher.update(bytes.subarray(nonceLength, -tagLength), undefined, 'utf8');
        return text + decipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  });
}
