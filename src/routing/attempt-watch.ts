import type { Delta } from '../core/delta.ts';
import type { ErrorCode, HeadgateError } from '../core/errors.ts';
import type { HealthRules } from '../core/routing-rules.ts';
import type { Clock } from '../ports/clock.ts';
import type { AttemptOutcome, EndpointAccess, EndpointStatistics } from '../ports/endpoint-statistics.ts';

/** What telling statistics of an attempt needs. */
export interface WatchContext {
  readonly statistics: EndpointStatistics;
  readonly clock: Clock;
  /** How long a 429 counts (routing.md 3.6). */
  readonly health: Pick<HealthRules, 'rateLimitWait' | 'rateLimitWaitMax'>;
  /** Whether fragments were wanted as they come: only then its times say how fast the endpoint is. */
  readonly streamed: boolean;
}

/** How long an attempt took, and how it ended: told to the statistics once (routing.md 3.6, 11). */
export class AttemptWatch {
  readonly #access: EndpointAccess;
  readonly #context: WatchContext;
  readonly #began: number;
  #firstAt: number | undefined;
  #outputTokens: number | undefined;
  #told = false;

  /** The attempt begins now. */
  constructor(access: EndpointAccess, context: WatchContext) {
    this.#access = access;
    this.#context = context;
    this.#began = context.clock.now();
  }

  /** Milliseconds since it began. */
  get elapsed(): number {
    return this.#context.clock.now() - this.#began;
  }

  /** Something visible has arrived. */
  visible(): void {
    this.#firstAt = this.#context.clock.now();
  }

  /** Reads what the provider says of its usage. */
  read(batch: readonly Delta[]): void {
    for (const delta of batch) if (delta.kind === 'usage') this.#outputTokens = delta.usage.output;
  }

  /** The answer is whole. */
  finished(): void {
    this.#tell('success', { throughput: this.#throughput() });
  }

  /** The reader left: as far as it came, the endpoint was answering. */
  left(): void {
    this.#tell('success');
  }

  failed({ code, retryAfter: hint }: HeadgateError): void {
    const outcome = outcomes[code];
    const brokeOff = this.#firstAt !== undefined && outcome !== undefined && breaking.has(outcome);
    const retryAfter = outcome === 'rate_limited' ? this.#waitFor(hint) : undefined;
    this.#tell(brokeOff ? 'broken' : outcome, { retryAfter });
  }

  /** Another endpoint was faster. The time it had is the least it would have taken. */
  overtaken(): void {
    this.#firstAt ??= this.#context.clock.now();
    this.#tell(undefined);
  }

  /** Seconds for which nobody should ask again. */
  #waitFor(hint: number | undefined): number {
    const { rateLimitWait, rateLimitWaitMax } = this.#context.health;
    return Math.min(hint ?? rateLimitWait / 1000, rateLimitWaitMax / 1000);
  }

  #throughput(): number | undefined {
    const { elapsed } = this;
    if (!this.#context.streamed || !this.#outputTokens || elapsed <= 0) return undefined;
    return this.#outputTokens / (elapsed / 1000);
  }

  #tell(
    outcome: AttemptOutcome | undefined,
    more: { readonly throughput?: number; readonly retryAfter?: number } = {},
  ): void {
    if (this.#told) return;
    this.#told = true;
    const first = this.#context.streamed ? this.#firstAt : undefined;
    const timeToFirstToken = first === undefined ? undefined : Math.max(first - this.#began, 0);
    this.#context.statistics.record({ ...this.#access, outcome, timeToFirstToken, ...more });
  }
}

/** What an endpoint is answerable for; a code that is missing here is nobody's outcome, such as a client that left. */
const outcomes: Partial<Record<ErrorCode, AttemptOutcome>> = {
  provider_failed: 'failed',
  provider_overloaded: 'overloaded',
  provider_timeout: 'timeout',
  deadline_exceeded: 'timeout',
  upstream_credential: 'credential',
  upstream_not_found: 'not_found',
  upstream_rate_limit: 'rate_limited',
  upstream_region: 'region',
  upstream_invalid_request: 'refused',
  upstream_context_length: 'refused',
  upstream_policy: 'refused',
  upstream_flagged: 'refused',
  upstream_too_large: 'refused',
  upstream_unprocessable: 'refused',
};

/** After the first output these are all the same: the answer broke off. */
const breaking: ReadonlySet<AttemptOutcome> = new Set(['failed', 'overloaded', 'timeout']);
