import { isIP, type LookupFunction, type Socket } from 'node:net';
import type undici from 'undici';
import { HeadgateError } from '../core/errors.ts';
import { tunnelConnector } from '../network/proxy-connector.ts';
import { isLoopback } from '../network/proxy-rules.ts';
import type { ProxyAddress } from '../util/proxy-address.ts';
import { buildConnector, Client, errors } from '../util/undici.ts';
import { type CheckedTarget, checkTarget, type ResolveName } from './check-target.ts';
import { isDeniedAddress } from './denied-address.ts';
import { EgressFailure } from './egress-failure.ts';
import { type EgressSettings, egressRules } from './egress-rules.ts';
import { acceptedCodings, readEgressBody } from './read-body.ts';

/** A request to an address that a client or a model named. */
export interface EgressRequest {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent to the first address alone, never along a redirect to another origin. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** Bytes of the decoded body; the operator's limit by default. */
  readonly maxBody?: number;
  /** The same for bodies of some content types; undefined for the others. */
  readonly maxBodyOf?: (contentType: string) => number | undefined;
  /** Only requests without a body follow redirects; 0 hands them to the caller. Default 5. */
  readonly maxRedirects?: number;
  /** Checks each address before it is asked. @throws HeadgateError when it may not be. */
  readonly checkHop?: (url: URL) => void;
  /** Milliseconds in all, and between pieces of the answer, in place of the guard's own. */
  readonly timeout?: number;
  /** Through which this one is sent, in place of the guard's own. */
  readonly proxy?: ProxyAddress | undefined;
}

/** What came back. */
export interface EgressAnswer {
  /** Where the last redirect led. */
  readonly url: string;
  readonly status: number;
  /** Lowercase names; of repeated headers the first value. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer whose body is read as it arrives. */
export interface EgressStream extends Omit<EgressAnswer, 'body'> {
  /** Fails with an EgressFailure beyond the limit of bytes; the connection closes when it is read or cancelled. */
  readonly body: ReadableStream<Uint8Array>;
}

/** Milliseconds that parts of a request may take. */
export interface EgressTimeouts {
  readonly connect: number;
  readonly headers: number;
  readonly total: number;
}

const usualTimeouts: EgressTimeouts = { connect: 5_000, headers: 10_000, total: 20_000 };
const mostRedirects = 5;
const mostHeaderBytes = 64 * 1024;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * The one client for every address from a request or a model (docs/spec/egress.md). It resolves names itself, refuses what is
 * not on the public internet unless the operator allows it, connects to the address it has checked, checks every redirect anew,
 * and bounds time and bytes. It knows no cookies, and no proxy but the operator's for it. Nothing is kept between requests.
 */
export class EgressGuard {
  readonly #settings: () => EgressSettings;
  readonly #resolve: ResolveName | undefined;
  readonly #timeouts: EgressTimeouts;

  /** @param settings The operator's lists and limit, as they are at the moment. */
  constructor(
    settings: () => EgressSettings,
    { resolve, timeouts = usualTimeouts }: { resolve?: ResolveName; timeouts?: EgressTimeouts } = {},
  ) {
    this.#settings = settings;
    this.#resolve = resolve;
    this.#timeouts = timeouts;
  }

  /** Sends a request. @throws EgressFailure when it was refused or failed; any HTTP status is an answer. */
  async send(request: EgressRequest): Promise<EgressAnswer> {
    const total = AbortSignal.timeout(this.#timeouts.total);
    const signal = AbortSignal.any([request.signal, total]);
    try {
      return await this.#follow(request, signal);
    } catch (thrown) {
      request.signal.throwIfAborted();
      throw toFailure(thrown, total.aborted);
    }
  }

  /**
   * Sends a request and hands over its answer as it arrives, in no coding; a redirect is an answer as well.
   * @throws EgressFailure when it was refused or failed before its body.
   */
  async open(request: EgressRequest): Promise<EgressStream> {
    const total = AbortSignal.timeout(request.timeout ?? this.#timeouts.total);
    const signal = AbortSignal.any([request.signal, total]);
    try {
      const target = await abortable(this.#check(request.url, true), signal);
      request.checkHop?.(target.url);
      const client = this.#clientOf(target, request);
      try {
        const response = await client.request(optionsOf(target, request, 'identity', signal));
        const headers = firstValues(response.headers);
        const most = request.maxBody ?? this.#settings().maxBody;
        const failed = (thrown: unknown) => toFailure(thrown, total.aborted);
        const end = () => void client.destroy().catch(() => undefined);
        const body = boundedStream(response.body, most, failed, end);
        return { url: target.url.href, status: response.statusCode, headers, body };
      } catch (thrown) {
        await client.destroy();
        throw thrown;
      }
    } catch (thrown) {
      request.signal.throwIfAborted();
      throw toFailure(thrown, total.aborted);
    }
  }

  async #follow(request: EgressRequest, signal: AbortSignal): Promise<EgressAnswer> {
    const { maxRedirects = mostRedirects } = request;
    let url = request.url;
    let origin: string | undefined;
    for (let hop = 0; ; hop += 1) {
      const target = await abortable(this.#check(url, hop === 0), signal);
      request.checkHop?.(target.url);
      origin ??= target.url.origin;
      const headers = target.url.origin === origin ? request.headers : undefined;
      const answer = await this.#sendOnce(target, { ...request, headers }, signal);
      const { location } = answer.headers;
      const isRedirect = redirects.has(answer.status) && location !== undefined;
      if (!isRedirect || maxRedirects === 0 || request.body !== undefined) return answer;
      if (hop === maxRedirects) throw new EgressFailure('unreachable', 'The address redirects too often.');
      url = nextOf(location, target.url);
    }
  }

  #check(url: string, isFirst: boolean): Promise<CheckedTarget> {
    return checkTarget(url, egressRules(this.#settings()), isFirst, this.#resolve);
  }

  #clientOf(
    target: CheckedTarget,
    { timeout = this.#timeouts.headers, proxy = this.#settings().proxy }: EgressRequest,
  ): undici.Client {
    return new Client(target.url.origin, {
      connect: pinnedConnector(target, this.#timeouts.connect, proxy),
      headersTimeout: timeout,
      bodyTimeout: timeout,
      maxHeaderSize: mostHeaderBytes,
      pipelining: 0,
    });
  }

  async #sendOnce(target: CheckedTarget, request: EgressRequest, signal: AbortSignal): Promise<EgressAnswer> {
    const { url } = target;
    const client = this.#clientOf(target, request);
    try {
      const response = await client.request(optionsOf(target, request, acceptedCodings, signal));
      // A body that nobody reads fails when its connection is closed.
      response.body.on('error', () => undefined);
      const received = firstValues(response.headers);
      const shown = { url: url.href, status: response.statusCode, headers: received };
      if (redirects.has(shown.status)) return { ...shown, body: new Uint8Array() };
      const ofType = request.maxBodyOf?.(received['content-type']?.toLowerCase() ?? '');
      const most = ofType ?? request.maxBody ?? this.#settings().maxBody;
      return { ...shown, body: await readEgressBody(response.body, received['content-encoding'], most) };
    } finally {
      void client.destroy().catch(() => undefined);
    }
  }
}

function optionsOf(
  { url }: CheckedTarget,
  { method = 'GET', headers, body }: EgressRequest,
  codings: string,
  signal: AbortSignal,
) {
  const path = url.pathname + url.search;
  const sent = { 'accept-encoding': codings, ...headers };
  return { path, method, headers: sent, body: body ?? null, signal };
}

function nextOf(location: string, from: URL): string {
  if (!URL.canParse(location, from)) throw new EgressFailure('refused', 'The address redirects to none.');
  const next = new URL(location, from);
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    throw new EgressFailure('refused', 'The address redirects from https to http.');
  }
  return next.href;
}

function firstValues(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}

async function abortable<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

const isSlow = (thrown: unknown) =>
  thrown instanceof errors.ConnectTimeoutError ||
  thrown instanceof errors.HeadersTimeoutError ||
  thrown instanceof errors.BodyTimeoutError;

/** A failure whose message names no addresses; undici's messages do. */
function toFailure(thrown: unknown, isOver: boolean): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  if (isOver || isSlow(thrown)) {
    return new EgressFailure('timeout', 'The address did not answer in time.', thrown);
  }
  return new EgressFailure('unreachable', 'The address could not be reached.', thrown);
}

/**
 * A body as a stream of at most so many bytes.
 * @param failed The failure that readers get for what went wrong.
 * @param end Called once, when the body was read or is no longer wanted.
 */
function boundedStream(
  body: AsyncIterable<Uint8Array>,
  most: number,
  failed: (thrown: unknown) => Error,
  end: () => void,
): ReadableStream<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]();
  let left = most;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await pieces.next();
        if (done === true) {
          controller.close();
          return end();
        }
        left -= value.length;
        if (left < 0) throw new EgressFailure('too_large', `The answer is larger than ${most} bytes.`);
        controller.enqueue(value);
      } catch (thrown) {
        end();
        controller.error(failed(thrown));
      }
    },
    cancel: end,
  });
}

/**
 * Connects to the checked addresses of a target and to nothing else, whatever its name stands for by now; server name and
 * certificate are still those of the name (docs/spec/egress.md#connections).
 * @param timeout Milliseconds.
 * @param proxy Asked for the first of the addresses; not where that is this machine.
 */
function pinnedConnector(
  { url, addresses }: CheckedTarget,
  timeout: number,
  proxy?: ProxyAddress,
): undici.buildConnector.connector {
  const [first = ''] = addresses;
  if (proxy !== undefined && !isLoopback(first)) {
    const address = isIP(first) === 6 ? `[${first}]` : first;
    const port = url.port || (url.protocol === 'https:' ? 443 : 80);
    return tunnelConnector(buildConnector, { proxy, timeout, authority: `${address}:${port}` });
  }
  const connect = buildConnector({ lookup: pinnedLookup(addresses), timeout, allowH2: false });
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result;
      if (error !== null) return callback(error, null);
      if (isAmong(addresses, socket)) return callback(null, socket);
      socket.destroy();
      callback(
        new EgressFailure('refused', 'The connection led to another address than the checked one.'),
        null,
      );
    });
  };
}

function pinnedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const family = options.family === 4 || options.family === 6 ? options.family : undefined;
    const fitting = family === undefined ? all : all.filter((entry) => entry.family === family);
    const [first] = fitting;
    if (first === undefined) return callback(new Error('no address of this family'), '', 0);
    if (options.all === true) callback(null, [...fitting]);
    else callback(null, first.address, first.family);
  };
}

/** Whether a socket's peer is one of the addresses; spellings may differ, so a public one passes where a text does not match. */
function isAmong(addresses: readonly string[], { remoteAddress }: Socket): boolean {
  if (remoteAddress === undefined) return false;
  return addresses.includes(remoteAddress) || (isIP(remoteAddress) === 6 && !isDeniedAddress(remoteAddress));
}
