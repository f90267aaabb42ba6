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
/** "Reached or bettered" by so many of a hundred: what is better is higher for throughput (routing.md 3.8). */
const fromAbove = [1, 10, 25, 50] as const;
/** So many values make a short window speak for itself (routing.md 11). */
const enough = 20;
const windows: readonly MetricWindow[] = ['5m', '30m', '1d'];
/** How old a speed may be, in milliseconds: percentiles cost more than anything else a plan asks. */
const freshFor = 1000;

/** What is read of endpoints, kept for a second. */
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

/** What routing asks about endpoints, read from the statistics as it is asked; all but health is at most a second old. */
export class LiveStatistics implements StatisticsSnapshot {
  readonly #statistics: EndpointStatistics;
  readonly #speeds: Readings<EndpointSpeed | undefined>;
  readonly #qualities: Readings<EndpointQuality | undefined>;

  /** @param benchmark What scores say of an endpoint. */
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

/** The shortest window that has enough to tell, else the longest. */
function readSpeed(facts: AnswerFacts, metric: Metric): SpeedPercentiles | undefined {
  const window = windows.find((candidate) => facts.samples(metric, candidate) >= enough) ?? '1d';
  return readPercentiles(facts, metric, window);
}

/** What so many of a hundred requests of a window reached or bettered; undefined without any. */
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
