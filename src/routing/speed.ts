import type { Endpoint } from '../core/catalogue.ts';
import type { Percentiles, ProviderPreferences } from '../core/inference-request.ts';
import type { EndpointSpeed, SpeedPercentiles, StatisticsSnapshot } from './statistics-snapshot.ts';

const percentiles = ['p50', 'p75', 'p90', 'p99'] as const;

/** The speed of an endpoint: measured, else presumed by its catalogue entry. */
export function speedOf(endpoint: Endpoint, statistics: StatisticsSnapshot): EndpointSpeed {
  const measured = statistics.speed(endpoint);
  const { prior } = endpoint;
  return {
    latency: measured?.latency ?? (prior && always(prior.ttftMs)),
    throughput: measured?.throughput ?? (prior && always(prior.tps)),
  };
}

function always(value: number): SpeedPercentiles {
  return { p50: value, p75: value, p90: value, p99: value };
}

/**
 * Whether the request sets speed cutoffs and an endpoint misses any; an unknown speed misses them
 * (docs/spec/routing.md#thresholds).
 */
export function missesThresholds(
  endpoint: Endpoint,
  { preferredMaxLatency, preferredMinThroughput }: ProviderPreferences,
  statistics: StatisticsSnapshot,
): boolean {
  if (preferredMaxLatency === undefined && preferredMinThroughput === undefined) return false;
  const { latency, throughput } = speedOf(endpoint, statistics);
  return (
    misses(preferredMaxLatency, latency, (seconds, milliseconds) => milliseconds <= 1000 * seconds) ||
    misses(preferredMinThroughput, throughput, (cutoff, rate) => rate >= cutoff)
  );
}

function misses(
  cutoffs: Percentiles | undefined,
  known: SpeedPercentiles | undefined,
  passes: (cutoff: number, value: number) => boolean,
): boolean {
  if (cutoffs === undefined) return false;
  return percentiles.some((name) => {
    const cutoff = cutoffs[name];
    return cutoff !== undefined && (known === undefined || !passes(cutoff, known[name]));
  });
}
