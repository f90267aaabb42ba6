import { setTimeout as pause } from 'node:timers/promises';
import { HeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { EndpointPlace } from '../ports/endpoint-places.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import { combineFailures, type FailedAttempt } from './failed-attempts.ts';
import { keyPosition } from './own-credentials.ts';
import { RemainingTargets } from './remaining-targets.ts';
import type { RoutePlan, Target } from './route-plan.ts';
import { type AttemptEnd, type CallContext, type OpenAnswer, RunningAttempt } from './running-attempt.ts';

export type { FitRequest, OpenAnswer } from './running-attempt.ts';

/** The limits of the operator for calls of providers and endpoints (docs/spec/routing.md#limits-of-providers). */
interface EndpointPlaces {
  /** Takes a place; undefined where nothing limits the endpoint. Resolves with the reason where there is none. */
  take(target: Target): Promise<EndpointPlace | HeadgateError> | undefined;
  /** Waits for a place at any of these, in this order. Resolves with the reason of the first when there is none in time. */
  waitFor(
    targets: readonly Target[],
  ): Promise<{ readonly target: Target; readonly place: EndpointPlace } | HeadgateError>;
}

/** What walking a plan needs. */
export interface AttemptContext extends CallContext {
  /**
   * False when the caller forbids fallbacks: then no endpoint is raced, and the last failure is reported unchanged.
   */
  readonly fallbacks: boolean;
  /** Limit of endpoints to try; those ruled out by earlier failures do not count (docs/spec/routing.md#attempts). */
  readonly maxAttempts: number;
  /** Whether an endpoint that failed for a moment is asked once more when no other is left. */
  readonly retrySame: boolean;
  /** True when the caller prefers a refusal to an altered request. */
  readonly strict: boolean;
  /**
   * Called before each endpoint: an error means that the request may not spend what this endpoint may cost.
   */
  readonly admit: (target: Target) => HeadgateError | undefined | Promise<HeadgateError | undefined>;
  /** Places at endpoints whose calls are limited; undefined where none of the plan is. */
  readonly places?: EndpointPlaces;
  /**
   * Called with each attempt as it begins, except one that races a slow attempt; with undefined while none runs and the
   * next one has to wait.
   */
  readonly onTry: (attempt: Pick<RunningAttempt, 'target' | 'sent'> | undefined) => void;
  /** Called with each attempt when it ends or begins to answer. */
  readonly onAttempt: (attempt: ProviderAttempt) => void;
}

/** The status of an attempt that was aborted because another one overtook it or the client left. */
const abortedStatus = 499;

/**
 * Tries the plan's endpoints in order until one begins to answer (docs/spec/routing.md#attempts). A failure before the
 * first visible delta is silent and tries the next endpoint; the error's `next` says which endpoints it rules out. An
 * endpoint that cannot read sealed reasoning is tried again without it. An endpoint that is not admitted is passed
 * over. Where an endpoint allows it, a second one races it when it is slow. When none is left, one that failed for a
 * moment is asked once more.
 * @throws HeadgateError when all failed, with every attempt in `previous_errors`; the refusal when the last endpoints
 * were not admitted; the signal's reason when aborted.
 */
export function openAnswer(
  plan: RoutePlan,
  request: CanonicalRequest,
  context: AttemptContext,
): Promise<OpenAnswer> {
  return new Walk(plan, request, context).run();
}

/** One walk through a plan. */
class Walk {
  readonly #plan: RoutePlan;
  readonly #request: CanonicalRequest;
  readonly #context: AttemptContext;
  readonly #remaining: RemainingTargets;
  readonly #failures: FailedAttempt[] = [];
  /** Targets that could not read sealed reasoning and are called without it. */
  #unsealed: Set<Target> | undefined;
  #refusal: HeadgateError | undefined;
  #started = 0;
  #isRepeated = false;
  /** Endpoints that had no place for another call, and the places that were taken. */
  #full: readonly Target[] = [];
  readonly #places = new Map<Target, EndpointPlace>();

  constructor(plan: RoutePlan, request: CanonicalRequest, context: AttemptContext) {
    this.#plan = plan;
    this.#request = request;
    this.#context = context;
    this.#remaining = new RemainingTargets(plan.targets);
  }

  async run(): Promise<OpenAnswer> {
    try {
      return await this.#walk();
    } finally {
      // Those of calls that were not begun after all.
      for (const place of this.#places.values()) place.end({});
    }
  }

  async #walk(): Promise<OpenAnswer> {
    const { signal, fallbacks } = this.#context;
    for (;;) {
      const target = (await this.#nextAdmitted()) ?? (await this.#nextFree()) ?? (await this.#sameAgain());
      if (target === undefined) {
        throw this.#refusal ?? combineFailures(this.#failures, this.#plan, fallbacks);
      }
      const { ended, overtaken } = await this.#race(target);
      if (overtaken !== undefined) this.#report(overtaken, abortedStatus, overtaken.elapsed);
      const answer = this.#read(ended);
      if (answer !== undefined) {
        // The hold must match the endpoint that answers; that endpoint was admitted before.
        if (ended.length > 1 || overtaken !== undefined) await this.#context.admit(answer.target);
        return answer;
      }
      signal.throwIfAborted();
    }
  }

  async #race(target: Target): Promise<Race> {
    const { onTry, streamed, fallbacks, signal } = this.#context;
    // An unstreamed answer is silent until it is complete, however fast its endpoint is. A caller without fallbacks
    // gets one endpoint after the other. Other models and credentials replace a failed attempt, never a slow one.
    const canHurry = streamed && fallbacks && target.credential === undefined;
    const delay = canHurry ? target.endpoint.hedgeAfter : undefined;
    const attempt = this.#start(target, delay !== undefined);
    onTry(attempt);
    if (delay === undefined) return { ended: [{ attempt, end: await attempt.end }] };
    const startSecond = async () => {
      this.#remaining.postpone(target.endpoint);
      const isBeside = ({ model, endpoint, credential }: Target) =>
        model === target.model && endpoint !== target.endpoint && credential === undefined;
      const second = await this.#nextAdmitted(isBeside);
      return second === undefined ? undefined : this.#start(second, true);
    };
    // Both end when the client leaves, which had sent its request to the first of them.
    const onAlone = (second: RunningAttempt) => {
      if (!signal.aborted) onTry(second);
    };
    return raceAfter(delay, attempt, startSecond, onAlone);
  }

  #start(target: Target, canGiveUp: boolean): RunningAttempt {
    this.#started += 1;
    const unsealed = this.#unsealed?.has(target) === true;
    const question = { request: this.#request, used: this.#plan.used, unsealed };
    const place = this.#places.get(target);
    this.#places.delete(target);
    return new RunningAttempt(target, question, this.#context, { canGiveUp, place });
  }

  async #nextAdmitted(isWanted?: (target: Target) => boolean): Promise<Target | undefined> {
    while (this.#started < this.#context.maxAttempts) {
      const target = this.#remaining.take(isWanted);
      if (target === undefined) return undefined;
      this.#refusal = await this.#context.admit(target);
      if (this.#refusal === undefined && (await this.#enter(target))) return target;
    }
    return undefined;
  }

  /** Takes a place at an endpoint. One that has none is passed over for now. */
  async #enter(target: Target): Promise<boolean> {
    const place = await this.#context.places?.take(target);
    if (place === undefined) return true;
    if (place instanceof HeadgateError) {
      this.#full = [...this.#full, target];
      return false;
    }
    this.#places.set(target, place);
    return true;
  }

  /** The first endpoint that has a place again, of those that had none when it was their turn. */
  async #nextFree(): Promise<Target | undefined> {
    const { places, admit, signal, maxAttempts, onTry } = this.#context;
    const full = this.#full;
    const [first] = full;
    if (places === undefined || first === undefined || this.#started >= maxAttempts) return undefined;
    onTry(undefined);
    const found = await places.waitFor(full);
    if (found instanceof HeadgateError) {
      signal.throwIfAborted();
      this.#full = [];
      this.#failures.push({ target: first, error: found });
      return undefined;
    }
    const { target, place } = found;
    this.#places.set(target, place);
    signal.throwIfAborted();
    this.#full = full.filter((one) => one !== target);
    this.#refusal = await admit(target);
    return this.#refusal === undefined ? target : undefined;
  }

  /**
   * The last endpoint that may answer the next moment, after a pause that spreads the requests which failed with this
   * one. Once a walk, and only where nothing else is left.
   */
  async #sameAgain(): Promise<Target | undefined> {
    const { retrySame, maxAttempts, signal, onTry } = this.#context;
    if (!retrySame || this.#isRepeated || this.#refusal !== undefined) return undefined;
    const failure = this.#failures.findLast(({ error }) => error.momentary);
    if (failure === undefined || this.#started >= maxAttempts) return undefined;
    this.#isRepeated = true;
    onTry(undefined);
    await pause(waitBefore(failure.error), undefined, { signal });
    this.#remaining.again(failure.target);
    return this.#nextAdmitted();
  }

  /** Reports how attempts ended; returns the answer if there is one. */
  #read(ended: readonly EndedAttempt[]): OpenAnswer | undefined {
    for (const { attempt, end } of ended) {
      if ('answer' in end) {
        this.#report(attempt, 200, end.latency);
        return end.answer;
      }
      const { failure } = end;
      const status = this.#statusOf(failure);
      const failureText = status === abortedStatus ? undefined : describe(failure);
      this.#report(attempt, status, end.latency, failureText);
      this.#failures.push(failure);
      this.#remaining.failed(failure.target, failure.error);
      this.#unseal(failure);
    }
    return undefined;
  }

  /**
   * Reasoning is sealed for one account of its maker, and nothing in it names that account. So an endpoint that
   * cannot read it is tried once more without it (docs/spec/requests.md#sealed-reasoning).
   */
  #unseal({ target, error: { code } }: FailedAttempt): void {
    if (code !== 'upstream_seal' || this.#context.strict || this.#unsealed?.has(target)) return;
    if (!this.#plan.used.has('item.reasoning.sealed')) return;
    this.#unsealed ??= new Set();
    this.#unsealed.add(target);
    this.#remaining.again(target);
  }

  #statusOf({ error }: FailedAttempt): number {
    // A client that left is nobody's error, and its attempt does not count against the provider.
    const { aborted, reason } = this.#context.signal;
    return aborted && error.cause === reason ? abortedStatus : error.status;
  }

  #report(
    { target, traced }: RunningAttempt,
    status: number,
    latency: number,
    failure?: ProviderAttempt['failure'],
  ): void {
    const { endpoint, model, credential } = target;
    const made: ProviderAttempt = {
      provider: endpoint.provider.slug,
      model: model.id,
      tag: endpoint.tag,
      status,
      failure,
      latency,
      isByok: credential !== undefined,
      ...(endpoint.provider.sharedKeys !== undefined && { keyPosition: keyPosition(target) }),
    };
    if (traced !== undefined) {
      traced.made = made;
      if (status !== 200) traced.endedAt = this.#context.trace?.now();
    }
    this.#context.onAttempt(made);
  }
}

/** Milliseconds to wait before the same endpoint is asked again: what it asked for, and a random tenth to half of a second. */
function waitBefore({ retryAfter = 0 }: HeadgateError): number {
  return retryAfter * 1000 + 100 + Math.random() * 400;
}

/** The form of a code; a longer text from a provider may repeat the prompt. */
const codeForm = /^[\w.-]{1,64}$/;

function describe({ error: { code: row, metadata } }: FailedAttempt): ProviderAttempt['failure'] {
  const code = metadata.provider_code;
  return code !== undefined && codeForm.test(code) ? { row, code } : { row };
}

/** An attempt with its outcome. */
interface EndedAttempt {
  readonly attempt: RunningAttempt;
  readonly end: AttemptEnd;
}

/** One or two attempts, until the first of them answers. */
interface Race {
  /** In order of their end, an answer always last; all others are failures. */
  readonly ended: readonly EndedAttempt[];
  /** The attempt that was aborted because the other one answered. */
  readonly overtaken?: RunningAttempt;
}

/**
 * Waits for an attempt. If it has neither answered nor failed after a delay, starts a second one beside it. The first
 * to answer wins and the other is aborted, so there is never a second visible answer.
 * @param delay Milliseconds.
 * @param startSecond Undefined when there is no second to start.
 * @param onAlone Called with the second attempt when the first has failed before it.
 */
async function raceAfter(
  delay: number,
  first: RunningAttempt,
  startSecond: () => Promise<RunningAttempt | undefined>,
  onAlone: (second: RunningAttempt) => void,
): Promise<Race> {
  const early = await endWithin(first, delay);
  if (early !== undefined) return { ended: [early] };
  const second = await startSecond();
  if (second === undefined) return { ended: [await ended(first)] };
  const sooner = await Promise.race([ended(first), ended(second)]);
  const other = sooner.attempt === first ? second : first;
  if ('answer' in sooner.end) {
    other.overtake();
    return { ended: [sooner], overtaken: other };
  }
  if (other === second) onAlone(second);
  return { ended: [sooner, await ended(other)] };
}

async function ended(attempt: RunningAttempt): Promise<EndedAttempt> {
  return { attempt, end: await attempt.end };
}

async function endWithin(attempt: RunningAttempt, delay: number): Promise<EndedAttempt | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, delay, undefined);
  try {
    return await Promise.race([ended(attempt), late]);
  } finally {
    clearTimeout(timer);
  }
}
