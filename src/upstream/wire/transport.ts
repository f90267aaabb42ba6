import type { Client as Connection, buildConnector as connectors, Dispatcher } from 'undici';
import { plainProxyConnector, tunnelConnector } from '../../network/proxy-connector.ts';
import { proxyOf } from '../../network/use-network.ts';
import type { OwnProxy, ProxyAddress } from '../../util/proxy-address.ts';
import { buildConnector, Client, decompress } from '../../util/undici.ts';
import { isCompressed } from './answer-body.ts';

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

/** Connection settings of one origin. Durations in milliseconds. */
interface PoolOptions {
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
class ConnectionPool {
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

type Handler = Dispatcher.DispatchHandler;
type Controller = Dispatcher.DispatchController;

/** Forwards the callbacks of a request's handler, and detects when its connection is free again. */
class PooledHandler implements Handler {
  #handler: Handler;
  readonly #onOver: (intact: boolean) => void;
  #onStale: (() => void) | undefined;
  #started = false;

  /**
   * @param onOver called once, at the end, with whether the connection can serve another request.
   * @param onStale called instead of the handler when the server had closed a kept connection before it read the
   * request; undefined for a new connection, which is never stale.
   */
  constructor(handler: Handler, onOver: (intact: boolean) => void, onStale: (() => void) | undefined) {
    this.#handler = handler;
    this.#onOver = onOver;
    this.#onStale = onStale;
  }

  onRequestStart(controller: Controller, context: unknown): void {
    this.#handler.onRequestStart?.(controller, context);
    this.#started = true;
  }

  onResponseStart(...args: Parameters<NonNullable<Handler['onResponseStart']>>): void {
    const [controller, , headers] = args;
    // A request that is being answered is not sent again, so a long answer need not keep it in memory.
    this.#onStale = undefined;
    if (isCompressed(headers)) this.#handler = unpacked(this.#handler, controller);
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(...args: Parameters<NonNullable<Handler['onResponseEnd']>>): void {
    this.#handler.onResponseEnd?.(...args);
    this.#onOver(true);
  }

  onResponseError(controller: Controller, error: Error): void {
    if (this.#onStale !== undefined && this.#started && closedByServer(error)) {
      this.#onOver(false);
      this.#onStale();
      return;
    }
    this.#handler.onResponseError?.(controller, error);
    // A request aborted before its first byte leaves the connection intact.
    this.#onOver(!this.#started);
  }
}

const closedCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

function closedByServer(error: Error): boolean {
  return 'code' in error && closedCodes.has(error.code);
}

/** Made when the first compressed answer comes: no provider is asked for one. */
let unpack: Dispatcher.DispatcherComposeInterceptor | undefined;

/**
 * A handler for an answer that is compressed although nobody asked for it, which passes on what it unpacks. It pauses with the
 * reader, so that what was sent small does not grow in memory. An encoding that is not known is passed on as it is.
 * @param controller Of the request, which has begun.
 */
function unpacked(handler: Handler, controller: Dispatcher.DispatchController): Handler {
  unpack ??= decompress({ skipErrorResponses: false });
  // It knows that the request has begun.
  const begun: Handler = {
    onRequestStart: () => undefined,
    onResponseStart: (...args) => handler.onResponseStart?.(...args),
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError: (...args) => handler.onResponseError?.(...args),
  };
  let unpacking: Handler = begun;
  const keep: Dispatcher['dispatch'] = (_options, inner) => {
    unpacking = inner;
    return true;
  };
  unpack(keep)({ path: '/', method: 'POST' }, begun);
  unpacking.onRequestStart?.(controller, {});
  return unpacking;
}
