import { HeadgateError } from '../../core/errors.ts';
import type { Account } from '../../ports/accounts.ts';
import type { Actor, KeyActor } from '../actor.ts';
import type { Uses } from '../services.ts';

/**
 * The account an operation works on: a key's own, or for the operator the one named or the only one there is.
 * @param named The id of an account. Only a key of an account that operates the installation can name another one.
 * @throws HeadgateError `not_found` when there is none, `invalid_request` when several exist and none was named.
 */
export async function accountOf(
  actor: Actor,
  named: string | undefined,
  { storage }: Uses<'accounts'>,
): Promise<Account> {
  if (actor.kind === 'key') return accountOfKey(actor, named, storage);
  const wanted = named ?? actor.account;
  if (wanted !== undefined) {
    const account = await storage.accounts.find(wanted);
    if (account !== undefined) return account;
    throw noSuchAccount(wanted);
  }
  const [only, ...others] = await storage.accounts.list();
  if (only === undefined) {
    throw new HeadgateError(
      'not_found',
      'there is no account yet; run "headgate serve" once or "headgate accounts create --name NAME"',
    );
  }
  if (others.length === 0) return only;
  throw new HeadgateError(
    'invalid_request',
    `there are ${others.length + 1} accounts; name one with --account (see "headgate accounts list")`,
  );
}

async function accountOfKey(
  { account, operates }: KeyActor,
  named: string | undefined,
  storage: Uses<'accounts'>['storage'],
): Promise<Account> {
  if (named === undefined || named === account.id) return account;
  const found = operates === true ? await storage.accounts.find(named) : undefined;
  if (found === undefined) throw new HeadgateError('not_found', 'There is no such account.');
  return found;
}

/** The refusal of an account id nobody has. */
export function noSuchAccount(id: string): HeadgateError {
  return new HeadgateError('not_found', `no account "${id}"; see "headgate accounts list"`);
}
