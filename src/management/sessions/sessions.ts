import { hash, randomBytes } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { DashboardSession, Principal } from '../../ports/dashboard-sessions.ts';
import type { KnownKey } from '../../ports/keys.ts';
import { listsAddress, networkOf } from '../../util/address-list.ts';
import { LinkedMap } from '../../util/linked-map.ts';
import { accountOf } from '../accounts/account-of.ts';
import { type KeyActor, keyActor, type OperatorActor } from '../actor.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { findBySecret } from '../keys/keys.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';

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

/**
 * Makes a link that logs in once with a management key, and returns its code (docs/spec/dashboard.md#login).
 * @param life Milliseconds until it expires.
 */
export async function createLink(
  keyHash: string,
  life: number,
  { storage, clock }: Uses<'sessions', 'clock'>,
): Promise<string> {
  const code = newToken();
  const now = clock.now();
  await storage.sessions.createLink({ codeHash: tokenHash(code), keyHash, expiresAt: now + life }, now);
  return code;
}

/** Milliseconds a link works where nothing else is asked. */
export const usualLinkLife = 15 * 60_000;

/** The address that logs in. Its code is in the fragment, which browsers send to nobody. */
export function loginAddress(url: string, code: string): string {
  return `${url.replace(/\/$/, '')}/#login=${code}`;
}

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

/** Ends sessions of one key (docs/spec/dashboard.md#sessions). */
export async function endSessions(
  actor: KeyActor,
  sessions: readonly DashboardSession[],
  entries: SessionEntries,
  services: UsesToChange<'sessions'>,
): Promise<void> {
  for (const session of sessions) {
    const now = services.clock.now();
    const { isUnnoted, count } = entries.count('session.delete', actor.keyHash, actor.address, now);
    await makeChange(
      {
        actor,
        action: 'session.delete',
        id: shownId(session),
        accountId: actor.account.id,
        ...(count !== undefined && { after: () => ({ count }) }),
        isUnnoted,
      },
      services,
      (stores) => stores.sessions.delete(session.id),
    );
  }
}

const hour = 3_600_000;
/** Entries of their own that repeated actions get before they share some. */
const single = 10;
/** Networks of one key that are counted apart in an hour. */
const mostNetworks = 20;
/** Counts that are remembered; the oldest go first. */
const mostCounts = 10_000;

interface Count {
  readonly hour: number;
  count: number;
}

/** What the audit log gets of one login or logout. */
interface SessionEntry {
  readonly isUnnoted: boolean;
  /** How many there were within the hour, where they share entries. */
  readonly count?: number;
}

/**
 * Keeps logins and logouts that repeat from filling the audit log (docs/spec/dashboard.md#login). Of one key and network
 * the first ten in an hour get an entry each; then the twentieth, the fortieth and so on get one with their number.
 * Counted in this process.
 */
export class SessionEntries {
  readonly #counts = new LinkedMap<string, Count>();

  /** Counts an action of a key. @param now Unix milliseconds. */
  count(action: string, keyHash: string, address: string | undefined, now: number): SessionEntry {
    const count = this.#add(this.#networkName(`${action} ${keyHash}`, networkOf(address ?? ''), now), now);
    if (count <= single) return { isUnnoted: false };
    const doublings = Math.log2(count / (2 * single));
    return { isUnnoted: !Number.isInteger(doublings) || doublings < 0, count };
  }

  /** Networks beyond the first ones of an hour are one. */
  #networkName(owner: string, network: string, now: number): string {
    const name = `${owner} ${network}`;
    if (this.#current(name, now) !== undefined) return name;
    const known = this.#current(owner, now)?.count ?? 0;
    if (known >= mostNetworks) return `${owner} others`;
    this.#add(owner, now);
    return name;
  }

  #add(name: string, now: number): number {
    const found = this.#current(name, now) ?? { hour: Math.floor(now / hour), count: 0 };
    found.count += 1;
    this.#counts.set(name, found);
    const { oldest } = this.#counts;
    if (this.#counts.size > mostCounts && oldest !== undefined) this.#counts.delete(oldest[0]);
    return found.count;
  }

  #current(name: string, now: number): Count | undefined {
    const found = this.#counts.get(name);
    return found?.hour === Math.floor(now / hour) ? found : undefined;
  }
}
