import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { request as requestHttp } from '../util/node-http.ts';
import type { ProxyAddress } from '../util/proxy-address.ts';

/** Why a proxy led nowhere. Its message names no address and no credential. */
export class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly code = 'HEADGATE_PROXY';
}

/** What undici's connector is made by; given, because undici loads it from a file of its own where memory counts. */
export type BuildConnector = typeof buildConnector;

/** Where and how to connect. */
export interface ProxyRoute {
  readonly proxy: ProxyAddress;
  /** Milliseconds for the way through the proxy, and again for TLS behind it. */
  readonly timeout: number;
  /** `HOST:PORT` to ask the proxy for in place of the target's name. */
  readonly authority?: string;
}

/** Connects through a proxy by CONNECT; what follows is TLS with the target itself where it wants that. */
export function tunnelConnector(build: BuildConnector, route: ProxyRoute): buildConnector.connector {
  const overSocket = build({ timeout: route.timeout, allowH2: false });
  return (options, callback) => {
    const { hostname, port, protocol } = options;
    const name = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
    const authority = route.authority ?? `${name}:${port || (protocol === 'https:' ? 443 : 80)}`;
    const tunnelled = (error: Error | null, socket: Socket | undefined) => {
      if (socket === undefined) callback(error ?? new ProxyFailure('The proxy gave no connection.'), null);
      else if (protocol !== 'https:') callback(null, socket);
      else {
        // A name is what the certificate is for, whatever address the proxy was asked for.
        const servername = options.servername || hostname;
        overSocket({ ...options, servername, httpSocket: socket }, callback);
      }
    };
    openTunnel(route, authority, tunnelled);
  };
}

function openTunnel(
  { proxy, timeout }: ProxyRoute,
  authority: string,
  done: (error: Error | null, socket?: Socket) => void,
): void {
  const url = new URL(proxy.origin);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(proxy.authorization !== undefined && { 'proxy-authorization': proxy.authorization.reveal() }),
    },
    agent: false,
    ...(url.protocol === 'https:' && { ALPNProtocols: ['http/1.1'] }),
    signal: AbortSignal.timeout(timeout),
  });
  request.once('connect', ({ statusCode }, socket: Socket) => {
    if (statusCode === 200) return done(null, socket);
    socket.destroy();
    done(new ProxyFailure(`The proxy refused the connection with status ${statusCode}.`));
  });
  request.once('response', ({ statusCode }) => {
    request.destroy();
    done(new ProxyFailure(`The proxy refused the connection with status ${statusCode}.`));
  });
  request.once('error', (cause) => done(new ProxyFailure('The proxy could not be reached.', { cause })));
  request.end();
}

/** Connects to a proxy that is asked for whole addresses, as plain HTTP wants it. */
export function plainProxyConnector(build: BuildConnector, timeout: number): buildConnector.connector {
  const connect = build({ timeout, allowH2: false });
  return (options, callback) => {
    connect(options, (...result) => {
      const [cause] = result;
      if (cause === null) callback(...result);
      else callback(new ProxyFailure('The proxy could not be reached.', { cause }), null);
    });
  };
}
