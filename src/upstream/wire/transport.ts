import type { Dispatcher } from 'undici';
import { proxyOf } from '../../network/use-network.ts';
import type { OwnProxy, ProxyAddress } from '../../util/proxy-address.ts';
import { ConnectionPool } from './connection-pool.ts';

/** One POST request in its wire form. */
export interface OutgoingRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the answer may take minutes to arrive. */
  readonly streamed: boolean;
  /** Timeout in milliseconds for a new connection. */
  readonly connectTimeout: number;
  /** How its provider says that it is reached. */
  readonly proxy?: OwnProxy;
}

/** Sends requests to providers and keeps the connections. */
export interface Transport {
  /** How many origins have connections or requests. */
  readonly origins: number;
  /** Sends a request and reports its progress to `handler`. */
  send(request: OutgoingRequest, handler: Dispatcher.DispatchHandler): void;
  /** Waits for running requests, then closes every connection. */
  close(): Promise<void>;
  /** Aborts running requests, closes every connection, and refuses later requests. */
  destroy(): Promise<void>;
}

/** Settings of a transport. */
export interface TransportOptions {
  /** Limit of connections to one origin; further requests wait. Default 16384. */
  readonly maxConnections?: number;
  /** Milliseconds for which an unused connection is kept where the server does not say; default 4000. */
  readonly keepAlive?: number;
  /** Milliseconds after which a connection serves no further request; default 50,000. */
  readonly longestLife?: number;
}

/**
 * Creates a transport over HTTP/1.1 with one pool of kept connections for each origin. A pool exists only while it
 * has connections or requests, because accounts' own credentials can name any number of origins. Redirects are not
 * followed.
 */
export function createTransport({
  maxConnections = 16_384,
  keepAlive = 4_000,
  longestLife = 50_000,
}: TransportOptions = {}): Transport {
  const pools = new Map<string, ConnectionPool>();
  let destroyed = false;
  const proxies = new WeakMap<ProxyAddress, number>();
  let numbered = 0;

  /** Two proxies at one address may differ in what is secret. */
  function numberOf(own: OwnProxy): number {
    if (own === 'none') return 0;
    const number = proxies.get(own) ?? ++numbered;
    proxies.set(own, number);
    return number;
  }

  function poolFor({ origin, connectTimeout, proxy: own }: OutgoingRequest): ConnectionPool {
    const key =
      own === undefined ? `${origin} ${connectTimeout}` : `${origin} ${connectTimeout} ${numberOf(own)}`;
    const known = pools.get(key);
    if (known) return known;
    const letGo = () => {
      if (pool.unused) pools.delete(key);
    };
    // A request that met a stale connection is first sent again.
    const onUnused = () => queueMicrotask(letGo);
    const proxy = proxyOf(origin, own);
    const limits = { maxConnections, connectTimeout, keepAlive, longestLife };
    const pool = new ConnectionPool({ origin, proxy, ...limits, onUnused });
    pools.set(key, pool);
    if (destroyed) void pool.destroy();
    return pool;
  }

  return {
    get origins() {
      return pools.size;
    },
    send(request, handler) {
      const { path, headers } = request;
      const body = request.streamed ? ownBytes(request.body) : request.body;
      poolFor(request).dispatch({ method: 'POST', path, headers, body }, handler);
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
    },
    async destroy() {
      destroyed = true;
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

/**
 * The client keeps a request's bytes until its answer is complete. In Node's shared buffer pool a kilobyte would keep
 * 64 KiB in memory while a stream is open.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
