import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { forwarded, publicAddress, type WayRules } from './public-address.ts';

/** What shows how a request of a browser arrived. */
export interface BrowserArrival {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress' | 'localPort' | 'localAddress'>;
}

/** Whether the browser came by HTTPS: as the operator says, to this process, or to a proxy that is trusted. */
export function isSecure(arrival: BrowserArrival, rules: WayRules): boolean {
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
