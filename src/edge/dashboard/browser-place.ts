import { isIP } from 'node:net';
import { HeadgateError } from '../../core/errors.ts';
import { isFromProxy } from '../client-address.ts';
import { forwarded, publicAddress, type WayRules } from './public-address.ts';
import { type BrowserArrival, isSecure } from './session-cookie.ts';

/** What decides from where the dashboard may be used. */
export interface PlaceRules extends WayRules {
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
export function requireOwnPage(arrival: BrowserArrival, rules: PlaceRules): void {
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
export function requirePrivateWay(arrival: BrowserArrival, rules: PlaceRules): void {
  if (isSafeWay(arrival, rules) || rules.dashboard.allowInsecureHttp) return;
  throw new HeadgateError(
    'permission_denied',
    'Logging in would send your key unencrypted. Use HTTPS, or an SSH tunnel to localhost.',
  );
}

/** Whether nobody on a network can read what a browser sends. */
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
