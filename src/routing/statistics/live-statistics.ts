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

const percents = [50, 75, 90, 99] as const;
/** "Reached or bettered" by so many of a hundred: what is better is higher for throughput (routing.md 3.8). */
const fromAbove = [1, 10, 25, 50] as const;
/** So many values make a short window speak for itself (routing.md 11). */
const enough = 20;
const windows: readonly MetricWindow[] = ['5m', '30m', '1d'];
/** How old a speed may be, in milliseconds: percentiles cost more than anything else a plan asks. */
const freshFor = 1000;

interface Reading {
  readonly until: number;
  readonly speed: EndpointSpeed | undefined;
}

/** What routing asks about endpoints, read from the statistics as it is asked; speeds are at most a second old. */
export class LiveStatistics implements StatisticsSnapshot {
  readonly #statistics: EndpointStatistics;
  readonly #clock: Clock;
  readonly #readings = new WeakMap<Endpoint, Reading>();

  constructor(statistics: EndpointStatistics, clock: Clock) {
    this.#statistics = statistics;
    this.#clock = clock;
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
    const now = this.#clock.now();
    const known = this.#readings.get(endpoint);
    if (known !== undefined && now < known.until) return known.speed;
    const facts = this.#statistics.answers(endpoint);
    const speed = facts && {
      latency: readSpeed(facts, 'latency'),
      throughput: readSpeed(facts, 'throughput'),
    };
    this.#readings.set(endpoint, { until: now + freshFor, speed });
    return speed;
  }

  quality(endpoint: Endpoint): EndpointQuality | undefined {
    const facts = this.#statistics.answers(endpoint);
    if (facts === undefined) return undefined;
    const [value] = facts.percentiles('throughput', '30m', [50]) ?? [];
    const { requests, marked } = facts.toolCalls;
    return {
      throughput: value === undefined ? undefined : { requests: facts.samples('throughput', '30m'), value },
      toolCalls: requests === 0 ? undefined : { requests, successRate: 1 - marked / requests },
    };
  }
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
