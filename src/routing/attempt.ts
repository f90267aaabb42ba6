import type { HeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import { combineFailures, type FailedAttempt } from './failed-attempts.ts';
import { type EndedAttempt, type Race, raceAfter } from './hedge.ts';
import { RemainingTargets } from './remaining-targets.ts';
import type { RoutePlan, Target } from './route-plan.ts';
import { type CallContext, type OpenAnswer, RunningAttempt } from './running-attempt.ts';

export type { FitRequest, OpenAnswer } from './running-attempt.ts';

/** What walking a plan needs. */
export interface AttemptContext extends CallContext {
  /** False when the caller asked for no fallbacks: then none is raced, and the last failure is told as it is. */
  readonly fallbacks: boolean;
  /** How many endpoints are asked at most; those that earlier failures rule out are none (routing.md 5.1). */
  readonly maxAttempts: number;
  /** True when the caller wants the request refused rather than altered. */
  readonly strict: boolean;
  /** Asked before each endpoint: an error says that the request may not spend what this one may cost. */
  readonly admit: (target: Target) => HeadgateError | undefined | Promise<HeadgateError | undefined>;
  /** Told each attempt as it begins, but for one beside another that is slow. */
  readonly onTry: (attempt: Pick<RunningAttempt, 'target' | 'sent'>) => void;
  /** Told each attempt as it ends or begins to answer. */
  readonly onAttempt: (attempt: ProviderAttempt) => void;
}

/** The status of an attempt that was given up, because another one overtook it or because the client left. */
const givenUpStatus = 499;

/**
 * Tries the plan's endpoints in order until one begins to answer (routing.md 5). A failure before the first
 * visible delta hands over silently; what it rules out is the error's own `next`. One that cannot read sealed reasoning
 * is asked again without it. An endpoint that is not
 * admitted is passed over. Where an endpoint says so, a second one is asked when it is slow.
 * @throws HeadgateError when all failed, with every attempt in `previous_errors`; the refusal when the last
 * endpoints were not admitted; the signal's reason when aborted.
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
  /** Those that could not read sealed reasoning and are asked without it. */
  #unsealed: Set<Target> | undefined;
  #refusal: HeadgateError | undefined;
  #started = 0;

  constructor(plan: RoutePlan, request: CanonicalRequest, context: AttemptContext) {
    this.#plan = plan;
    this.#request = request;
    this.#context = context;
    this.#remaining = new RemainingTargets(plan.targets);
  }

  async run(): Promise<OpenAnswer> {
    const { signal, fallbacks } = this.#context;
    for (;;) {
      const target = await this.#nextAdmitted();
      if (target === undefined) {
        throw this.#refusal ?? combineFailures(this.#failures, this.#plan, fallbacks);
      }
      const { ended, overtaken } = await this.#race(target);
      if (overtaken !== undefined) this.#report(overtaken.target, givenUpStatus, overtaken.elapsed);
      const answer = this.#read(ended);
      if (answer !== undefined) {
        // What is held must be what the endpoint that answers may cost; it was admitted once already.
        if (ended.length > 1 || overtaken !== undefined) await this.#context.admit(answer.target);
        return answer;
      }
      signal.throwIfAborted();
    }
  }

  async #race(target: Target): Promise<Race> {
    const { onTry, streamed, fallbacks, signal } = this.#context;
    // An unstreamed answer is silent until it is whole, however fast its endpoint is; who wants no fallbacks is served
    // by one endpoint after the other. Models and credentials take over from what failed, not from what is slow.
    const canHurry = streamed && fallbacks && target.credential === undefined;
    const delay = canHurry ? target.endpoint.hedgeAfter : undefined;
    const attempt = this.#start(target, delay !== undefined);
    onTry(attempt);
    if (delay === undefined) return { ended: [{ attempt, end: await attempt.end }] };
    const startSecond = async () => {
      const isBeside = ({ model, credential }: Target) => model === target.model && credential === undefined;
      const second = await this.#nextAdmitted(isBeside);
      return second === undefined ? undefined : this.#start(second, true);
    };
    // Both end when the client leaves, who had sent its request to the first of them.
    const onAlone = (second: RunningAttempt) => {
      if (!signal.aborted) onTry(second);
    };
    return raceAfter(delay, attempt, startSecond, onAlone);
  }

  #start(target: Target, canGiveUp: boolean): RunningAttempt {
    this.#started += 1;
    const unsealed = this.#unsealed?.has(target) === true;
    const question = { request: this.#request, used: this.#plan.used, unsealed };
    return new RunningAttempt(target, question, this.#context, canGiveUp);
  }

  async #nextAdmitted(isWanted?: (target: Target) => boolean): Promise<Target | undefined> {
    while (this.#started < this.#context.maxAttempts) {
      const target = this.#remaining.take(isWanted);
      if (target === undefined) return undefined;
      this.#refusal = await this.#context.admit(target);
      if (this.#refusal === undefined) return target;
    }
    return undefined;
  }

  /** Reports how attempts came out; the answer among them, if there is one. */
  #read(ended: readonly EndedAttempt[]): OpenAnswer | undefined {
    for (const { attempt, end } of ended) {
      if ('answer' in end) {
        this.#report(attempt.target, 200, end.latency);
        return end.answer;
      }
      const { failure } = end;
      const status = this.#statusOf(failure);
      const told = status === givenUpStatus ? undefined : describe(failure);
      this.#report(failure.target, status, end.latency, told);
      this.#failures.push(failure);
      this.#remaining.failed(failure.target, failure.error);
      this.#unseal(failure);
    }
    return undefined;
  }

  /**
   * Reasoning is sealed for an account of its maker's, and nothing on it tells which: an endpoint that cannot read it is
   * asked once more without (responses.md 6.5).
   */
  #unseal({ target, error: { code } }: FailedAttempt): void {
    if (code !== 'upstream_seal' || this.#context.strict || this.#unsealed?.has(target)) return;
    if (!this.#plan.used.has('item.reasoning.sealed')) return;
    this.#unsealed ??= new Set();
    this.#unsealed.add(target);
    this.#remaining.again(target);
  }

  #statusOf({ error }: FailedAttempt): number {
    // A client that left is no error of anybody's, and its attempt none of the provider's.
    const { aborted, reason } = this.#context.signal;
    return aborted && error.cause === reason ? givenUpStatus : error.status;
  }

  #report(
    { endpoint, model, credential }: Target,
    status: number,
    latency: number,
    failure?: ProviderAttempt['failure'],
  ): void {
    this.#context.onAttempt({
      provider: endpoint.provider.slug,
      model: model.id,
      tag: endpoint.tag,
      status,
      failure,
      latency,
      isByok: credential !== undefined,
    });
  }
}

/** What a code looks like; a provider that writes more there may be repeating the prompt. */
const codeForm = /^[\w.-]{1,64}$/;

function describe({ error: { code: row, metadata } }: FailedAttempt): ProviderAttempt['failure'] {
  const code = metadata.provider_code;
  return code !== undefined && codeForm.test(code) ? { row, code } : { row };
}
