import type { Endpoint } from '../core/catalogue.ts';
import { type Delta, textSize } from '../core/delta.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import type { CredentialSecrets } from '../ports/credentials.ts';
import type { EndpointPlace } from '../ports/endpoint-places.ts';
import type { AttemptTracing, TracedAttempt } from '../ports/request-trace.ts';
import type { AnswerBatches, Upstream, UpstreamRegistry } from '../ports/upstream.ts';
import { type FeaturesUsed, featuresUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import type { Translation } from '../translation/translation.ts';
import { AttemptWatch, type WatchContext } from './attempt-watch.ts';
import type { FailedAttempt } from './failed-attempts.ts';
import { accessOf, keyPosition } from './own-credentials.ts';
import { ownEndpoint, sharedEndpoint } from './own-endpoint.ts';
import type { Target } from './route-plan.ts';

/** Bytes that a fragment of a running text counts besides its characters: it is joined to the text before it. */
const sizeOfFragment = 16;
/** Bytes that the beginning of an item counts, or an addition to it that stays an object of its own. */
const sizeOfItem = 512;
/** Bytes that a delta counts which is kept only until something visible comes. */
const sizeOfPrelude = 1024;

/** Deltas that go on with the item of the delta before them, and become no object of their own. */
const light: ReadonlySet<Delta['kind']> = new Set([
  'text',
  'refusal',
  'thinking',
  'summary',
  'arguments',
  'fragment',
  'stage',
  'end',
]);

/** Counts how much of an endpoint's answer stays in memory until its end. */
export class AnswerLength {
  readonly #room: AnswerRoom;
  #kept = 0;
  #block: number | undefined;

  constructor(room: AnswerRoom) {
    this.#room = room;
  }

  /**
   * Counts a batch.
   * @throws HeadgateError `provider_endless` when the answer is too long now.
   */
  add(batch: readonly Delta[]): void {
    let bytes = 0;
    for (const delta of batch) if ('block' in delta) bytes += this.#sizeOf(delta);
    if (bytes > 0) this.#keep(bytes);
  }

  /**
   * Counts a batch of which nothing can be shown yet.
   * @throws HeadgateError `provider_endless` when there are too many.
   */
  addPrelude(batch: readonly Delta[]): void {
    this.#keep(batch.length * sizeOfPrelude);
  }

  /** The answer is dropped: another endpoint's takes its place. */
  drop(): void {
    this.#room.keep(-this.#kept);
    this.#kept = 0;
  }

  #keep(bytes: number): void {
    this.#kept += bytes;
    this.#room.keep(bytes);
    const { limit } = this.#room;
    if (this.#kept <= limit) return;
    const message = `The answer was cut off: the provider sent more than ${limit} bytes.`;
    throw new HeadgateError('provider_endless', message);
  }

  #sizeOf(delta: Extract<Delta, { block: number }>): number {
    const goesOn = delta.block === this.#block && light.has(delta.kind);
    this.#block = delta.block;
    return (goesOn ? sizeOfFragment : sizeOfItem) + textSize(delta);
  }
}

type Batch = readonly Delta[];

const over = { done: true, value: undefined } as const;

/**
 * Everything that an endpoint sends once it answers: first the batches buffered until a delta was visible, then the
 * rest as it comes, with each batch reported to the watch. An explicit iterator instead of a generator: every batch
 * of every answer passes here, and every open stream would keep a generator's state in memory.
 */
class OpenedStream implements AnswerBatches {
  readonly #stream: AnswerBatches;
  readonly #watch: AttemptWatch;
  readonly #length: AnswerLength;
  #buffered: Batch[];
  #tooLong: HeadgateError | undefined;

  /** @param buffered Read from the stream already, reported to the watch and counted. */
  constructor(
    buffered: readonly Batch[],
    stream: AnswerBatches,
    { watch, length }: { readonly watch: AttemptWatch; readonly length: AnswerLength },
  ) {
    this.#buffered = [...buffered];
    this.#stream = stream;
    this.#watch = watch;
    this.#length = length;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isOver(): boolean {
    return this.#stream.isOver === true;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#tooLong !== undefined) return this.#cutOff(this.#tooLong);
    const value = this.#buffered.shift();
    if (value === undefined) return this.#hear();
    this.#count(value);
    return Promise.resolve({ done: false, value });
  }

  /** Called when the reader stops. */
  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.#buffered = [];
    this.#watch.left();
    await this.#stream.return?.();
    return over;
  }

  async #hear(): Promise<IteratorResult<Batch, undefined>> {
    try {
      const result = await this.#stream.next();
      if (result.done !== true) {
        this.#watch.read(result.value);
        this.#count(result.value);
        return result;
      }
      this.#watch.finished();
      return over;
    } catch (thrown) {
      this.#watch.failed(toHeadgateError(thrown));
      throw thrown;
    }
  }

  /** Counts a batch. The one that makes the answer too long is still given: what was produced is charged. */
  #count(batch: Batch): void {
    try {
      this.#length.add(batch);
    } catch (thrown) {
      this.#tooLong = toHeadgateError(thrown);
    }
  }

  async #cutOff(error: HeadgateError): Promise<never> {
    this.#watch.failed(error);
    await this.#stream.return?.();
    throw error;
  }
}

/** What a call of one endpoint needs. */
export interface CallContext extends WatchContext {
  readonly upstreams: UpstreamRegistry;
  /** Opens the accounts' own credentials; without it, targets with one fail. */
  readonly secrets?: CredentialSecrets;
  readonly signal: AbortSignal;
  /** The memory the answer may take. */
  readonly room: AnswerRoom;
  /** Called with each body that is sent, when the client asked to see it. */
  readonly onBody?: (body: unknown) => void;
  /** Changes a request for the endpoint it is about to be sent to; undefined where nothing does. */
  readonly fit?: FitRequest;
  /** Notes that an endpoint is asked; undefined where no spans are made. */
  readonly trace?: AttemptTracing;
}

/** Returns a request as an endpoint should get it. A failure here fails the attempt. */
export type FitRequest = (
  request: CanonicalRequest,
  target: Target,
) => CanonicalRequest | Promise<CanonicalRequest>;

/** What to send. */
export interface Question {
  readonly request: CanonicalRequest;
  /** The features that it uses beyond text and functions. */
  readonly used: FeaturesUsed;
  /** Whether to leave out sealed reasoning, because this endpoint could not read it. */
  readonly unsealed: boolean;
}

/** An endpoint that has begun to answer: from here on no other can take over. */
export interface OpenAnswer {
  readonly target: Target;
  /** Everything that the endpoint sends from its first delta, before translation back. */
  readonly batches: { [Symbol.asyncIterator](): AnswerBatches };
  /**
   * What was altered for the endpoint, and the functions that restore its answer to what the caller expects.
   */
  readonly translation: Omit<Translation, 'request'>;
}

/** How an attempt ended, with the milliseconds until its first visible delta or its failure. */
export type AttemptEnd = { readonly latency: number } & (
  | { readonly answer: OpenAnswer }
  | { readonly failure: FailedAttempt }
);

const unreadable = { dropped: 'the provider could not read it; readable text is told' } as const;

/** Why an attempt was aborted: another endpoint answered first. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** A call to one endpoint, from sending the request to the first visible delta. */
export class RunningAttempt {
  readonly target: Target;
  /** Never rejects. */
  readonly end: Promise<AttemptEnd>;
  readonly #watch: AttemptWatch;
  readonly #signal: AbortSignal;
  readonly #giveUp: AbortController | undefined;
  /** Its note for spans. */
  readonly traced: TracedAttempt | undefined;
  #stream: AnswerBatches | undefined;
  #sent = false;

  /**
   * @param canGiveUp Whether `overtake` may be called.
   * @param place What the call takes of its endpoint's limits; left when it is over.
   */
  constructor(
    target: Target,
    question: Question,
    context: CallContext,
    { canGiveUp, place }: { readonly canGiveUp: boolean; readonly place: EndpointPlace | undefined },
  ) {
    this.target = target;
    this.traced = context.trace?.begin(target.endpoint);
    this.#watch = new AttemptWatch(accessOf(target), context, keyPosition(target) !== undefined, place);
    this.#giveUp = canGiveUp ? new AbortController() : undefined;
    this.#signal =
      this.#giveUp === undefined ? context.signal : AbortSignal.any([context.signal, this.#giveUp.signal]);
    this.end = this.#run(question, context);
  }

  /** Whether the provider may have read the request. */
  get sent(): boolean {
    return this.#sent;
  }

  get elapsed(): number {
    return this.#watch.elapsed;
  }

  /**
   * Aborts the attempt because another endpoint answered first: closes its connection and drops its answer.
   */
  overtake(): void {
    this.#watch.overtaken();
    this.#giveUp?.abort(new Overtaken());
    // Whatever the stream throws on closing, nobody reads it any more.
    void this.end.then(() => this.#stream?.return?.()).catch(() => {});
  }

  async #run(question: Question, context: CallContext): Promise<AttemptEnd> {
    const { target } = this;
    const length = new AnswerLength(context.room);
    try {
      const upstream = findUpstream(target, context);
      const endpoint = await this.#reach(context);
      // Some credentials decide the dialect.
      const stated = upstream.support(endpoint.provider, endpoint.upstreamModel);
      const support = question.unsealed ? { ...stated, 'item.reasoning.sealed': unreadable } : stated;
      const { fit } = context;
      const { request } = question;
      const fitted = fit === undefined ? request : await fit(request, target);
      const used = fitted === request ? question.used : featuresUsed(fitted);
      if (fit !== undefined) this.#watch.restart();
      const translation = translate(fitted, used, { ...target, support });
      const stream = this.#start(upstream, endpoint, translation.request, context);
      this.#stream = stream;
      const buffered = await this.#readUntilVisible(stream, length);
      const batches = new OpenedStream(buffered, stream, { watch: this.#watch, length });
      return { answer: { target, batches, translation }, latency: this.elapsed };
    } catch (thrown) {
      const error = toHeadgateError(thrown);
      this.#watch.failed(error);
      // One that says too much goes on otherwise.
      if (error.code === 'provider_endless') await this.#stream?.return?.();
      length.drop();
      return { failure: { target, error }, latency: this.elapsed };
    }
  }

  /** The endpoint with the credential of the target. */
  async #reach({ secrets }: CallContext): Promise<Endpoint> {
    const { endpoint, credential, sharedKey } = this.target;
    const shared = sharedKey === undefined ? undefined : endpoint.provider.sharedKeys?.[sharedKey - 1];
    if (credential === undefined) return shared === undefined ? endpoint : sharedEndpoint(endpoint, shared);
    if (secrets === undefined) {
      throw new HeadgateError('upstream_credential', 'No credentials can be opened here.');
    }
    return ownEndpoint(endpoint, await secrets.open(credential));
  }

  #start(
    upstream: Upstream,
    endpoint: Endpoint,
    request: CanonicalRequest,
    { streamed, room, onBody, trace }: CallContext,
  ): AnswerBatches {
    const { model } = this.target;
    const traceparent = this.traced && trace?.parentFor(this.traced);
    const signal = this.#signal;
    const onSent = () => {
      this.#sent = true;
    };
    const onPaused = (isPaused: boolean) => this.#watch.paused(isPaused);
    const onWhole = () => this.#watch.arrived();
    const call = {
      request,
      model,
      endpoint,
      streamed,
      signal,
      room,
      traceparent,
      onBody,
      onSent,
      onPaused,
      onWhole,
    };
    return upstream.stream(call)[Symbol.asyncIterator]();
  }

  async #readUntilVisible(
    stream: AnswerBatches,
    length: AnswerLength,
  ): Promise<readonly (readonly Delta[])[]> {
    const buffered: (readonly Delta[])[] = [];
    for (;;) {
      const { done, value } = await stream.next();
      if (done === true) throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
      buffered.push(value);
      this.#watch.read(value);
      if (!value.some((delta) => !invisible.has(delta.kind))) {
        length.addPrelude(value);
        continue;
      }
      this.#watch.visible();
      return buffered;
    }
  }
}

const invisible: ReadonlySet<Delta['kind']> = new Set(['start', 'usage', 'tier', 'end']);

function findUpstream({ endpoint }: Target, { upstreams }: CallContext): Upstream {
  const upstream = upstreams.get(endpoint.provider.adapter);
  if (upstream !== undefined) return upstream;
  throw new HeadgateError('provider_failed', `No adapter "${endpoint.provider.adapter}" is installed.`);
}
