import { HeadgateError } from '../../core/errors.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import { type Actor, refusal } from '../actor.ts';
import type { Uses } from '../services.ts';

const mostLooked = 100_000;

/**
 * The credential with an id, among those the actor may see: a key sees those of its account. The operator sees all and
 * may give the beginning of an id.
 * @throws HeadgateError `not_found`; `invalid_request` when several ids begin so.
 */
export async function findCredential(
  actor: Actor,
  id: string,
  { storage }: Uses<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  if (actor.kind === 'key') {
    const found = await storage.credentials.find(id.toLowerCase());
    if (found?.accountId === actor.account.id) return found;
    throw noSuchCredential(actor, id);
  }
  const found: ProviderCredential[] = [];
  for (const { id: accountId } of await storage.accounts.list()) {
    const { credentials } = await storage.credentials.list({ accountId, offset: 0, limit: mostLooked });
    found.push(...credentials.filter((one) => one.id.startsWith(id.toLowerCase())));
  }
  const [one, ...others] = found;
  if (one === undefined) throw noSuchCredential(actor, id);
  if (others.length === 0) return one;
  throw new HeadgateError(
    'invalid_request',
    `"${id}" is the beginning of ${others.length + 1} ids; give more characters of it`,
  );
}

/** The refusal of an id no credential has that the actor may see. */
export function noSuchCredential(actor: Actor, id: string): HeadgateError {
  return refusal(
    actor,
    new HeadgateError('not_found', 'There is no such credential in this account.'),
    `no credential has an id that begins with "${id}"; see "headgate byok list"`,
  );
}
