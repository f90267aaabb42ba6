import { HeadgateError } from '../../core/errors.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { OperatorActor } from '../actor.ts';
import { makeChange } from '../make-change.ts';
import type { UsesToChange } from '../services.ts';
import { newToken, tokenHash } from './open-session.ts';

/** Keys that are looked through for one of the account. */
const mostKeys = 100_000;

/**
 * Makes a link that logs in with the newest management key of an account, and returns its code (docs/spec/dashboard.md#login).
 * @param input `life` is in milliseconds.
 * @throws HeadgateError `not_found` where the account has no management key that works.
 */
export async function createLinkForAccount(
  actor: OperatorActor,
  input: { readonly account: string | undefined; readonly life: number },
  services: UsesToChange<'accounts' | 'keys' | 'sessions'>,
): Promise<string> {
  const { storage, clock } = services;
  const account = await accountOf(actor, input.account, services);
  const now = clock.now();
  const keys = await storage.keys.listByPrefix('', mostKeys);
  const key = keys.find(
    ({ kind, accountId, disabled, expiresAt }) =>
      kind === 'management' &&
      accountId === account.id &&
      !disabled &&
      (expiresAt === null || expiresAt > now),
  );
  if (key === undefined) {
    throw new HeadgateError(
      'not_found',
      'This account has no management key that works; create one with "headgate keys create --management".',
    );
  }
  const code = newToken();
  const expiresAt = now + input.life;
  await makeChange(
    { actor, action: 'session.link', accountId: account.id, after: () => ({ key: key.label }) },
    services,
    ({ sessions }) => sessions.createLink({ codeHash: tokenHash(code), keyHash: key.hash, expiresAt }, now),
  );
  return code;
}
