import type { Endpoint, Model } from '../core/catalogue.ts';
import type { ExactoRules } from '../core/routing-rules.ts';
import { deviationAround, median } from './median.ts';
import type { RoutingSnapshot } from './route-plan.ts';
import type { EndpointQuality } from './statistics-snapshot.ts';

/** 0 good, 1 too little traffic to judge, 2 flagged (docs/spec/routing.md#quality-order). */
export type ExactoTier = 0 | 1 | 2;

/**
 * The tier of each endpoint of a model, compared with the model's other endpoints that have enough traffic.
 */
export function exactoTiers(
  model: Model,
  { statistics, rules: { exacto } }: Pick<RoutingSnapshot, 'statistics' | 'rules'>,
): ReadonlyMap<Endpoint, ExactoTier> {
  const qualities = model.endpoints.map((endpoint) => statistics.quality(endpoint));
  const throughputs = qualities.map((quality) => throughputSignal(quality, exacto));
  const toolCalls = qualities.map((quality) => toolCallSignal(quality, exacto));
  const slowest = lowestUnflagged(throughputs, exacto.throughputDeviations, exacto.peers);
  const clumsiest = lowestUnflagged(toolCalls, exacto.toolCallDeviations, exacto.peers);
  const tiers = new Map<Endpoint, ExactoTier>();
  for (const [index, endpoint] of model.endpoints.entries()) {
    const throughput = throughputs[index];
    const successRate = toolCalls[index];
    const flagged =
      qualities[index]?.benchmark === 'flagged' ||
      (throughput !== undefined && throughput < slowest) ||
      (successRate !== undefined && successRate < clumsiest);
    const unproven = throughput === undefined || successRate === undefined;
    tiers.set(endpoint, flagged ? 2 : unproven ? 1 : 0);
  }
  return tiers;
}

function throughputSignal(quality: EndpointQuality | undefined, rules: ExactoRules): number | undefined {
  const measured = quality?.throughput;
  return measured !== undefined && measured.requests >= rules.throughputRequests ? measured.value : undefined;
}

function toolCallSignal(quality: EndpointQuality | undefined, rules: ExactoRules): number | undefined {
  const measured = quality?.toolCalls;
  return measured !== undefined && measured.requests >= rules.toolCallRequests
    ? measured.successRate
    : undefined;
}

/** The lowest value of a signal that still counts as good; no value is bad while there are too few peers. */
function lowestUnflagged(values: readonly (number | undefined)[], deviations: number, peers: number): number {
  const known = values.filter((value) => value !== undefined);
  if (known.length < peers) return Number.NEGATIVE_INFINITY;
  const middle = median(known);
  return middle - deviations * deviationAround(middle, known);
}
