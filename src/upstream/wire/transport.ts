import type { Dispatcher } from 'undici';
import { ConnectionPool } from './connection-pool.ts';

/** One POST as it goes out. */
export interface OutgoingRequest {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the answer may take minutes to arrive. */
  readonly streamed: boolean;
  /** Milliseconds a new connection may take. */
  readonly connectTimeout: number;
}

/** Carries requests to providers and keeps the connections. */
export interface Transport {
  /** How many origins there are connections to, or requests for. */
  readonly origins: number;
  /** Sends a request; everything that comes of it is told to `handler`. */
  send(request: OutgoingRequest, handler: Dispatcher.DispatchHandler): void;
  /** Lets what runs come to its end, then closes every connection. */
  close(): Promise<void>;
  /** Breaks off what runs, closes every connection, and refuses what comes later. */
  destroy(): Promise<void>;
}

/** Settings of a transport. */
export interface TransportOptions {
  /** Most connections to one origin at a time; more requests wait. Default 16384. */
  readonly maxConnections?: number;
  /** Milliseconds an unused connection is kept where the server does not say how long; default 4000. */
  readonly keepAlive?: number;
}

/**
 * A transport over HTTP/1.1 with one pool of kept connections for each origin, as long as it has any: accounts' own
 * credentials choose origins, so there is no end of them. Redirects are not followed.
 */
export function createTransport({
  maxConnections = 16_384,
  keepAlive = 4_000,
}: TransportOptions = {}): Transport {
  const pools = new Map<string, ConnectionPool>();
  let destroyed = false;

  function poolFor({ origin, connectTimeout }: OutgoingRequest): ConnectionPool {
    const key = `${origin} ${connectTimeout}`;
    const known = pools.get(key);
    if (known) return known;
    const letGo = () => {
      if (pool.unused) pools.delete(key);
    };
    // A request that met a stale connection goes out on the next one first.
    const onUnused = () => queueMicrotask(letGo);
    const pool = new ConnectionPool({ origin, maxConnections, connectTimeout, keepAlive, onUnused });
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
 * The client keeps a request's bytes until its answer is whole. In memory shared with others, as is usual, a kilobyte
 * would hold 64 of them for as long as a stream is open.
 */
function ownBytes(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}
