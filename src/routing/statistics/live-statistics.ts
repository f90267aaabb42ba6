import type { Endpoint } from '../../core/catalogue.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  AnswerFacts,
  EndpointStatistics,
  Metric,
  MetricWindow,
} from '../../ports/endpoint-statistics.ts';
import type {
  EndpointHealth,
  EndpointQuality,
  EndpointSpeed,
  SpeedPercentiles,
  StatisticsSnapshot,
} from '../statistics-snapshot.ts';
import type { BenchmarkVerdict } from './benchmark-verdicts.ts';

const percents = [50, 75, 90, 99] as const;
/**
 * The percentiles from above that mean "reached or exceeded": for throughput a higher value is better
 * (docs/spec/routing.md#thresholds).
 */
const fromAbove = [1, 10, 25, 50] as const;
/** So many values make a short window sufficient (docs/spec/routing.md#statistics). */
const enough = 20;
const windows: readonly MetricWindow[] = ['5m', '30m', '1d'];
/** The age limit of a cached speed in milliseconds: percentiles are the most expensive part of a plan. */
const freshFor = 1000;

/** Caches the readings of endpoints for a second. */
class Readings<Value> {
  readonly #read: (endpoint: Endpoint) => Value;
  readonly #clock: Clock;
  readonly #kept = new WeakMap<Endpoint, { readonly until: number; readonly value: Value }>();

  constructor(clock: Clock, read: (endpoint: Endpoint) => Value) {
    this.#clock = clock;
    this.#read = read;
  }

  of(endpoint: Endpoint): Value {
    const now = this.#clock.now();
    const kept = this.#kept.get(endpoint);
    if (kept !== undefined && now < kept.until) return kept.value;
    const value = this.#read(endpoint);
    this.#kept.set(endpoint, { until: now + freshFor, value });
    return value;
  }
}

/** The statistics that routing needs, read on demand; everything except health may be up to a second old. */
export class LiveStatistics implements StatisticsSnapshot {
  readonly #statistics: EndpointStatistics;
  readonly #speeds: Readings<EndpointSpeed | undefined>;
  readonly #qualities: Readings<EndpointQuality | undefined>;

  /** @param benchmark returns the verdict of scores on an endpoint. */
  constructor(
    statistics: EndpointStatistics,
    clock: Clock,
    benchmark: (endpoint: Endpoint) => BenchmarkVerdict = () => undefined,
  ) {
    this.#statistics = statistics;
    const reading = <Value>(read: (facts: AnswerFacts) => Value) =>
      new Readings(clock, (endpoint) => {
        const facts = statistics.answers(endpoint);
        return facts && read(facts);
      });
    this.#speeds = reading((facts) => ({
      latency: readSpeed(facts, 'latency'),
      throughput: readSpeed(facts, 'throughput'),
    }));
    this.#qualities = new Readings(clock, (endpoint) =>
      readQuality(statistics.answers(endpoint), benchmark(endpoint)),
    );
  }

  health(endpoint: Endpoint, credentialId?: string): EndpointHealth | undefined {
    const facts = this.#statistics.outcomes({ endpoint, credentialId });
    if (facts === undefined) return undefined;
    const { attempts, failures } = facts.uptime('30m');
    const recent = facts.uptime('30s');
    return {
      attempts,
      failures,
      recentAttempts: recent.attempts,
      recentFailures: recent.failures,
      coolingDown: facts.coolingDown,
    };
  }

  speed(endpoint: Endpoint): EndpointSpeed | undefined {
    return this.#speeds.of(endpoint);
  }

  quality(endpoint: Endpoint): EndpointQuality | undefined {
    return this.#qualities.of(endpoint);
  }
}

function readQuality(
  facts: AnswerFacts | undefined,
  benchmark: BenchmarkVerdict,
): EndpointQuality | undefined {
  if (facts === undefined) return benchmark && { benchmark };
  const [value] = facts.percentiles('throughput', '30m', [50]) ?? [];
  const { requests, marked } = facts.toolCalls;
  return {
    throughput: value === undefined ? undefined : { requests: facts.samples('throughput', '30m'), value },
    toolCalls: requests === 0 ? undefined : { requests, successRate: 1 - marked / requests },
    ...(benchmark && { benchmark }),
  };
}

/** The shortest window with enough values, else the longest. */
function readSpeed(facts: AnswerFacts, metric: Metric): SpeedPercentiles | undefined {
  const window = windows.find((candidate) => facts.samples(metric, candidate) >= enough) ?? '1d';
  return readPercentiles(facts, metric, window);
}

/** The percentiles that requests of a window reached or exceeded; undefined without any. */
export function readPercentiles(
  facts: AnswerFacts,
  metric: Metric,
  window: MetricWindow,
): SpeedPercentiles | undefined {
  const values = facts.percentiles(metric, window, metric === 'latency' ? percents : fromAbove);
  if (values === undefined) return undefined;
  if (metric === 'throughput') values.reverse();
  const [p50 = 0, p75 = 0, p90 = 0, p99 = 0] = values;
  return { p50, p75, p90, p99 };
}
