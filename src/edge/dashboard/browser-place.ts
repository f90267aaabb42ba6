import { isIP } from 'node:net';
import { HeadgateError } from '../../core/errors.ts';
import { type BrowserArrival, isSecure } from './session-cookie.ts';

/** What decides from where the dashboard may be used. */
export interface PlaceRules {
  readonly trustProxy: boolean;
  readonly dashboard: { readonly allowInsecureHttp: boolean };
}

/** The host a browser asked for, with its port, as it stands in addresses. */
export function askedHost({ headers }: BrowserArrival, trustProxy: boolean): string {
  const forwarded = trustProxy ? headers['x-forwarded-host'] : undefined;
  const named = Array.isArray(forwarded) ? forwarded[0] : forwarded?.split(',')[0]?.trim();
  return (named ?? headers.host ?? '').toLowerCase();
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
export function requireOwnPage(arrival: BrowserArrival, { trustProxy }: PlaceRules): void {
  const host = askedHost(arrival, trustProxy);
  if (!trustProxy && isLoopback(arrival.socket.localAddress ?? '') && !isLoopback(host)) {
    throw new HeadgateError(
      'permission_denied',
      'This listener serves this machine alone: open the dashboard at localhost, or set server.trust_proxy behind a proxy.',
    );
  }
  const { origin, 'sec-fetch-site': site } = arrival.headers;
  const own = `${isSecure(arrival, trustProxy) ? 'https' : 'http'}://${host}`;
  if ((site !== undefined && site !== 'same-origin') || (origin !== undefined && origin !== own)) {
    throw new HeadgateError('permission_denied', 'Only pages of the dashboard itself may ask this.');
  }
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
export function isSafeWay(arrival: BrowserArrival, { trustProxy }: Pick<PlaceRules, 'trustProxy'>): boolean {
  return isSecure(arrival, trustProxy) || isLoopback(askedHost(arrival, trustProxy));
}
