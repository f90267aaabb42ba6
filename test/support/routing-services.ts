import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import type { Services } from '../../src/pipeline/services.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { noTraffic } from '../../src/ports/router-statistics.ts';
import { TaskVectors } from '../../src/routers/auto/task-vectors.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import type { StatisticsSnapshot } from '../../src/routing/statistics-snapshot.ts';
import { MemoryStickyEndpoints } from '../../src/shared-state/memory/memory-sticky-endpoints.ts';
import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';

type RoutingServices = Pick<
  Services,
  | 'statistics'
  | 'toolCallChecks'
  | 'endpointStatistics'
  | 'stickyEndpoints'
  | 'taskVectors'
  | 'routerStatistics'
  | 'location'
  | 'routing'
  | 'stages'
  | 'tools'
  | 'random'
>;

/** Nothing was measured yet. */
export const emptyStatistics: StatisticsSnapshot = {
  health: () => undefined,
  speed: () => undefined,
  quality: () => undefined,
};

/** What routing needs besides a catalogue: nothing measured, nothing remembered, and draws that the first one wins. */
export function routingServices(change: Partial<RoutingServices> = {}): RoutingServices {
  return {
    statistics: new MemoryEndpointStatistics(systemClock),
    toolCallChecks: { checkLater: () => {} },
    endpointStatistics: emptyStatistics,
    stickyEndpoints: new MemoryStickyEndpoints(systemClock, 1000),
    taskVectors: new TaskVectors(),
    routerStatistics: noTraffic,
    location: () => ({}),
    routing: () => usualRoutingRules,
    stages: [],
    tools: [],
    random: () => 0,
    ...change,
  };
}

/** A moment in which nothing but the catalogue decides: an unrestricted account, a short prompt, no measurements. */
export function plainSnapshot(
  catalogue: RoutingSnapshot['catalogue'],
  change: Partial<RoutingSnapshot> = {},
): RoutingSnapshot {
  return {
    policy: { pricedOnly: false },
    rules: usualRoutingRules,
    catalogue,
    statistics: emptyStatistics,
    upstreams: new Map(),
    prompt: { atMost: 100, tokens: 50 },
    now: Date.UTC(2026, 10, 18, 12),
    random: () => 0,
    ...change,
  };
}
