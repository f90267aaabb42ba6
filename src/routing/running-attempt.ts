import type { Endpoint } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import { HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import type { CredentialSecrets } from '../ports/credentials.ts';
import type { Upstream, UpstreamRegistry } from '../ports/upstream.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import type { Translation } from '../translation/translation.ts';
import { AnswerLength } from './answer-length.ts';
import { AttemptWatch, type WatchContext } from './attempt-watch.ts';
import type { FailedAttempt } from './failed-attempts.ts';
import { OpenedStream } from './opened-stream.ts';
import { ownEndpoint } from './own-endpoint.ts';
import type { Target } from './route-plan.ts';

/** What asking one endpoint needs. */
export interface CallContext extends WatchContext {
  readonly upstreams: UpstreamRegistry;
  /** Opens the accounts' own credentials; without it, targets pinned to one fail. */
  readonly secrets?: CredentialSecrets;
  readonly signal: AbortSignal;
  /** The memory the answer may take. */
  readonly room: AnswerRoom;
  /** Told each body sent, when someone asked to see it. */
  readonly onBody?: (body: unknown) => void;
  /** Changes a request for the endpoint it is about to be sent to; undefined where nothing does. */
  readonly fit?: FitRequest;
}

/** Returns a request as an endpoint shall get it. Failing it fails the attempt. */
export type FitRequest = (
  request: CanonicalRequest,
  target: Target,
) => CanonicalRequest | Promise<CanonicalRequest>;

/** What to ask. */
export interface Question {
  readonly request: CanonicalRequest;
  /** What it asks for beyond text and functions. */
  readonly used: FeaturesUsed;
  /** Whether sealed reasoning is left out: this endpoint could not read it. */
  readonly unsealed: boolean;
}

/** An endpoint that has begun to answer: from here on no other can take over. */
export interface OpenAnswer {
  readonly target: Target;
  /** Everything the endpoint says, from its first delta, in its own words. */
  readonly batches: AsyncIterable<readonly Delta[]>;
  /** What was altered for the endpoint, and what turns its words into those the caller expects. */
  readonly translation: Omit<Translation, 'request'>;
}

/** How an attempt came out, with the milliseconds it took to its first visible delta or its failure. */
export type AttemptEnd = { readonly latency: number } & (
  | { readonly answer: OpenAnswer }
  | { readonly failure: FailedAttempt }
);

const unreadable = { dropped: 'the provider could not read it; readable text is told' } as const;

/** Why an attempt was given up: another endpoint answered first. */
class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/** One endpoint being asked, from the sending of the request to its first visible delta. */
export class RunningAttempt {
  readonly target: Target;
  /** Never rejects. */
  readonly end: Promise<AttemptEnd>;
  readonly #watch: AttemptWatch;
  readonly #signal: AbortSignal;
  readonly #giveUp: AbortController | undefined;
  #stream: AsyncIterator<readonly Delta[]> | undefined;
  #sent = false;

  /** @param canGiveUp Whether `overtake` may be called. */
  constructor(target: Target, question: Question, context: CallContext, canGiveUp: boolean) {
    const { endpoint, credential } = target;
    this.target = target;
    this.#watch = new AttemptWatch({ endpoint, credentialId: credential?.id }, context);
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

  /** Gives the attempt up because another endpoint answered first: its connection closes, nobody sees its answer. */
  overtake(): void {
    this.#watch.overtaken();
    this.#giveUp?.abort(new Overtaken());
    // Whatever it says on being closed, nobody listens any more.
    void this.end.then(() => this.#stream?.return?.()).catch(() => {});
  }

  async #run(question: Question, context: CallContext): Promise<AttemptEnd> {
    const { target } = this;
    const length = new AnswerLength(context.room);
    try {
      const upstream = findUpstream(target, context);
      const endpoint = await this.#reach(context);
      // Some credentials decide which dialect is spoken.
      const stated = upstream.support(endpoint.provider, endpoint.upstreamModel);
      const support = question.unsealed ? { ...stated, 'item.reasoning.sealed': unreadable } : stated;
      const { fit } = context;
      const fitted = fit === undefined ? question.request : await fit(question.request, target);
      const translation = translate(fitted, question.used, { ...target, support });
      const stream = this.#start(upstream, endpoint, translation.request, context);
      this.#stream = stream;
      const held = await this.#readUntilVisible(stream, length);
      const batches = new OpenedStream(held, stream, { watch: this.#watch, length });
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

  /** The endpoint with the credential the target is pinned to. */
  async #reach({ secrets }: CallContext): Promise<Endpoint> {
    const { endpoint, credential } = this.target;
    if (credential === undefined) return endpoint;
    if (secrets === undefined) {
      throw new HeadgateError('upstream_credential', 'No credentials can be opened here.');
    }
    return ownEndpoint(endpoint, await secrets.open(credential));
  }

  #start(
    upstream: Upstream,
    endpoint: Endpoint,
    request: CanonicalRequest,
    { streamed, room, onBody }: CallContext,
  ): AsyncIterator<readonly Delta[]> {
    const { model } = this.target;
    const signal = this.#signal;
    const onSent = () => {
      this.#sent = true;
    };
    const onHeld = (isHeld: boolean) => this.#watch.held(isHeld);
    const onWhole = () => this.#watch.arrived();
    const call = { request, model, endpoint, streamed, signal, room, onBody, onSent, onHeld, onWhole };
    return upstream.stream(call)[Symbol.asyncIterator]();
  }

  async #readUntilVisible(
    stream: AsyncIterator<readonly Delta[]>,
    length: AnswerLength,
  ): Promise<readonly (readonly Delta[])[]> {
    const held: (readonly Delta[])[] = [];
    for (;;) {
      const { done, value } = await stream.next();
      if (done === true) throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
      held.push(value);
      this.#watch.read(value);
      if (!value.some((delta) => !invisible.has(delta.kind))) {
        length.addPrelude(value);
        continue;
      }
      this.#watch.visible();
      return held;
    }
  }
}

const invisible: ReadonlySet<Delta['kind']> = new Set(['start', 'usage', 'tier', 'end']);

function findUpstream({ endpoint }: Target, { upstreams }: CallContext): Upstream {
  const upstream = upstreams.get(endpoint.provider.adapter);
  if (upstream !== undefined) return upstream;
  throw new HeadgateError('provider_failed', `No adapter "${endpoint.provider.adapter}" is installed.`);
}
