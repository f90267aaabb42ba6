import type { Model } from '../core/catalogue.ts';
import { type PicoUsd, parsePricePerMillion } from '../core/money.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import { factsOf } from '../routing/collect-endpoints.ts';
import { speedOf } from '../routing/ordering-key.ts';
import { comparedPrice, priceFor } from '../routing/prices.ts';
import { emptyRouter } from '../routing/unknown-model.ts';
import type { JsonObject } from '../util/json.ts';
import { type EligibleModel, eligibleModels } from './eligible-models.ts';
import type { Router, RouterQuestion } from './router.ts';
import { numberOf, settingsFor } from './router-settings.ts';

const mostModels = 3;

/** Percentiles among coding models from which a model belongs to a tier. Below the last one it is not on the shortlist. */
const tiers = { high: 90, medium: 75, low: 50 } as const;
type Tier = keyof typeof tiers;

/** Where to look when a tier is empty. */
const detours: Readonly<Record<Tier, readonly Tier[]>> = {
  high: ['high', 'medium', 'low'],
  medium: ['medium', 'high', 'low'],
  low: ['low', 'medium', 'high'],
};

/**
 * `service/pareto-code` (docs/spec/routers.md#pareto-code): good coding models by tier, the cheapest first, or the best one
 * under a price.
 */
export const paretoRouter: Router = {
  id: 'service/pareto-code',
  name: 'Pareto Code Router',
  description: 'Chooses among good coding models: the cheapest of a tier, or the best under a price.',
  choosesByPrice: true,
  belongs: isOnShortlist,
  choose,
};

function choose(question: RouterQuestion): RoutedModels {
  const settings = settingsFor('pareto-router', question.request);
  const shortlist = eligibleModels(question, isOnShortlist);
  const cap = numberOf(settings.max_price);
  return cap === undefined
    ? chooseByScore(question, shortlist, numberOf(settings.min_coding_score))
    : chooseUnderCap(question, shortlist, { cap, source: settings.price_source });
}

/** Whether the operator counts a model among the good ones for code. */
export function isOnShortlist(model: Model): boolean {
  return model.accounts === undefined && scoreOf(model) >= tiers.low && !model.id.endsWith(':free');
}

function chooseByScore(
  question: RouterQuestion,
  shortlist: readonly EligibleModel[],
  least: number | undefined,
): RoutedModels {
  const { request, named } = question;
  const wanted: Tier = least === undefined || least >= 0.66 ? 'high' : least >= 0.33 ? 'medium' : 'low';
  const tier = detours[wanted].find((one) => shortlist.some(({ model }) => tierOf(model) === one));
  if (tier === undefined) throw emptyRouter(named.slug, request, 'finds no coding model for this request');
  const able = shortlist.filter(({ model }) => tierOf(model) === tier);
  const order = named.variant === 'nitro' ? bySpeed(able, question) : byPrice(able, question);
  return routed(question, order, {
    summary: `tier ${tier}`,
    data: { tier_wanted: wanted, tier, considered: able.length },
  });
}

function chooseUnderCap(
  question: RouterQuestion,
  shortlist: readonly EligibleModel[],
  { cap, source }: { readonly cap: number; readonly source: unknown },
): RoutedModels {
  const { request, named, statistics, snapshot } = question;
  const isMeasured = source === 'weighted_avg';
  const limit = capOf(cap);
  const models = shortlist.flatMap(({ model, targets }): readonly CodingModel[] => {
    const listed = targets.flatMap(({ endpoint }) => priceFor(endpoint, snapshot)?.prompt ?? []);
    const measured = isMeasured ? statistics.inputPrice(model.id) : undefined;
    const price = measured ?? least(listed);
    return price === undefined ? [] : [{ id: model.id, price, score: scoreOf(model) }];
  });
  const { order, frontier } = orderUnderCap(models, limit);
  if (order.length === 0) {
    throw emptyRouter(
      named.slug,
      request,
      `finds no coding model for at most ${cap} USD per million input tokens`,
    );
  }
  const made = routed(
    question,
    order.map(({ id }) => id),
    {
      summary: `at most ${cap} USD per million input tokens`,
      data: {
        max_price: cap,
        price_source: isMeasured ? 'weighted_avg' : 'prompt',
        considered: models.length,
        frontier: frontier.map(({ id }) => id),
      },
    },
  );
  // What traffic paid is no price of an endpoint, so no endpoint is too expensive then.
  return isMeasured ? made : { ...made, promptCap: limit };
}

function routed(
  { remembered }: RouterQuestion,
  order: readonly string[],
  why: { readonly summary: string; readonly data: JsonObject },
): RoutedModels {
  const first = order.slice(0, mostModels);
  const sticky = first.find((id) => id === remembered);
  const models = sticky === undefined ? first : [sticky, ...first.filter((id) => id !== sticky)];
  return {
    router: 'service/pareto-code',
    strategy: 'pareto',
    models,
    onlyTransient: true,
    entry: {
      type: 'plugin',
      name: 'pareto-router',
      summary: `${models[0]}, ${why.summary}`,
      data: {
        ...why.data,
        ...(sticky === undefined ? {} : { chosen_because: 'sticky' }),
        candidates: models.map((model) => ({ model })),
      },
    },
  };
}

function byPrice(models: readonly EligibleModel[], { snapshot }: RouterQuestion): readonly string[] {
  const priceOf = ({ model, targets }: EligibleModel) => {
    const used = new Set(targets.map(({ endpoint }) => endpoint));
    const facts = factsOf(model).filter(({ endpoint }) => used.has(endpoint));
    return Math.min(...facts.map((one) => comparedPrice(one, snapshot)));
  };
  return sortBy(models, priceOf);
}

/** The fastest first; models of unknown speed last. */
function bySpeed(models: readonly EligibleModel[], { snapshot }: RouterQuestion): readonly string[] {
  const speeds = ({ targets }: EligibleModel) =>
    targets.map(({ endpoint }) => speedOf(endpoint, snapshot.statistics).throughput?.p50 ?? 0);
  return sortBy(models, (one) => -Math.max(0, ...speeds(one)));
}

function sortBy(models: readonly EligibleModel[], key: (one: EligibleModel) => number): readonly string[] {
  const keyed = models.map((one) => ({ id: one.model.id, key: key(one) }));
  keyed.sort((one, other) =>
    one.key === other.key ? (one.id < other.id ? -1 : 1) : one.key < other.key ? -1 : 1,
  );
  return keyed.map(({ id }) => id);
}

function tierOf(model: Model): Tier {
  const score = scoreOf(model);
  return score >= tiers.high ? 'high' : score >= tiers.medium ? 'medium' : 'low';
}

function scoreOf({ listing }: Model): number {
  return listing?.codingPercentile ?? 0;
}

/** A limit as a price; finer than prices can be, or beyond all of them, it is rounded. */
function capOf(usdPerMillion: number): PicoUsd {
  return parsePricePerMillion(Math.min(usdPerMillion, 1e9).toFixed(6));
}

function least(prices: readonly PicoUsd[]): PicoUsd | undefined {
  let found: PicoUsd | undefined;
  for (const price of prices) if (found === undefined || price < found) found = price;
  return found;
}

/** A model for code: what its input costs a token, and how good it is (0 to 100). */
interface CodingModel {
  readonly id: string;
  readonly price: PicoUsd;
  readonly score: number;
}

/**
 * The models that may cost a price at most, best choice first (docs/spec/routers.md#under-a-price): those of the frontier, best
 * first, then the others by score. The frontier are the models of which no other one is at most as expensive and at least
 * as good, and better in one of the two.
 */
function orderUnderCap(
  models: readonly CodingModel[],
  cap: PicoUsd,
): { readonly order: readonly CodingModel[]; readonly frontier: readonly CodingModel[] } {
  const frontier = models.filter((one) => !models.some((other) => beats(other, one)));
  const affordable = models.filter(({ price }) => price <= cap).toSorted(byScore);
  const isBest = new Set(frontier);
  const order = [
    ...affordable.filter((one) => isBest.has(one)),
    ...affordable.filter((one) => !isBest.has(one)),
  ];
  return { order, frontier: frontier.toSorted(byScore) };
}

function beats(one: CodingModel, other: CodingModel): boolean {
  const asGood = one.price <= other.price && one.score >= other.score;
  return asGood && (one.price < other.price || one.score > other.score);
}

/** The better first, of equals the cheaper, then by name. */
function byScore(one: CodingModel, other: CodingModel): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.price !== other.price) return one.price < other.price ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
