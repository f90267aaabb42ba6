import type { IncomingHttpHeaders } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { HeadgateError } from '../../core/errors.ts';
import { type Arrival, isFromProxy, type TrustedProxies } from '../../http/client-address.ts';

/** What decides from where the dashboard may be used. */
export interface DeviceRules extends WayRules {
  readonly dashboard: { readonly allowInsecureHttp: boolean };
}

/** The host a browser asked for, with its port, as it stands in addresses. */
export function askedHost(arrival: BrowserArrival, rules: WayRules): string {
  const named = forwarded(arrival, 'x-forwarded-host', rules)?.split(',')[0]?.trim();
  return (named ?? arrival.headers.host ?? '').toLowerCase();
}

/** Whether a host with its port names this machine from itself. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}

/**
 * Refuses a page of another site that a browser was tricked into asking on its behalf: by the host it asked for, and by
 * what the browser says of the page (docs/spec/dashboard.md#where-it-may-be-used).
 * @throws HeadgateError `permission_denied`.
 */
export function requireOwnPage(arrival: BrowserArrival, rules: DeviceRules): void {
  const address = publicAddress(rules);
  const host = askedHost(arrival, rules);
  const isOurs = isLoopback(host) || host === address?.host;
  const isLocal = isLoopback(arrival.socket.localAddress ?? '');
  if (isLocal && !isOurs && !isFromProxy(arrival, rules.trustProxy)) {
    throw new HeadgateError(
      'permission_denied',
      'This listener serves this machine alone: open the dashboard at localhost, or set server.public_url or server.trust_proxy behind a proxy.',
    );
  }
  const { origin, 'sec-fetch-site': site } = arrival.headers;
  const own = address?.origin ?? `${isSecure(arrival, rules) ? 'https' : 'http'}://${host}`;
  if ((site === undefined || site === 'same-origin') && (origin === undefined || origin === own)) return;
  throw new HeadgateError(
    'permission_denied',
    address === undefined
      ? 'Only pages of the dashboard itself may ask this.'
      : `Only pages of the dashboard itself may ask this: open it at ${address.href} (server.public_url).`,
  );
}

/**
 * Refuses a login whose key would cross a network as plain text.
 * @throws HeadgateError `permission_denied`.
 */
export function requirePrivateWay(arrival: BrowserArrival, rules: DeviceRules): void {
  if (isSafeWay(arrival, rules) || rules.dashboard.allowInsecureHttp) return;
  throw new HeadgateError(
    'permission_denied',
    'Logging in would send your key unencrypted. Use HTTPS, or an SSH tunnel to localhost.',
  );
}

/** Whether what a browser sends cannot be read on a network. */
export function isSafeWay(arrival: BrowserArrival, rules: WayRules): boolean {
  const host = publicAddress(rules)?.host ?? askedHost(arrival, rules);
  return isSecure(arrival, rules) || isLoopback(host);
}

/**
 * Where the interface is, with a slash at its end, where the dashboard has a port of its own; null where it is beside the
 * dashboard. A proxy in front leads to both.
 */
export function interfaceRoot(
  arrival: BrowserArrival,
  rules: WayRules & { readonly port: number; readonly dashboard: { readonly port?: number | undefined } },
): string | null {
  if (rules.dashboard.port === undefined) return null;
  if (rules.publicUrl !== undefined) return `${rules.publicUrl}/`;
  const name = askedHost(arrival, rules).replace(/:\d+$/, '');
  return `${isSecure(arrival, rules) ? 'https' : 'http'}://${name}:${rules.port}/`;
}

/** What shows how a request of a browser arrived. */
export interface BrowserArrival {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress' | 'localPort' | 'localAddress'>;
}

/** Whether the browser came by HTTPS: as the operator says, to this process, or to a proxy that is trusted. */
function isSecure(arrival: BrowserArrival, rules: WayRules): boolean {
  const address = publicAddress(rules);
  if (address !== undefined) return address.protocol === 'https:';
  if ('encrypted' in arrival.socket && arrival.socket.encrypted === true) return true;
  return forwarded(arrival, 'x-forwarded-proto', rules)?.split(',')[0]?.trim() === 'https';
}

/**
 * The name of the cookie. Without HTTPS it bears the port: browsers keep one jar for all ports of a host
 * (docs/spec/dashboard.md#sessions).
 */
export function cookieName(arrival: BrowserArrival, rules: WayRules): string {
  if (isSecure(arrival, rules)) return '__Host-headgate';
  const address = publicAddress(rules);
  const port = address === undefined ? (arrival.socket.localPort ?? 0) : address.port || 80;
  return `headgate-${port}`;
}

/** The token in a request's cookie. */
export function readCookie(arrival: BrowserArrival, rules: WayRules): string | undefined {
  const name = cookieName(arrival, rules);
  for (const part of (arrival.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=');
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** The header that sets the cookie; an empty token takes it away. */
export function setCookie(token: string, arrival: BrowserArrival, rules: WayRules): string {
  const secure = isSecure(arrival, rules) ? ' Secure;' : '';
  const end = token === '' ? '; Max-Age=0' : '';
  return `${cookieName(arrival, rules)}=${token}; Path=/;${secure} HttpOnly; SameSite=Strict${end}`;
}

/** What says where browsers reach the server. */
interface WayRules {
  readonly trustProxy: TrustedProxies;
  /** `server.public_url`: without query, fragment and a slash at its end. */
  readonly publicUrl?: string | undefined;
}

/** The address that the operator names; undefined where browsers decide it. */
function publicAddress({ publicUrl }: WayRules): URL | undefined {
  return publicUrl === undefined ? undefined : new URL(publicUrl);
}

/**
 * The path that a proxy takes away before it asks this server, as `server.public_url` or `X-Forwarded-Prefix` says; empty
 * where it takes none. Only what can stand in an address as it is.
 */
export function basePath(arrival: Arrival, rules: WayRules): string {
  const named = publicAddress(rules)?.pathname ?? forwarded(arrival, 'x-forwarded-prefix', rules);
  const text = typeof named === 'string' ? named.replace(/\/+$/, '') : '';
  return /^(\/[\w.~-]+)+$/.test(text) ? text : '';
}

/** What the proxies in front say of a request in one of its headers; undefined where no proxy that is trusted sent it. */
function forwarded(
  arrival: Arrival,
  header: 'x-forwarded-proto' | 'x-forwarded-host' | 'x-forwarded-prefix',
  { trustProxy }: WayRules,
): string | undefined {
  const written = arrival.headers[header];
  if (written === undefined || !isFromProxy(arrival, trustProxy)) return undefined;
  return String(written);
}
