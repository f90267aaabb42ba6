import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import type { GatewayCounters } from '../metrics/gateway-counters.ts';
import { EndpointTroubles } from '../pipeline/endpoint-troubles.ts';
import type { Services } from '../pipeline/services.ts';
import { monotonicClock, systemClock } from '../ports/clock.ts';
import type { SharedState } from '../ports/shared-state.ts';
import { type BenchmarkFacts, BenchmarkVerdicts } from '../routing/statistics/benchmark-verdicts.ts';
import { LiveStatistics } from '../routing/statistics/live-statistics.ts';
import { StatisticalChecks } from '../tool-calls/statistical-checks.ts';

/** What benchmark results are judged by at this moment. */
function benchmarkFacts({ routing, benchmarkResults }: Config, catalogue: Catalogue): BenchmarkFacts {
  const { benchmarkDeviations: deviations, peers } = routing.exacto;
  return { catalogue, results: benchmarkResults, deviations, peers, now: systemClock.now() };
}

/** What measures endpoints: the statistics, how routing reads them, since when endpoints fail, and the judge of their calls. */
export function createMeasurements(
  current: { readonly config: Config },
  counters: Pick<GatewayCounters, 'countAttempts'>,
  shared: Pick<SharedState, 'statistics'>,
  {
    catalogue,
    routing,
    processes,
  }: Pick<Services, 'catalogue' | 'routing'> & { readonly processes: IsolatedProcesses },
) {
  const statistics = counters.countAttempts(shared.statistics);
  const verdicts = new BenchmarkVerdicts(() => benchmarkFacts(current.config, catalogue()));
  const endpointStatistics = new LiveStatistics(statistics, monotonicClock, (endpoint) =>
    verdicts.of(endpoint),
  );
  const looked = { catalogue, routing, statistics, endpointStatistics, clock: systemClock };
  const endpointTroubles = new EndpointTroubles(looked);
  const toolCallChecks = new StatisticalChecks(statistics, processes);
  return {
    statistics,
    endpointStatistics,
    endpointTroubles,
    toolCallChecks,
    /** What has to be closed. */
    measuring: [endpointTroubles],
  };
}
