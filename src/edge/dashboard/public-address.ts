import { type Arrival, isFromProxy, type TrustedProxies } from '../client-address.ts';

/** What says where browsers reach the server. */
export interface WayRules {
  readonly trustProxy: TrustedProxies;
  /** `server.public_url`: without query, fragment and a slash at its end. */
  readonly publicUrl?: string | undefined;
}

/** The address that the operator names; undefined where browsers decide it. */
export function publicAddress({ publicUrl }: WayRules): URL | undefined {
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
export function forwarded(
  arrival: Arrival,
  header: 'x-forwarded-proto' | 'x-forwarded-host' | 'x-forwarded-prefix',
  { trustProxy }: WayRules,
): string | undefined {
  const written = arrival.headers[header];
  if (written === undefined || !isFromProxy(arrival, trustProxy)) return undefined;
  return String(written);
}
