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

/** Part of an attempt's time that its reader may take before the time is not taken for the provider's any more. */
const readersShare = 0.1;

/** How long an attempt took, and how it ended: told to the statistics once (routing.md 3.6, 11). */
export class AttemptWatch {
  readonly #access: EndpointAccess;
  readonly #context: WatchContext;
  readonly #began: number;
  #firstAt: number | undefined;
  #wholeAt: number | undefined;
  #heldSince: number | undefined;
  #heldTime = 0;
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

  /** The provider is made to wait for the reader, or need not any more. */
  held(isHeld: boolean): void {
    const now = this.#context.clock.now();
    if (this.#heldSince !== undefined) this.#heldTime += now - this.#heldSince;
    this.#heldSince = isHeld ? now : undefined;
  }

  /** The answer has arrived whole; it is `finished` once its reader has taken it. */
  arrived(): void {
    this.#wholeAt = this.#context.clock.now();
  }

  /** Reads what the provider says of its usage. */
  read(batch: readonly Delta[]): void {
    for (const delta of batch) if (delta.kind === 'usage') this.#outputTokens = delta.usage.output;
  }

  /** The answer is whole, and read. */
  finished(): void {
    this.#tell('success', { throughput: this.#throughput() });
  }

  /** The reader left: as far as it came, the endpoint was answering. */
  left(): void {
    this.#tell('success');
  }

  failed({ code, retryAfter: hint }: HeadgateError): void {
    const excused = outcomes[code] === 'timeout' && this.#isReadersTime(this.#context.clock.now());
    const outcome = excused ? undefined : outcomes[code];
    const brokeOff = this.#firstAt !== undefined && outcome !== undefined && breaking.has(outcome);
    const retryAfter = outcome === 'rate_limited' ? this.#waitFor(hint) : undefined;
    this.#tell(brokeOff ? 'broken' : outcome, { retryAfter });
  }

  /** Another endpoint was faster. The time it had is the least it would have taken. */
  overtaken(): void {
    this.#firstAt ??= this.#context.clock.now();
    this.#tell(undefined);
  }

  /** Whether the provider waited for its reader for so long that the time until then says nothing of it. */
  #isReadersTime(now: number): boolean {
    const waiting = this.#heldSince === undefined ? 0 : now - this.#heldSince;
    return this.#heldTime + waiting > readersShare * (now - this.#began);
  }

  /** Seconds for which nobody should ask again. */
  #waitFor(hint: number | undefined): number {
    const { rateLimitWait, rateLimitWaitMax } = this.#context.health;
    return Math.min(hint ?? rateLimitWait / 1000, rateLimitWaitMax / 1000);
  }

  #throughput(): number | undefined {
    const end = this.#wholeAt ?? this.#context.clock.now();
    const elapsed = end - this.#began;
    if (!this.#context.streamed || !this.#outputTokens || elapsed <= 0) return undefined;
    return this.#isReadersTime(end) ? undefined : this.#outputTokens / (elapsed / 1000);
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

/** After the first output these are all the same: the answer broke off. */
const breaking: ReadonlySet<AttemptOutcome> = new Set(['failed', 'overloaded', 'timeout']);
