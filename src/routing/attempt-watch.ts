import type { Delta } from '../core/delta.ts';
import type { ErrorCode, HeadgateError } from '../core/errors.ts';
import type { HealthRules } from '../core/routing-rules.ts';
import type { Usage } from '../core/usage.ts';
import type { Clock } from '../ports/clock.ts';
import type { EndpointPlace } from '../ports/endpoint-places.ts';
import type { AttemptOutcome, EndpointAccess, EndpointStatistics } from '../ports/endpoint-statistics.ts';

/** What an attempt's statistics need. */
export interface WatchContext {
  readonly statistics: EndpointStatistics;
  readonly clock: Clock;
  /** How long a 429 counts (docs/spec/routing.md#health). */
  readonly health: Pick<HealthRules, 'rateLimitWait' | 'rateLimitWaitMax'>;
  /** Whether the request is streamed: only then do its times show the endpoint's speed. */
  readonly streamed: boolean;
}

/**
 * The share of an attempt's time for which a slow reader may block it; above that, the time says nothing of the
 * provider.
 */
const readersShare = 0.1;

/**
 * Measures one attempt and reports its duration and outcome to the statistics, once (docs/spec/routing.md#health,
 * docs/spec/routing.md#statistics).
 */
export class AttemptWatch {
  readonly #access: EndpointAccess;
  readonly #context: WatchContext;
  readonly #isOneOfSeveral: boolean;
  #began: number;
  #firstAt: number | undefined;
  #wholeAt: number | undefined;
  #pausedSince: number | undefined;
  #pausedTime = 0;
  #usage: Usage | undefined;
  readonly #place: EndpointPlace | undefined;
  #isRecorded = false;

  /**
   * Starts the clock of the attempt.
   * @param isOneOfSeveral Whether the operator has several credentials there: then one that is refused rests.
   * @param place Left when the attempt is over.
   */
  constructor(
    access: EndpointAccess,
    context: WatchContext,
    isOneOfSeveral = false,
    place: EndpointPlace | undefined = undefined,
  ) {
    this.#place = place;
    this.#isOneOfSeveral = isOneOfSeveral;
    this.#access = access;
    this.#context = context;
    this.#began = context.clock.now();
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return this.#context.clock.now() - this.#began;
  }

  /** Starts the clock anew: until now the gateway itself worked on the request. */
  restart(): void {
    this.#began = this.#context.clock.now();
  }

  /** Records the first visible output. */
  visible(): void {
    this.#firstAt = this.#context.clock.now();
  }

  /** Records that back-pressure from the reader pauses the provider, or no longer does. */
  paused(isPaused: boolean): void {
    const now = this.#context.clock.now();
    if (this.#pausedSince !== undefined) this.#pausedTime += now - this.#pausedSince;
    this.#pausedSince = isPaused ? now : undefined;
  }

  /** Records that the complete answer has arrived; it is `finished` once its reader has taken it. */
  arrived(): void {
    this.#wholeAt = this.#context.clock.now();
  }

  /** Reads the usage that a batch reports. */
  read(batch: readonly Delta[]): void {
    for (const delta of batch) if (delta.kind === 'usage') this.#usage = delta.usage;
  }

  /** Reports success: the answer is complete and read. */
  finished(): void {
    this.#record('success', { throughput: this.#throughput() });
  }

  /** Reports that the reader left; until then the endpoint was answering. */
  left(): void {
    this.#record('success');
  }

  failed({ code, retryAfter: hint }: HeadgateError): void {
    const excused = outcomes[code] === 'timeout' && this.#isReadersTime(this.#context.clock.now());
    const outcome = excused ? undefined : outcomes[code];
    const brokeOff = this.#firstAt !== undefined && outcome !== undefined && breaking.has(outcome);
    const rests = outcome === 'credential' && this.#isOneOfSeveral;
    const longest = this.#context.health.rateLimitWaitMax / 1000;
    const retryAfter = rests ? longest : outcome === 'rate_limited' ? this.#waitFor(hint) : undefined;
    this.#record(brokeOff ? 'broken' : outcome, { retryAfter });
  }

  /**
   * Reports that another endpoint was faster. The elapsed time is a lower bound of this attempt's latency.
   */
  overtaken(): void {
    this.#firstAt ??= this.#context.clock.now();
    this.#record(undefined);
  }

  /** Whether the reader blocked the provider for so long that the time says nothing of the provider. */
  #isReadersTime(now: number): boolean {
    const waiting = this.#pausedSince === undefined ? 0 : now - this.#pausedSince;
    return this.#pausedTime + waiting > readersShare * (now - this.#began);
  }

  /** Seconds for which nobody should call the endpoint. */
  #waitFor(hint: number | undefined): number {
    const { rateLimitWait, rateLimitWaitMax } = this.#context.health;
    return Math.min(hint ?? rateLimitWait / 1000, rateLimitWaitMax / 1000);
  }

  #throughput(): number | undefined {
    const end = this.#wholeAt ?? this.#context.clock.now();
    const elapsed = end - this.#began;
    const tokens = this.#usage?.output;
    if (!this.#context.streamed || !tokens || elapsed <= 0) return undefined;
    return this.#isReadersTime(end) ? undefined : tokens / (elapsed / 1000);
  }

  #record(
    outcome: AttemptOutcome | undefined,
    more: { readonly throughput?: number; readonly retryAfter?: number } = {},
  ): void {
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    this.#place?.end(this.#usage);
    const first = this.#context.streamed ? this.#firstAt : undefined;
    const timeToFirstToken = first === undefined ? undefined : Math.max(first - this.#began, 0);
    this.#context.statistics.record({ ...this.#access, outcome, timeToFirstToken, ...more });
  }
}

/**
 * The outcome of each code for which the endpoint is responsible; others, such as a client that left, count for
 * nobody.
 */
const outcomes: Partial<Record<ErrorCode, AttemptOutcome>> = {
  provider_failed: 'failed',
  provider_endless: 'failed',
  provider_overloaded: 'overloaded',
  provider_timeout: 'timeout',
  deadline_exceeded: 'timeout',
  upstream_credential: 'credential',
  upstream_not_found: 'not_found',
  upstream_rate_limit: 'rate_limited',
  upstream_region: 'region',
  upstream_invalid_request: 'refused',
  upstream_context_length: 'refused',
  upstream_seal: 'refused',
  upstream_policy: 'refused',
  upstream_flagged: 'refused',
  upstream_too_large: 'refused',
  upstream_unprocessable: 'refused',
};

/** After the first output all of these mean the same: the answer broke off. */
const breaking: ReadonlySet<AttemptOutcome> = new Set(['failed', 'overloaded', 'timeout']);
