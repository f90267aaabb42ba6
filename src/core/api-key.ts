import { hash, randomBytes } from 'node:crypto';

/** What every generated key begins with (accounts-and-limits 1.4). */
const keyPrefix = 'sk-hg-v1-';

/** Characters of the longest key: no need to hash what cannot be one. */
export const longestKey = 512;

const secretBytes = 32;
const shownCharacters = 3;
const shortestShown = 32;

/** A new raw API key: the prefix and 64 lowercase hex digits. It exists nowhere else: show it once. */
export function createRawKey(): string {
  return keyPrefix + randomBytes(secretBytes).toString('hex');
}

/** The public id of a key: lowercase hex SHA-256 of the whole raw text, prefix included. */
export function hashKey(raw: string): string {
  return hash('sha256', raw, 'hex');
}

/**
 * What may be shown of a key: the prefix, the first three characters of its secret, `...` and the last
 * three. A key an operator chose has no prefix; one too short to spare six characters shows none.
 */
export function keyLabel(raw: string): string {
  const prefix = raw.startsWith(keyPrefix) ? keyPrefix : '';
  const secret = raw.slice(prefix.length);
  if (secret.length < shortestShown) return `${prefix}...`;
  return `${prefix}${secret.slice(0, shownCharacters)}...${secret.slice(-shownCharacters)}`;
}

const rawKeys = new RegExp(`${keyPrefix}[0-9a-f]{${shortestShown},}`, 'g');

/** A text with the label of each generated key in its place: people put keys where their hash belongs, or a model's name. */
export function hideKeys(text: string): string {
  return text.replaceAll(rawKeys, (raw) => keyLabel(raw));
}
