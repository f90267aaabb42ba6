import type { Client as Connection, buildConnector as connectors, Dispatcher } from 'undici';
import { plainProxyConnector, tunnelConnector } from '../../network/proxy-connector.ts';
import type { ProxyAddress } from '../../util/proxy-address.ts';
import { PooledHandler } from './pooled-handler.ts';
import { buildConnector, Client } from './undici-client.ts';

/** Connection settings of one origin. Durations in milliseconds. */
export interface PoolOptions {
  readonly origin: string;
  /** Through which it is reached; undefined means directly. */
  readonly proxy?: ProxyAddress | undefined;
  /** Requests above this number wait for a free connection. */
  readonly maxConnections: number;
  readonly connectTimeout: number;
  /** How long an unused connection is kept when the server does not say. */
  readonly keepAlive: number;
  /** How long a connection is used at all, so that a changed answer of the DNS is followed. */
  readonly longestLife: number;
  /** Called whenever the last connection has closed and no request waits; the next request opens another. */
  readonly onUnused?: () => void;
}

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly handler: Dispatcher.DispatchHandler;
  readonly resent: boolean;
}

/**
 * The connections to one origin, with one request on each at a time. Free ones are on a stack, so taking one costs
 * the same with ten open streams and with ten thousand. Connections at the bottom stay unused and expire. A closed
 * connection leaves no entry behind.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #connect: connectors.connector;
  /** A proxy that is asked for whole addresses. */
  readonly #plainProxy: ProxyAddress | undefined;
  readonly #clients = new Set<Connection>();
  /** When each open connection was made. */
  readonly #connected = new WeakMap<Connection, number>();
  readonly #free: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  #onServed: (() => void) | undefined;
  #destroyed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { origin, proxy, connectTimeout: timeout } = options;
    if (proxy === undefined) this.#connect = buildConnector({ timeout });
    else if (origin.startsWith('https:')) this.#connect = tunnelConnector(buildConnector, { proxy, timeout });
    else {
      this.#connect = plainProxyConnector(buildConnector, timeout);
      this.#plainProxy = proxy;
    }
  }

  /** Whether the pool has neither a connection nor a request. */
  get unused(): boolean {
    return this.#clients.size === 0 && this.#waiting.length === 0;
  }

  /** Sends a request now or as soon as a connection is free. */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const sent =
      this.#plainProxy === undefined ? options : askedOf(this.#plainProxy, this.#options.origin, options);
    this.#dispatch({ options: sent, handler, resent: false });
  }

  #dispatch(request: Waiting): void {
    const { options, handler, resent } = request;
    // A request that failed on a stale connection goes out on a new one, because the other kept ones may be stale
    // too.
    const opened = resent ? this.#open() : undefined;
    const kept = opened === undefined ? this.#free.pop() : undefined;
    const client = opened ?? kept ?? this.#open();
    if (client === undefined) {
      this.#waiting.push(request);
      return;
    }
    const again = kept === undefined || resent ? undefined : this.#resending(options, handler);
    client.dispatch(options, new PooledHandler(handler, this.#releasing(client), again));
  }

  /** Resolves when all requests so far have ended and all connections are closed. */
  async close(): Promise<void> {
    if (this.#waiting.length > 0) {
      await new Promise<void>((resolve) => {
        this.#onServed = resolve;
      });
    }
    await Promise.all([...this.#clients].map((client) => client.close()));
  }

  /** Aborts whatever runs or waits, and refuses later requests. */
  async destroy(): Promise<void> {
    this.#destroyed = true;
    for (const request of this.#waiting.splice(0)) this.#dispatch(request);
    await Promise.all([...this.#clients].map((client) => client.destroy()));
  }

  /**
   * The function to call when a client has served. Created here, so that its closure does not keep the request in
   * memory.
   */
  #releasing(client: Connection): (intact: boolean) => void {
    return (intact) => {
      if (intact && !client.closed && this.#isFresh(client)) this.#free.push(client);
      else this.#drop(client);
      this.#serveNext();
    };
  }

  #isFresh(client: Connection): boolean {
    const since = this.#connected.get(client);
    return since !== undefined && performance.now() - since < this.#options.longestLife;
  }

  /**
   * Sends a request once more. A server may close an idle connection while the request is being written; most likely
   * it has read nothing. But a request that crashes the server must not be repeated on every kept connection.
   */
  #resending(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): () => void {
    return () => this.#dispatch({ options, handler, resent: true });
  }

  #open(): Connection | undefined {
    if (this.#clients.size >= this.#options.maxConnections && !this.#destroyed) return undefined;
    const client = new Client(this.#plainProxy?.origin ?? this.#options.origin, {
      connect: this.#connect,
      keepAliveTimeout: this.#options.keepAlive,
      // An attempt has its own timeouts.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    client.on('connect', () => this.#connected.set(client, performance.now()));
    client.on('disconnect', () => this.#disconnected(client));
    this.#clients.add(client);
    // A request on a destroyed client fails immediately.
    if (this.#destroyed) client.destroy().catch(() => undefined);
    return client;
  }

  #serveNext(): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#dispatch(next);
    if (this.#waiting.length === 0) this.#onServed?.();
  }

  #disconnected(client: Connection): void {
    this.#connected.delete(client);
    const position = this.#free.indexOf(client);
    // A client that is not free still has a request to finish.
    if (position === -1) return;
    this.#free.splice(position, 1);
    this.#drop(client);
  }

  #drop(client: Connection): void {
    this.#clients.delete(client);
    client.close().catch(() => undefined);
    if (this.unused) this.#options.onUnused?.();
  }
}

/** The same request in the form for a proxy of plain HTTP. */
function askedOf(
  { authorization }: ProxyAddress,
  origin: string,
  options: Dispatcher.DispatchOptions,
): Dispatcher.DispatchOptions {
  const headers = {
    ...(options.headers as Readonly<Record<string, string>>),
    host: new URL(origin).host,
    ...(authorization !== undefined && { 'proxy-authorization': authorization.reveal() }),
  };
  return { ...options, path: `${origin}${options.path}`, headers };
}
