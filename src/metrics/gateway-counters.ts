import { isConnectionFailure } from '../core/connection-failures.ts';
import { HeadgateError } from '../core/errors.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import { cachedInput, totalInput } from '../core/usage.ts';
import type { AttemptOutcome, AttemptRecord, EndpointStatistics } from '../ports/endpoint-statistics.ts';
import type { Generation, ProviderAttempt } from '../ports/generations.ts';

/** Seconds of a complete request, until its charge is booked. */
const durationBounds = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
/** Seconds until a charge is durable. */
const commitBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The status of a request whose client left before its end. */
const clientLeftStatus = '499';
const noError = 'none';

/**
 * The counters of requests: plain numbers that are only read on demand. Together they cost a request less than a
 * microsecond, so no label depends on a request's content.
 */
export class GatewayCounters {
  /** Completely answered requests; all others are in `requests`. */
  served = 0;
  /** By status and error type. */
  readonly requests = new LabelledCounter();
  /** By status, source of the limit and reason. */
  readonly refusals = new LabelledCounter();
  /** Calls of providers with several credentials of the operator, by the position of the credential and outcome. */
  readonly keyAttempts = new LabelledCounter();
  /** Failed calls of providers, by the class of what happened. */
  readonly failures = new LabelledCounter();
  /** Alerts by type and what became of them. */
  readonly alerts = new LabelledCounter();
  /** Items for a collector, and how many were sent or dropped. */
  readonly exports = new LabelledCounter();
  /** Contents of calls that were kept or dropped. */
  readonly contents = new LabelledCounter();
  /** Requests above a limit of their rate, by whose limit it was and what it limits. */
  readonly rateRefusals = new LabelledCounter();
  /** Keys that were not accepted, by reason. */
  readonly failedAuthentications = new LabelledCounter();
  /** What stages did, by type, name and action. */
  readonly stages = new LabelledCounter();
  readonly durations = { streamed: new Histogram(durationBounds), whole: new Histogram(durationBounds) };
  /** Requests that tried more than one endpoint, by outcome. */
  readonly fallbacks = { answered: 0, failed: 0 };
  readonly commits = new Histogram(commitBounds);
  failedCommits = 0;
  lapsedHolds = 0;
  /** Looks for cached answers, and what those that were found had cost, in nano-USD. */
  readonly cached = { hits: 0, misses: 0, saved: 0 };
  readonly providers = new CountersByProvider();
  readonly tools = new CountersByTool();

  /**
   * Counts a call that reached a provider or tried to.
   * @param failure Why its charge was not booked.
   * @param commitTime Milliseconds until the charge was durable.
   */
  settled(generation: Generation, failure: unknown, commitTime: number): void {
    if (failure !== undefined) this.failedCommits += 1;
    else this.commits.observe(commitTime / 1000);
    this.#countEnd(generation, failure);
    if (generation.attempts.length > 1) {
      this.fallbacks[generation.latency === undefined ? 'failed' : 'answered'] += 1;
    }
    for (const { provider: slug, failure: failed } of generation.attempts) {
      if (failed !== undefined) this.failures.add(slug, reasonOf(failed));
    }
    const { streamed, settledAt, createdAt } = generation;
    this.durations[streamed ? 'streamed' : 'whole'].observe((settledAt - createdAt) / 1000);
    if (generation.pipeline !== undefined) this.reported(generation.pipeline);
    const { provider, model, implausibleUsage } = generation;
    if (provider !== undefined) this.#countServed(provider, generation, failure);
    // Of a fee: its record names the tool alone.
    else if (model !== undefined && implausibleUsage !== undefined) this.providers.of(model).implausible += 1;
  }

  /** Counts what stages report of a request. */
  reported(entries: readonly PipelineEntry[]): void {
    for (const { type, name, data } of entries) {
      const action = data?.mode === 'observe' ? 'observed' : (data?.action ?? data?.decision);
      this.stages.add(type, name, typeof action === 'string' ? action : 'done');
    }
  }

  /** Counts a look for a cached answer. @param saved What the one that was found had cost; undefined without any. */
  lookedForCached(saved: bigint | undefined): void {
    if (saved === undefined) this.cached.misses += 1;
    else {
      this.cached.hits += 1;
      this.cached.saved += Number(saved);
    }
  }

  /** Counts a request that is answered with an error. */
  refused({ code, status, type, metadata }: HeadgateError): void {
    this.requests.add(String(status), type);
    const isLimit = code === 'payment_required' || code === 'platform_rate_limit';
    if (!isLimit && code !== 'budget_exceeded') return;
    const { limit_source: source = noError, reason = noError, rate } = metadata;
    this.refusals.add(String(status), source, reason);
    if (rate !== undefined) this.rateRefusals.add(scopeOf(source), rate.metric);
  }

  /** Wraps statistics so that recorded attempts are counted too. */
  countAttempts(statistics: EndpointStatistics): EndpointStatistics {
    return {
      record: (record) => {
        this.#attempted(record);
        statistics.record(record);
      },
      recordToolCalls: (endpoint, valid) => statistics.recordToolCalls(endpoint, valid),
      outcomes: (access) => statistics.outcomes(access),
      answers: (endpoint) => statistics.answers(endpoint),
    };
  }

  #attempted({ endpoint, credentialId = 'key 1', outcome }: AttemptRecord): void {
    const isShared = endpoint.provider.sharedKeys !== undefined && credentialId.startsWith('key ');
    if (isShared) this.keyAttempts.add(endpoint.provider.slug, credentialId.slice(4), outcome ?? 'abandoned');
    this.providers.of(endpoint.provider.slug).attempts[outcome ?? 'abandoned'] += 1;
  }

  #countEnd({ cancelled, errorType, latency, streamed }: Generation, failure: unknown): void {
    if (cancelled) this.requests.add(clientLeftStatus, noError);
    else if (failure === undefined && errorType === undefined) this.served += 1;
    // If the client has seen no output yet it gets the error, which is counted there.
    else if (latency !== undefined && (streamed || failure === undefined)) {
      this.requests.add('200', errorType ?? (failure instanceof HeadgateError ? failure.type : 'server'));
    }
  }

  #countServed(provider: string, generation: Generation, failure: unknown): void {
    const counters = this.providers.of(provider);
    const { usage, streamed, latency, cost, listCost } = generation;
    counters.input += totalInput(usage) ?? 0;
    counters.cachedInput += cachedInput(usage) ?? 0;
    counters.output += usage.output ?? 0;
    counters.reasoning += usage.reasoning ?? 0;
    if (generation.implausibleUsage !== undefined) counters.implausible += 1;
    if (streamed && latency !== undefined) counters.timeToFirstToken.observe(latency / 1000);
    if (failure !== undefined) return;
    counters.charged += Number(cost);
    counters.listCost += Number(listCost);
  }
}

/** Whose limit a source names: `service_key_rate` is that of a key, `service_parallel` that of the service. */
function scopeOf(source: string): string {
  return /^service_(key|account)_/.exec(source)?.[1] ?? 'service';
}

/** A class of the gateway's own; a provider's words would be labels without end. */
function reasonOf({ row, code }: NonNullable<ProviderAttempt['failure']>): string {
  return isConnectionFailure(code) ? code : row;
}

/** One series of a counter: the values of its labels in order, and its count. */
interface CountedSeries {
  readonly labels: readonly string[];
  count: number;
}

/** A counter with labels, for events so rare that the cost of a key does not matter. */
class LabelledCounter {
  readonly #series = new Map<string, CountedSeries>();

  /** @param labels Values from a small known set: every combination is kept forever. */
  add(...labels: readonly string[]): void {
    this.addMany(1, ...labels);
  }

  /** The same for several at once. */
  addMany(more: number, ...labels: readonly string[]): void {
    const key = labels.join('\n');
    const series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, { labels, count: more });
    else series.count += more;
  }

  [Symbol.iterator](): IterableIterator<CountedSeries> {
    return this.#series.values();
  }
}

const bounds = [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What was counted of one tool. */
interface ToolCounters {
  readonly calls: { ok: number; error: number };
  readonly durations: Histogram;
  /** Fees and inner turns, in nano-USD. */
  cost: number;
}

/** A call of a tool that is over. */
interface CountedTool {
  readonly type: string;
  readonly failed: boolean;
  /** Milliseconds. */
  readonly time: number;
  /** Nano-USD. */
  readonly cost: bigint;
}

/** Counts calls of the gateway's tools by their type ids, of which there are few. */
class CountersByTool {
  readonly #tools = new Map<string, ToolCounters>();

  add({ type, failed, time, cost }: CountedTool): void {
    const usual = { calls: { ok: 0, error: 0 }, durations: new Histogram(bounds), cost: 0 };
    const counters = this.#tools.get(type) ?? usual;
    this.#tools.set(type, counters);
    counters.calls[failed ? 'error' : 'ok'] += 1;
    counters.durations.observe(time / 1000);
    counters.cost += Number(cost);
  }

  [Symbol.iterator](): IterableIterator<[string, ToolCounters]> {
    return this.#tools.entries();
  }
}

/** How attempts end, and `abandoned`: aborted because the client left or another attempt was faster. */
type CountedOutcome = AttemptOutcome | 'abandoned';

/** The counters of one provider. */
export interface ProviderCounters {
  readonly attempts: Record<CountedOutcome, number>;
  /** Tokens. */
  input: number;
  cachedInput: number;
  output: number;
  reasoning: number;
  /** Answers whose reported usage could not be true. */
  implausible: number;
  /** Nano-USD, as numbers: exact up to nine million USD, and off by a billionth above. */
  charged: number;
  listCost: number;
  /** Seconds. */
  readonly timeToFirstToken: Histogram;
}

/** Seconds from receiving a streamed request to its first visible delta. */
const firstTokenBounds = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 120];

/** Limit of providers; further ones share one name. */
const maxProviders = 300;
/** The name that they share. */
const otherProviders = 'other';

/** Counters by the provider's slug. Only configured providers appear, whatever requests contain. */
export class CountersByProvider {
  readonly #counters = new Map<string, ProviderCounters>();

  of(slug: string): ProviderCounters {
    return this.#counters.get(slug) ?? this.#add(slug);
  }

  /** The slug and counters of every provider that was used. */
  [Symbol.iterator](): IterableIterator<[string, ProviderCounters]> {
    return this.#counters.entries();
  }

  #add(slug: string): ProviderCounters {
    const name = this.#counters.size < maxProviders ? slug : otherProviders;
    let counters = this.#counters.get(name);
    if (counters === undefined) {
      counters = newCounters();
      this.#counters.set(name, counters);
    }
    return counters;
  }
}

function newCounters(): ProviderCounters {
  return {
    attempts: {
      success: 0,
      failed: 0,
      overloaded: 0,
      timeout: 0,
      broken: 0,
      credential: 0,
      not_found: 0,
      rate_limited: 0,
      region: 0,
      refused: 0,
      abandoned: 0,
    },
    input: 0,
    cachedInput: 0,
    output: 0,
    reasoning: 0,
    implausible: 0,
    charged: 0,
    listCost: 0,
    timeToFirstToken: new Histogram(firstTokenBounds),
  };
}

/** Counts values in buckets with fixed upper bounds, as Prometheus expects them. */
export class Histogram {
  /** Inclusive upper bounds, ascending. */
  readonly bounds: readonly number[];
  /** How many values fell into each bucket, not cumulative; the last bucket is above every bound. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}
