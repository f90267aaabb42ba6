import { hashKey, longestKey } from '../core/api-key.ts';
import { HeadgateError } from '../core/errors.ts';
import { type Arrival, clientAddress, isFromProxy, isPrivate, plainAddress } from '../http/client-address.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import { acceptsSecret, type HasSecrets } from '../ports/key-secrets.ts';
import type { Caller } from '../settlement/caller.ts';
import { listsAddress } from '../util/address-list.ts';
import type { EdgeServices, WorkloadAuthentication } from './edge-services.ts';

const missing =
  'No API key given. Send it in the header "Authorization: Bearer <API key>", or in "x-api-key".';
const rejected = 'The API key is not accepted: it is unknown, disabled or expired.';

/** What it takes to tell who sent a request. */
export type AuthenticationServices = Pick<
  EdgeServices,
  'callers' | 'clock' | 'config' | 'failedAuthentications' | 'log' | 'workloads'
>;

/**
 * Finds the caller of a request by its `Authorization` header, or by `x-api-key` (docs/spec/accounts.md#authentication),
 * at once when it is known. Every reason why a key does not work gets the same answer.
 * @throws HeadgateError `authentication`, `permission_denied` for a key that may not be used from this address, or
 *   `platform_rate_limit` for an unknown one after too many from there.
 */
export function authenticate(arrival: Arrival, services: AuthenticationServices): Caller | Promise<Caller> {
  const [bearer, plain] = tokensOf(arrival);
  const token = bearer ?? plain;
  if (token === undefined) throw new HeadgateError('authentication', missing);
  if (bearer === undefined || plain === undefined || bearer === plain) return find(token, arrival, services);
  return findEither(bearer, plain, arrival, services);
}

function tokensOf({ headers }: Arrival): readonly [bearer: string | undefined, plain: string | undefined] {
  const { authorization, 'x-api-key': named } = headers;
  const bearer = /^bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1];
  return [bearer, typeof named === 'string' && named !== '' ? named : undefined];
}

/** Whether a request brings a key, in one header or the other. */
export function bringsKey({ headers }: Arrival): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

function find(token: string, arrival: Arrival, services: AuthenticationServices): Caller | Promise<Caller> {
  const { workloads } = services;
  if (workloads?.takes(token) === true) return findByToken(token, arrival, services, workloads);
  if (token.length > longestKey) throw new HeadgateError('authentication', rejected);
  const hash = hashKey(token);
  admitLookup(hash, arrival, services);
  return authenticateSecret(hash, arrival, services);
}

/** The caller that a signed token of a platform stands for. What is not accepted counts as a failure of its address. */
function findByToken(
  token: string,
  arrival: Arrival,
  services: AuthenticationServices,
  workloads: WorkloadAuthentication,
): Caller | Promise<Caller> {
  const { failedAuthentications, clock } = services;
  const found = workloads.find(token, () =>
    failedAuthentications.admitLookup(addressOf(arrival, services), clock.now()),
  );
  if (!(found instanceof Promise)) return accept(found, arrival, services);
  return found.then(
    (caller) => accept(caller, arrival, services),
    (error: unknown) => {
      const isFailure = error instanceof HeadgateError && error.code === 'authentication';
      if (isFailure) failedAuthentications.failed(addressOf(arrival, services), clock.now());
      throw error;
    },
  );
}

/** SDKs send both headers when both of their variables are set, of which one may be of another service. */
async function findEither(
  bearer: string,
  plain: string,
  arrival: Arrival,
  services: AuthenticationServices,
): Promise<Caller> {
  if (services.workloads?.takes(bearer) === true) {
    try {
      return await find(bearer, arrival, services);
    } catch (error) {
      if (error instanceof HeadgateError && error.code === 'authentication')
        return find(plain, arrival, services);
      throw error;
    }
  }
  if (bearer.length <= longestKey) admitLookup(hashKey(bearer), arrival, services);
  const isKnown =
    bearer.length <= longestKey && (await services.callers.findBySecret(hashKey(bearer))) !== undefined;
  return find(isKnown || plain.length > longestKey ? bearer : plain, arrival, services);
}

/**
 * The caller of a request again, as known now. Since the first time a body was read, which a client can draw out for
 * minutes, and a key that was disabled or deleted meanwhile must not be of use.
 * @throws HeadgateError `authentication`, or `permission_denied` for a key that may not be used from this address.
 */
export function authenticateAgain(
  { key }: Caller,
  arrival: Arrival,
  services: AuthenticationServices,
): Caller | Promise<Caller> {
  const again = authenticateHash(key.hash, arrival, services);
  if (again instanceof Promise) return again.then((caller) => acceptSecret(caller, arrival, services));
  return again.key.secrets === undefined ? again : acceptSecret(again, arrival, services);
}

/** Refuses a key whose secret has ended since it was let in. */
function acceptSecret(caller: Caller, arrival: Arrival, services: AuthenticationServices): Caller {
  const now = services.clock.now();
  const sent = tokensOf(arrival).filter((token) => token !== undefined && token.length <= longestKey);
  const works = sent.some((token) => acceptsSecret(caller.key, hashKey(token ?? ''), now));
  return accept(works ? caller : undefined, arrival, services);
}

/**
 * When the secret that a request brings ends, Unix milliseconds; undefined where it has no end of its own
 * (docs/spec/accounts.md#rotation).
 */
export function secretEnd({ secrets = [] }: HasSecrets, arrival: Arrival): number | undefined {
  const sent = tokensOf(arrival).flatMap((token) =>
    token === undefined || token.length > longestKey ? [] : [hashKey(token)],
  );
  return secrets.find(({ hash }) => sent.includes(hash))?.endsAt ?? undefined;
}

/**
 * The caller with a key of this hash, as known now.
 * @throws HeadgateError `authentication`, or `permission_denied` for a key that may not be used from this address.
 */
export function authenticateHash(
  hash: string,
  arrival: Arrival,
  services: AuthenticationServices,
): Caller | Promise<Caller> {
  const known = services.callers.find(hash);
  return known instanceof Promise
    ? known.then((caller) => accept(caller, arrival, services))
    : accept(known, arrival, services);
}

/** @throws HeadgateError `platform_rate_limit` for an unknown key when too many of its address failed. */
function admitLookup(hash: string, arrival: Arrival, services: AuthenticationServices): void {
  const { callers, clock, failedAuthentications } = services;
  if (callers.knows(hash)) return;
  failedAuthentications.admitLookup(addressOf(arrival, services), clock.now());
}

function addressOf(arrival: Arrival, { config }: AuthenticationServices): string | undefined {
  return clientAddress(arrival, config.server.trustProxy);
}

/**
 * The caller with a secret of this hash, as known now.
 * @throws HeadgateError `authentication`, or `permission_denied` for a key that may not be used from this address.
 */
export function authenticateSecret(
  hash: string,
  arrival: Arrival,
  services: AuthenticationServices,
): Caller | Promise<Caller> {
  const known = services.callers.findBySecret(hash);
  return known instanceof Promise
    ? known.then((caller) => accept(caller, arrival, services))
    : accept(known, arrival, services);
}

function accept(caller: Caller | undefined, arrival: Arrival, services: AuthenticationServices): Caller {
  const now = services.clock.now();
  if (caller === undefined || !isLive(caller, now)) {
    services.failedAuthentications.failed(addressOf(arrival, services), now);
    throw new HeadgateError('authentication', rejected);
  }
  if (caller.key.allowedIps !== null) requireAddress(caller.key.allowedIps, arrival, services);
  return caller;
}

function requireAddress(
  allowed: readonly string[],
  arrival: Arrival,
  services: AuthenticationServices,
): void {
  const { trustProxy } = services.config.server;
  warnOfProxy(arrival, services);
  if (listsAddress(allowed, clientAddress(arrival, trustProxy))) return;
  throw new HeadgateError('permission_denied', 'The API key may not be used from this address.');
}

/** Servers whose log has the warning. */
const warned = new WeakSet<CallerDirectory>();

/** Behind a proxy that is not trusted, every client has the address of the proxy. Says so once. */
function warnOfProxy(arrival: Arrival, { callers, config, log }: AuthenticationServices): void {
  if (arrival.headers['x-forwarded-for'] === undefined || warned.has(callers)) return;
  const { trustProxy } = config.server;
  if (isFromProxy(arrival, trustProxy)) return;
  const peer = plainAddress(arrival.socket.remoteAddress ?? '');
  if (peer === undefined || !isPrivate(peer)) return;
  warned.add(callers);
  const how = trustProxy === false ? 'is off' : 'does not include it';
  log.warn(
    { proxy: peer },
    `keys have allowed_ips and requests come through a proxy, but server.trust_proxy ${how}: the lists are compared with the address of the proxy`,
  );
}

function isLive({ key, account }: Caller, now: number): boolean {
  return !key.disabled && !account.disabled && (key.expiresAt === null || key.expiresAt > now);
}
