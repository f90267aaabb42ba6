import type { Endpoint, Model } from '../core/catalogue.ts';
import type { EndpointQuality, StatisticsSnapshot } from './statistics-snapshot.ts';

/** 0 good, 1 too little traffic to tell, 2 flagged (routing.md 3.9). */
export type ExactoTier = 0 | 1 | 2;

const throughputRule = { requests: 100, deviations: 1.5 };
const toolCallRule = { requests: 200, deviations: 2 };
const fewestPeers = 4;
/** Turns a median absolute deviation into a standard deviation of normally spread values. */
const deviationOfMedian = 1.4826;

/** The tier of each endpoint of a model, judged against the model's other endpoints with enough traffic. */
export function exactoTiers(model: Model, statistics: StatisticsSnapshot): ReadonlyMap<Endpoint, ExactoTier> {
  const qualities = model.endpoints.map((endpoint) => statistics.quality(endpoint));
  const slowest = lowestUnflagged(qualities.map(throughputSignal), throughputRule.deviations);
  const clumsiest = lowestUnflagged(qualities.map(toolCallSignal), toolCallRule.deviations);
  const tiers = new Map<Endpoint, ExactoTier>();
  for (const [index, endpoint] of model.endpoints.entries()) {
    tiers.set(endpoint, tierOf(qualities[index], slowest, clumsiest));
  }
  return tiers;
}

function tierOf(quality: EndpointQuality | undefined, slowest: number, clumsiest: number): ExactoTier {
  const throughput = throughputSignal(quality);
  const toolCalls = toolCallSignal(quality);
  const flagged =
    quality?.benchmark === 'flagged' ||
    (throughput !== undefined && throughput < slowest) ||
    (toolCalls !== undefined && toolCalls < clumsiest);
  if (flagged) return 2;
  return throughput === undefined || toolCalls === undefined ? 1 : 0;
}

function throughputSignal(quality: EndpointQuality | undefined): number | undefined {
  const measured = quality?.throughput;
  return measured !== undefined && measured.requests >= throughputRule.requests ? measured.value : undefined;
}

function toolCallSignal(quality: EndpointQuality | undefined): number | undefined {
  const measured = quality?.toolCalls;
  return measured !== undefined && measured.requests >= toolCallRule.requests
    ? measured.successRate
    : undefined;
}

/** The lowest value of a signal that is still good; none is bad while there are too few peers to compare. */
function lowestUnflagged(values: readonly (number | undefined)[], deviations: number): number {
  const known = values.filter((value) => value !== undefined);
  if (known.length < fewestPeers) return Number.NEGATIVE_INFINITY;
  const middle = median(known);
  const deviation = deviationOfMedian * median(known.map((value) => Math.abs(value - middle)));
  return middle - deviations * deviation;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[half - 1] ?? 0)) / 2;
}
