import { HeadgateError } from '../../core/errors.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { type Actor, refusal } from '../actor.ts';
import type { Uses } from '../services.ts';
import { type KeyWithSpend, withSpend } from './key-with-spend.ts';

const mostListed = 100_000;

/**
 * The key with a hash, among those the actor may see: a key sees the inference keys of its account, since management
 * keys are issued by the operator (docs/spec/accounts.md#management-keys). The operator sees all and may give the
 * beginning of a hash. The hash of a later secret leads to its key.
 * @throws HeadgateError `not_found`; `invalid_request` when several hashes begin so.
 */
export async function findKey(actor: Actor, hash: string, { storage }: Uses<'keys'>): Promise<ApiKey> {
  if (actor.kind === 'key') {
    const found = await storage.keys.findWithAccount((await storage.keys.keyOfSecret(hash)) ?? hash);
    if (found?.key.accountId === actor.account.id && found.key.kind === 'inference') return found.key;
    throw noSuchKey(actor, hash);
  }
  const prefix = (await storage.keys.keyOfSecret(hash)) ?? hash;
  const [key, ...others] = await storage.keys.listByPrefix(prefix, mostListed);
  if (key === undefined) throw noSuchKey(actor, hash);
  if (others.length === 0) return key;
  throw new HeadgateError(
    'invalid_request',
    `"${hash}" is the beginning of ${others.length + 1} hashes; give more characters of it`,
  );
}

/** Shows a key with what was charged to it. Refuses like `findKey`. */
export async function readKey(
  actor: Actor,
  hash: string,
  services: Uses<'keys' | 'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  return withSpend(await findKey(actor, hash, services), services);
}

/** The refusal of a hash no key has that the actor may see. */
export function noSuchKey(actor: Actor, hash: string): HeadgateError {
  return refusal(
    actor,
    new HeadgateError('not_found', 'There is no such key in this account.'),
    `no key has a hash that begins with "${hash}"; see "headgate keys list"`,
  );
}
