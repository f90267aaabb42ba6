import { hashKey, longestKey } from '../core/api-key.ts';
import { HeadgateError } from '../core/errors.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import type { Clock } from '../ports/clock.ts';
import type { Caller } from '../settlement/caller.ts';

const missing = 'No API key given. Send it in the header "Authorization: Bearer <API key>".';
const rejected = 'The API key is not accepted: it is unknown, disabled or expired.';

/**
 * Finds the caller of a request by its `Authorization` header (accounts-and-limits 2), at once when it is
 * known. What is wrong with a credential is not told apart.
 * @throws HeadgateError `authentication`.
 */
export function authenticate(
  authorization: string | undefined,
  callers: CallerDirectory,
  clock: Clock,
): Caller | Promise<Caller> {
  const token = /^bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new HeadgateError('authentication', missing);
  if (token.length > longestKey) throw new HeadgateError('authentication', rejected);
  return findAccepted(hashKey(token), callers, clock);
}

/**
 * A caller who was let in before, as known now: since then a body was read, which a client can draw out for minutes,
 * and a key that was disabled or deleted meanwhile must not be of use.
 * @throws HeadgateError `authentication`.
 */
export function authenticateAgain(
  { key }: Caller,
  callers: CallerDirectory,
  clock: Clock,
): Caller | Promise<Caller> {
  return findAccepted(key.hash, callers, clock);
}

/**
 * Asked before a body is read, as management routes ask for the other kind (accounts-and-limits 3).
 * @throws HeadgateError `permission_denied` for a management key.
 */
export function requireInferenceKey({ key }: Caller): void {
  if (key.kind !== 'management') return;
  throw new HeadgateError(
    'permission_denied',
    'A management key cannot run inference. Use an inference key.',
  );
}

function findAccepted(hash: string, callers: CallerDirectory, clock: Clock): Caller | Promise<Caller> {
  const known = callers.find(hash);
  return known instanceof Promise ? known.then((caller) => accept(caller, clock)) : accept(known, clock);
}

function accept(caller: Caller | undefined, clock: Clock): Caller {
  if (caller === undefined || !isLive(caller, clock.now()))
    throw new HeadgateError('authentication', rejected);
  return caller;
}

function isLive({ key, account }: Caller, now: number): boolean {
  return !key.disabled && !account.disabled && (key.expiresAt === null || key.expiresAt > now);
}
