import { hashKey, longestKey } from '../../core/api-key.ts';
import { acceptsSecret } from '../../ports/key-secrets.ts';
import type { KnownKey } from '../../ports/keys.ts';
import type { Uses } from '../services.ts';

/** A key as somebody typed it, and the SHA-256 of that. */
export interface TypedKey extends KnownKey {
  readonly secretHash: string;
}

/** The key that a raw secret opens; undefined when there is none, or the secret works no more. */
export async function findBySecret(
  raw: string,
  { storage, clock }: Uses<'keys', 'clock'>,
): Promise<TypedKey | undefined> {
  if (raw.length > longestKey) return undefined;
  const secretHash = hashKey(raw.trim());
  const keyHash = (await storage.keys.keyOfSecret(secretHash)) ?? secretHash;
  const known = await storage.keys.findWithAccount(keyHash);
  if (known === undefined || !acceptsSecret(known.key, secretHash, clock.now())) return undefined;
  return { ...known, secretHash };
}
