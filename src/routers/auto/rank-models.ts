import type { RoutingRules } from '../../core/routing-rules.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import type { TaskTraffic } from '../../ports/router-statistics.ts';
import type { EligibleModel } from '../eligible-models.ts';
import { type CostWish, keepBand, percentileOf } from './cost-bands.ts';

/** What the prior weighs against own spend: 5 USD, in nano-USD. */
const priorWeight = 5e9;
/** With fewer generations the mean cost of a model says nothing, and its list price counts. */
const fewestSamples = 20;
/** Tokens of a usual generation, by which list prices are compared. */
const usualTokens = { input: 2_000n, output: 500n };

/** A model with its place. */
export interface RankedModel {
  readonly id: string;
  /** The part of the spend for the task, from 0 to 1. */
  readonly share: number;
  /** The place of its cost, from 0 to 100. */
  readonly percentile: number;
}

/** What decides the order of models for a task. */
export interface RankingFacts {
  /** Undefined where no task was recognised. */
  readonly task: TaskTag | undefined;
  /** By model. */
  readonly traffic: ReadonlyMap<string, TaskTraffic>;
  readonly rules: RoutingRules['auto'];
  readonly wish: CostWish;
}

/**
 * The models whose cost a request wants, those that most is spent on for its task first
 * (docs/spec/routers.md#spend-shares). Of equals the operator's default models come first, in their order, then newer ones.
 */
export function rankModels(
  models: readonly EligibleModel[],
  { task, traffic, rules, wish }: RankingFacts,
): { readonly ranked: readonly RankedModel[]; readonly band: string | number } {
  const priors = (task === undefined ? undefined : rules.priors[task]) ?? {};
  const total = totalSpend(traffic);
  const byCost = models
    .map((one) => ({ ...one, cost: costOf(one, traffic) }))
    .toSorted((one, other) => compareCost(one.cost, other.cost) || compareText(one.model.id, other.model.id));
  const placed = byCost.map(({ model }, index) => ({
    model,
    id: model.id,
    percentile: percentileOf(index, byCost.length),
    share: (spendOn(model.id, traffic) + priorWeight * (priors[model.id] ?? 0)) / (total + priorWeight),
  }));
  const { kept, band } = keepBand(placed, wish);
  const preferred = (id: string) => placeOf(id, rules.defaultModels);
  const ranked = kept.toSorted(
    (one, other) =>
      other.share - one.share ||
      preferred(one.id) - preferred(other.id) ||
      other.model.created - one.model.created ||
      compareText(one.id, other.id),
  );
  return { ranked, band };
}

/** The place of a model in a list of slugs; behind all of them where it is not listed. */
export function placeOf(id: string, slugs: readonly string[]): number {
  const place = slugs.findIndex((slug) => slug.toLowerCase() === id.toLowerCase());
  return place === -1 ? slugs.length : place;
}

/** In pico-USD: what a generation cost on average, or would by the cheapest list price; undefined without a price. */
function costOf({ model, targets }: EligibleModel, traffic: RankingFacts['traffic']): bigint | undefined {
  const own = traffic.get(model.id);
  if (own !== undefined && own.generations >= fewestSamples) {
    return (own.spend * 1_000n) / BigInt(own.generations);
  }
  let least: bigint | undefined;
  for (const { endpoint } of targets) {
    const { price } = endpoint;
    if (price === undefined) continue;
    const cost =
      price.prompt * usualTokens.input + price.completion * usualTokens.output + (price.request ?? 0n);
    if (least === undefined || cost < least) least = cost;
  }
  return least;
}

function compareCost(one: bigint | undefined, other: bigint | undefined): number {
  if (one === other) return 0;
  if (one === undefined) return 1;
  return other === undefined || one < other ? -1 : 1;
}

function compareText(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function spendOn(id: string, traffic: RankingFacts['traffic']): number {
  return Number(traffic.get(id)?.spend ?? 0n);
}

function totalSpend(traffic: RankingFacts['traffic']): number {
  let total = 0;
  for (const { spend } of traffic.values()) total += Number(spend);
  return total;
}
