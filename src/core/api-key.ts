import { hash, randomBytes } from 'node:crypto';

/** The prefix of every generated key (docs/spec/accounts.md#api-keys). */
const keyPrefix = 'sk-hg-v1-';

/** The longest key in characters; a longer text need not be hashed. */
export const longestKey = 512;

const secretBytes = 32;
const shownCharacters = 3;
const minSecretLength = 32;

/** Creates a raw API key: the prefix and 64 lowercase hex digits. It is stored nowhere, so show it once. */
export function createRawKey(): string {
  return keyPrefix + randomBytes(secretBytes).toString('hex');
}

/** The public id of a key: lowercase hex SHA-256 of the whole raw text, prefix included. */
export function hashKey(raw: string): string {
  return hash('sha256', raw, 'hex');
}

/**
 * The printable part of a key: the prefix, the first three characters of its secret, `...` and the last three. A key
 * chosen by an operator has no prefix; one that is too short shows no characters.
 */
export function keyLabel(raw: string): string {
  const prefix = raw.startsWith(keyPrefix) ? keyPrefix : '';
  const secret = raw.slice(prefix.length);
  if (secret.length < minSecretLength) return `${prefix}...`;
  return `${prefix}${secret.slice(0, shownCharacters)}...${secret.slice(-shownCharacters)}`;
}

const rawKeys = new RegExp(`${keyPrefix}[0-9a-f]{${minSecretLength},}`, 'g');

/**
 * Replaces each generated key in a text by its label, because people put keys where a hash or a model's name belongs.
 */
export function hideKeys(text: string): string {
  return text.replaceAll(rawKeys, (raw) => keyLabel(raw));
}
