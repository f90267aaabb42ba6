import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { monotonicClock, systemClock } from '../ports/clock.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import { type BenchmarkFacts, BenchmarkVerdicts } from '../routing/statistics/benchmark-verdicts.ts';
import { LiveStatistics } from '../routing/statistics/live-statistics.ts';
import { StatisticalChecks } from '../tool-calls/statistical-checks.ts';

/** What benchmark results are judged by at this moment. */
export function benchmarkFacts({ routing, benchmarkResults }: Config, catalogue: Catalogue): BenchmarkFacts {
  const { benchmarkDeviations: deviations, peers } = routing.exacto;
  return { catalogue, results: benchmarkResults, deviations, peers, now: systemClock.now() };
}

/** What measures endpoints: the statistics themselves, how routing reads them, and the judge of their calls. */
export function createMeasurements(statistics: EndpointStatistics, benchmarks: () => BenchmarkFacts) {
  const verdicts = new BenchmarkVerdicts(benchmarks);
  const endpointStatistics = new LiveStatistics(statistics, monotonicClock, (endpoint) =>
    verdicts.of(endpoint),
  );
  return {
    statistics,
    endpointStatistics,
    toolCallChecks: new StatisticalChecks(statistics),
  };
}
