import { hash, randomBytes } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { DashboardSession, Principal } from '../../ports/dashboard-sessions.ts';
import type { KnownKey } from '../../ports/keys.ts';
import { listsAddress } from '../../util/address-list.ts';
import { keyActor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { findBySecret } from '../keys/find-by-secret.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import type { SessionEntries } from './session-entries.ts';

/** How long sessions last, in milliseconds: of management keys, and of inference keys. */
export interface SessionLimits {
  readonly idle: number;
  readonly max: number;
  readonly keyIdle: number;
  readonly keyMax: number;
}

/** Where somebody logs in from. */
export interface LoginPlace {
  readonly address: string | undefined;
  readonly userAgent: string | undefined;
  readonly requestId: string;
  /** The id of the session that the new one takes the place of. */
  readonly replaces?: string | undefined;
}

/** What holds for logins. */
export interface LoginRules {
  readonly limits: SessionLimits;
  /** Asked before a key that was typed is let in. @throws HeadgateError to refuse. */
  readonly admitKey: (known: KnownKey) => void;
  readonly entries: SessionEntries;
}

/** A new session with its two tokens, which are stored nowhere. */
export interface OpenedSession {
  readonly session: DashboardSession;
  /** For the cookie. */
  readonly token: string;
  /** For the header of every call. */
  readonly csrf: string;
}

/** Principals that one session may have. */
export const mostPrincipals = 8;

type Services = UsesToChange<'keys' | 'sessions'>;

/**
 * Logs in with a raw key (docs/spec/dashboard.md#login). The key itself is not kept.
 * @param earlier Principals of a session that this one replaces.
 * @throws HeadgateError `authentication`, the same for a key that is unknown, disabled or expired, or `permission_denied`
 *   for one that may not be used from this address.
 */
export async function openSession(
  raw: string,
  place: LoginPlace,
  rules: LoginRules,
  services: Services,
  earlier: readonly Principal[] = [],
): Promise<OpenedSession> {
  const known = await findBySecret(raw, services);
  return begin(known, place, rules, services, { earlier, secretHash: known?.secretHash });
}

/**
 * Logs in with the code of a link, which is used up by that (docs/spec/dashboard.md#login).
 * @throws HeadgateError `authentication`, or `permission_denied` for a key that may not be used from this address.
 */
export async function redeemLink(
  code: string,
  place: LoginPlace,
  rules: LoginRules,
  services: Services,
): Promise<OpenedSession> {
  const { sessions, keys } = services.storage;
  const keyHash = await sessions.takeLink(tokenHash(code), services.clock.now());
  const known = keyHash === undefined ? undefined : await keys.findWithAccount(keyHash);
  return begin(known, place, rules, services, { earlier: [] });
}

/**
 * Notes that the key which acts in a session was typed now (docs/spec/dashboard.md#typing-the-key-again).
 * @returns The session after that.
 * @throws HeadgateError `authentication` for any other key.
 */
export async function confirmKey(
  raw: string,
  session: DashboardSession,
  keyHash: string,
  { admitKey }: Pick<LoginRules, 'admitKey'>,
  services: Uses<'keys' | 'sessions', 'clock'>,
): Promise<DashboardSession> {
  const { storage, clock } = services;
  const typed = await findBySecret(raw, services);
  if (typed?.key.hash !== keyHash) throw notAccepted();
  admitKey(typed);
  const { secretHash } = typed;
  const typedAt = clock.now();
  const principals = session.principals.map((one) =>
    one.keyHash === keyHash ? { ...one, secretHash, typedAt } : one,
  );
  await storage.sessions.setPrincipals(session.id, principals);
  return { ...session, principals };
}

function notAccepted(): HeadgateError {
  return new HeadgateError('authentication', 'This key is not accepted: it is unknown, disabled or expired.');
}

/** What is stored of a token. */
export function tokenHash(token: string): string {
  return hash('sha256', token, 'hex');
}

/** 32 random bytes as text that fits cookies and addresses. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

async function begin(
  known: KnownKey | undefined,
  place: LoginPlace,
  { limits, admitKey, entries }: LoginRules,
  services: Services,
  {
    earlier,
    secretHash,
  }: { readonly earlier: readonly Principal[]; readonly secretHash?: string | undefined },
): Promise<OpenedSession> {
  const now = services.clock.now();
  if (known === undefined || !isLive(known, now)) throw notAccepted();
  const { key, account } = known;
  const actor = keyActor(known, place.address, place.requestId);
  await notingRefusal({ actor, action: 'session.create' }, services, async () => requireAddress(key, place));
  // The code of a link works once, so it is not refused because others log in with its key.
  if (secretHash !== undefined) admitKey(known);
  const owner = { keyHash: key.hash, kind: key.kind, accountId: account.id };
  const added = secretHash === undefined ? owner : { ...owner, secretHash, typedAt: now };
  const principals = [...earlier.filter(({ keyHash }) => keyHash !== key.hash), added];
  if (principals.length > mostPrincipals) {
    throw new HeadgateError(
      'invalid_request',
      `A session holds ${mostPrincipals} keys at most: log out first.`,
    );
  }
  const token = newToken();
  const csrf = newToken();
  const manages = principals.some(({ kind }) => kind === 'management');
  const session: DashboardSession = {
    id: tokenHash(token),
    csrf: tokenHash(csrf),
    principals,
    createdAt: now,
    usedAt: now,
    endsAt: now + (manages ? limits.max : limits.keyMax),
    idle: manages ? limits.idle : limits.keyIdle,
    address: place.address ?? null,
    browser: browserFamily(place.userAgent ?? ''),
  };
  const { browser } = session;
  const { isUnnoted, count } = entries.count('session.create', key.hash, place.address, now);
  await makeChange(
    {
      actor,
      action: 'session.create',
      id: shownId(session),
      accountId: account.id,
      after: () => ({ browser, ...(count !== undefined && { count }) }),
      isUnnoted,
    },
    services,
    async ({ sessions }) => {
      if (place.replaces !== undefined) await sessions.delete(place.replaces);
      await sessions.create(session);
    },
  );
  return { session, token, csrf };
}

/** A login obeys the list of addresses of its key like every call. */
function requireAddress({ allowedIps }: KnownKey['key'], { address }: LoginPlace): void {
  if (allowedIps === null || listsAddress(allowedIps, address)) return;
  throw new HeadgateError('permission_denied', 'The API key may not be used from this address.');
}

function isLive({ key, account }: KnownKey, now: number): boolean {
  return !key.disabled && !account.disabled && (key.expiresAt === null || key.expiresAt > now);
}

/** A session as lists, logs and the audit log name it: a part of the hash, with which nobody can do anything. */
export function shownId({ id }: Pick<DashboardSession, 'id'>): string {
  return id.slice(0, 12);
}

/** Order matters: most browsers also name those they descend from. */
const families = [
  [/edg(e|a|ios)?\//i, 'Edge'],
  [/opr\//i, 'Opera'],
  [/firefox\/|fxios\//i, 'Firefox'],
  [/chrome\/|crios\/|chromium\//i, 'Chrome'],
  [/safari\//i, 'Safari'],
] as const;

function browserFamily(userAgent: string): string {
  return families.find(([pattern]) => pattern.test(userAgent))?.[1] ?? 'Other';
}
