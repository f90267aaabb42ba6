import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';

/** What shows how a request of a browser arrived. */
export interface BrowserArrival {
  readonly headers: IncomingHttpHeaders;
  readonly socket: Pick<Socket, 'remoteAddress' | 'localPort' | 'localAddress'>;
}

/** Whether the browser came by HTTPS: to this process, or to a proxy that is trusted. */
export function isSecure({ headers, socket }: BrowserArrival, trustProxy: boolean): boolean {
  if ('encrypted' in socket && socket.encrypted === true) return true;
  return (
    trustProxy &&
    String(headers['x-forwarded-proto'] ?? '')
      .split(',')[0]
      ?.trim() === 'https'
  );
}

/**
 * The name of the cookie. Without HTTPS it bears the port: browsers keep one jar for all ports of a host
 * (docs/spec/dashboard.md#sessions).
 */
export function cookieName(arrival: BrowserArrival, trustProxy: boolean): string {
  return isSecure(arrival, trustProxy) ? '__Host-headgate' : `headgate-${arrival.socket.localPort ?? 0}`;
}

/** The token in a request's cookie. */
export function readCookie(arrival: BrowserArrival, trustProxy: boolean): string | undefined {
  const name = cookieName(arrival, trustProxy);
  for (const part of (arrival.headers.cookie ?? '').split(';')) {
    const [key, value] = part.trim().split('=');
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}

/** The header that sets the cookie; an empty token takes it away. */
export function setCookie(token: string, arrival: BrowserArrival, trustProxy: boolean): string {
  const secure = isSecure(arrival, trustProxy) ? ' Secure;' : '';
  const end = token === '' ? '; Max-Age=0' : '';
  return `${cookieName(arrival, trustProxy)}=${token}; Path=/;${secure} HttpOnly; SameSite=Strict${end}`;
}
