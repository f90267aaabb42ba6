import type { Provider } from '../../core/catalogue.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { FeatureSupport } from '../../core/features.ts';
import type { CanonicalChat, CanonicalEmbedding, CanonicalRequest } from '../../core/request.ts';
import { addUsage, type Usage } from '../../core/usage.ts';
import type { AnswerBatches, AnyCall, Upstream, UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import type { Adapter, CallForm, Counting, Decoder, WireRequest } from '../adapter.ts';
import { formOfVectors } from '../embeddings.ts';
import { passedLimit, providerError } from './failure.ts';
import { HttpStream } from './http-stream.ts';
import type { OutgoingRequest, Transport } from './transport.ts';

/**
 * Creates an upstream for a dialect over HTTP: it encodes the call, sends it and decodes the answer. Events give one
 * batch for each network read with content, a JSON body gives one batch. It never retries. See `Upstream` for the
 * contract and docs/spec/routing.md#outcomes for the errors; an aborted signal ends the iteration with the signal's
 * reason.
 */
export function createHttpUpstream(adapter: Adapter, transport: Transport): Upstream {
  const known = new WeakMap<Provider, Map<string | undefined, FeatureSupport>>();
  const { counting, embedding } = adapter;
  const counts = counting && formOfCounts(counting);
  const vectors = embedding && formOfVectors(embedding);
  return {
    ...(counts && { count: (call) => new HttpAnswer(counts, adapter, call, transport) }),
    stream: ({ request, ...call }) => {
      if (request.kind === 'chat') return new HttpAnswer(adapter, adapter, { ...call, request }, transport);
      if (vectors === undefined) throw new HeadgateError('invalid_request', noVectors);
      const whole = { ...call, request };
      const most = embedding?.mostInputs?.(whole);
      const send = (one: VectorCall) => new HttpAnswer(vectors, adapter, one, transport);
      return most === undefined || request.inputs.length <= most ? send(whole) : inBatches(whole, most, send);
    },
    support(provider, upstreamModel) {
      const models = known.get(provider) ?? new Map<string | undefined, FeatureSupport>();
      known.set(provider, models);
      const support = models.get(upstreamModel) ?? adapter.support(provider, upstreamModel);
      models.set(upstreamModel, support);
      return support;
    },
  };
}

/** Calls for the size of a chat's input. */
function formOfCounts(counting: Counting): CallForm<CanonicalChat> {
  return { encode: (call) => counting.encode(call), createDecoder: () => new CountDecoder(counting) };
}

/** Reads the answer to a request for the size of an input. */
class CountDecoder implements Decoder {
  readonly #counting: Counting;
  finished = false;

  constructor(counting: Counting) {
    this.#counting = counting;
  }

  decode(): void {
    throw new HeadgateError('provider_failed', 'The provider streamed a count.');
  }

  close(): void {
    throw new HeadgateError('provider_failed', 'The provider sent no count.');
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const uncachedInput = this.#counting.read(answer);
    if (!Number.isInteger(uncachedInput)) this.close();
    into.push({ kind: 'usage', usage: { uncachedInput } }, { kind: 'finish', reason: 'stop' });
    this.finished = true;
  }
}

const noVectors = 'The dialect of this provider has no call for vectors.';

type VectorCall = UpstreamCall<CanonicalEmbedding>;
type Send = (call: VectorCall) => AsyncIterable<readonly Delta[]>;

/**
 * Sends more inputs than an endpoint takes at once as several calls to it, one after the other, and gives their vectors
 * as one answer (docs/spec/embeddings.md#batches). One failure fails all.
 * @param most Inputs of one call.
 */
async function* inBatches(call: VectorCall, most: number, send: Send): AsyncIterable<readonly Delta[]> {
  const { request } = call;
  let usage: Usage | undefined;
  yield [{ kind: 'start' }];
  for (let from = 0; from < request.inputs.length; from += most) {
    const vectors: Delta[] = [];
    for await (const batch of send({
      ...call,
      request: { ...request, inputs: request.inputs.slice(from, from + most) },
    })) {
      for (const delta of batch) {
        if (delta.kind === 'embedding') vectors.push({ ...delta, index: delta.index + from });
        else if (delta.kind === 'usage') usage = addUp(usage, delta.usage);
      }
    }
    yield vectors;
  }
  if (usage === undefined) throw new HeadgateError('provider_failed');
  yield [
    { kind: 'usage', usage },
    { kind: 'finish', reason: 'stop' },
  ];
}

/** A sum of some of the calls would look like the whole: what one does not report stays unreported. */
function addUp(before: Usage | undefined, usage: Usage): Usage {
  if (before === undefined) return usage;
  const isReported = before.uncachedInput !== undefined && usage.uncachedInput !== undefined;
  const sum = addUsage(before, usage);
  return isReported ? sum : { ...sum, uncachedInput: undefined };
}

type Batch = readonly Delta[];

/**
 * The answer to one call, sent when its first batch is requested. An explicit iterator instead of a generator,
 * because every batch of every answer passes here and each `yield` costs turns of the microtask queue.
 */
class HttpAnswer implements AnswerBatches {
  readonly #form: CallForm<CanonicalRequest>;
  readonly #adapter: Adapter;
  readonly #call: AnyCall;
  readonly #transport: Transport;
  #stream: HttpStream | undefined;
  #left = false;

  /** @param form For calls of the kind of this one. */
  constructor(form: CallForm<CanonicalRequest>, adapter: Adapter, call: AnyCall, transport: Transport) {
    this.#form = form;
    this.#adapter = adapter;
    this.#call = call;
    this.#transport = transport;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isOver(): boolean {
    return this.#stream?.isOver === true;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#stream !== undefined) return this.#stream.batches.next();
    if (this.#left) return Promise.resolve({ done: true, value: undefined });
    return this.#begin();
  }

  return(): Promise<IteratorResult<Batch, undefined>> {
    this.#left = true;
    this.#stream?.leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  async #begin(): Promise<IteratorResult<Batch, undefined>> {
    const call = this.#call;
    // A call that fails before it is sent is not retried.
    this.#left = true;
    call.signal.throwIfAborted();
    const wire = this.#form.encode(call);
    const body = JSON.stringify(wire.body);
    const addressed = addressRequest(call.endpoint.provider, wire, body);
    call.onBody?.(JSON.parse(body));
    const { traceparent } = call;
    const traced = traceparent === undefined ? addressed : withHeaders(addressed, { traceparent });
    const authorized = authorize(this.#adapter, call, traced);
    const request = authorized instanceof Promise ? await authorized : authorized;
    const stream = new HttpStream(this.#adapter, this.#form.createDecoder(call), call, wire.streamed);
    this.#stream = stream;
    try {
      this.#transport.send(request, stream);
    } catch (thrown) {
      stream.leave();
      throw thrown;
    }
    return stream.batches.next();
  }
}

type Headers = Readonly<Record<string, string>>;

/**
 * Adds an adapter's authorization headers to a request. They override all others, because a signature covers them.
 * Waits no longer than the connect timeout.
 * @throws HeadgateError what the adapter throws, or `provider_failed` when it takes too long; the signal's reason
 * when the call is aborted meanwhile.
 */
function authorize(
  adapter: Adapter,
  call: AnyCall,
  request: OutgoingRequest,
): OutgoingRequest | Promise<OutgoingRequest> {
  if (adapter.authorize === undefined) return request;
  const url = new URL(`${request.origin}${request.path}`);
  const headers = adapter.authorize({ url, headers: request.headers, body: request.body }, call);
  if (!(headers instanceof Promise)) return withHeaders(request, headers);
  return inTime(headers, call).then((settled) => withHeaders(request, settled));
}

function withHeaders(request: OutgoingRequest, headers: Headers): OutgoingRequest {
  return { ...request, headers: { ...request.headers, ...headers } };
}

async function inTime(headers: Promise<Headers>, { endpoint, signal }: AnyCall): Promise<Headers> {
  const { provider } = endpoint;
  const over = Promise.withResolvers<never>();
  const onAbort = () => over.reject(signal.reason);
  const onLate = () => over.reject(passedLimit(provider, 'connect'));
  const timer = setTimeout(onLate, provider.timeouts.connect);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([headers, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

interface Target {
  readonly origin: string;
  readonly pathPrefix: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Providers are frozen with the configuration, so each target is computed once. */
const targets = new WeakMap<Provider, Target>();

const fixedHeaders = {
  'content-type': 'application/json',
  // Without this header a provider may compress.
  'accept-encoding': 'identity',
  'user-agent': 'headgate',
};

/**
 * Combines an adapter's request with its provider's address, or with the address in the request. The provider's
 * configured headers override the adapter's, and both override the gateway's own; word lists are joined.
 * @throws HeadgateError `provider_failed` when the provider has no usable base address.
 */
export function addressRequest(provider: Provider, wire: WireRequest, body: string): OutgoingRequest {
  const target = wire.baseUrl === undefined ? targetOf(provider) : createTarget(provider, wire.baseUrl);
  return {
    origin: target.origin,
    path: `${target.pathPrefix}${wire.path}${target.query}`,
    headers: {
      accept: wire.streamed ? 'text/event-stream' : 'application/json',
      ...fixedHeaders,
      ...lowerCased(wire.headers),
      ...target.headers,
      ...joinLists(wire.listHeaders, target.headers),
    },
    body,
    streamed: wire.streamed,
    connectTimeout: provider.timeouts.connect,
    proxy: provider.proxy,
  };
}

/** The provider's words first, without duplicates. */
function joinLists(
  lists: WireRequest['listHeaders'] = {},
  configured: Readonly<Record<string, string>>,
): Record<string, string> {
  const joined = Object.entries(lists).flatMap(([name, words]) => {
    const own = configured[name]?.split(',').map((word) => word.trim()) ?? [];
    const all = new Set([...own, ...words].filter((word) => word !== ''));
    return all.size === 0 ? [] : [[name, [...all].join(',')] as const];
  });
  return Object.fromEntries(joined);
}

function targetOf(provider: Provider): Target {
  const known = targets.get(provider);
  if (known) return known;
  const target = createTarget(provider, provider.baseUrl ?? '');
  targets.set(provider, target);
  return target;
}

function createTarget(provider: Provider, baseUrl: string): Target {
  const address = URL.parse(baseUrl);
  if (!address) throw providerError(provider, 'provider_failed', `${provider.name} has no usable address.`);
  return {
    origin: address.origin,
    pathPrefix: address.pathname.replace(/\/+$/, ''),
    query: address.search,
    headers: lowerCased(provider.headers),
  };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) lower[name.toLowerCase()] = value;
  return lower;
}
