import type { Model } from '../../core/catalogue.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { RoutedModels } from '../../core/routed-models.ts';
import type { RouterId } from '../../core/router-names.ts';
import type { RoutingRules } from '../../core/routing-rules.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import type { TaskTraffic } from '../../ports/router-statistics.ts';
import { emptyRouter } from '../../routing/unknown-model.ts';
import type { JsonObject } from '../../util/json.ts';
import { type EligibleModel, eligibleModels } from '../eligible-models.ts';
import type { Router, RouterQuestion } from '../router.ts';
import { costTierOf, numberOf, settingsFor, textsOf } from '../router-settings.ts';
import { classifyByRules } from './classify-by-rules.ts';
import { type CostWish, keepBand, percentileOf } from './cost-bands.ts';

/** The primary model and its fallbacks. */
const mostModels = 3;

/**
 * `service/auto` and `service/auto-beta` (docs/spec/routers.md#auto): the models that most is spent on for the kind of task,
 * within the cost that the request wants.
 */
export function createAutoRouter(id: RouterId & `service/auto${string}`, isBeta: boolean): Router {
  const pluginId = isBeta ? 'auto-beta-router' : 'auto-router';
  return {
    id,
    name: isBeta ? 'Auto Router (beta)' : 'Auto Router',
    description:
      'Recognises the kind of task and chooses the model that users spend the most on for that kind.',
    choosesByTask: true,
    belongs: isChosenUnasked,
    choose: (question) => choose(question, pluginId, isBeta),
  };
}

function choose(question: RouterQuestion, pluginId: string, isBeta: boolean): RoutedModels {
  const { request, snapshot, statistics, named, remembered } = question;
  const settings = settingsFor(pluginId, request);
  const able = eligibleModels(question, isChosenUnasked);
  const allowed = applyLists(able, settings);
  if (allowed.length === 0) throw emptyRouter(named.slug, request, whyEmpty(able, settings));
  const task = taskOf(question);
  const rules = snapshot.rules.auto;
  const ranking = rankModels(task.tag === undefined ? keepDefaults(allowed, question) : allowed, {
    task: task.tag,
    traffic: task.tag === undefined ? new Map() : statistics.traffic(task.tag),
    rules: { ...rules, defaultModels: defaultIds(question) },
    wish: { tier: costTierOf(settings.cost_tier), tradeoff: numberOf(settings.cost_quality_tradeoff) },
  });
  const first = ranking.ranked.slice(0, mostModels);
  const pinned = isBeta || settings.pin_model !== true ? undefined : pinnedOf(allowed, question);
  const sticky = first.find(({ id }) => id === remembered)?.id;
  const head = pinned ?? sticky;
  const order = [...(head === undefined ? [] : [head]), ...first.map(({ id }) => id)];
  const models = [...new Set(order)].slice(0, mostModels);
  const because = pinned !== undefined ? 'pinned' : sticky !== undefined ? 'sticky' : 'spend_share';
  return {
    router: named.routerId,
    strategy: 'auto',
    models,
    task: task.tag,
    entry: {
      type: 'plugin',
      name: pluginId,
      summary: `${models[0]} of ${allowed.length} candidates${task.tag === undefined ? '' : ` for ${task.tag}`}`,
      data: {
        ...(task.tag === undefined ? {} : { task_type: task.tag, classified_by: task.by }),
        ...(typeof ranking.band === 'number'
          ? { cost_ceiling_percentile: ranking.band }
          : { cost_tier: ranking.band }),
        considered: allowed.length,
        chosen_because: because,
        candidates: models.map((id) => describe(id, first)),
      },
    },
  };
}

/** Free variants have a router of their own, and limits that a caller who pays does not expect. */
function isChosenUnasked({ id }: Model): boolean {
  return !id.endsWith(':free');
}

/** Keeps the allowed models, then drops the excluded ones: exclusion wins. */
function applyLists(models: readonly EligibleModel[], settings: JsonObject): readonly EligibleModel[] {
  const allowed = textsOf(settings.allowed_models);
  const excluded = textsOf(settings.excluded_models) ?? [];
  return models.filter(
    ({ model }) => (allowed === undefined || fitsAny(allowed, model)) && !fitsAny(excluded, model),
  );
}

function whyEmpty(able: readonly EligibleModel[], settings: JsonObject): string {
  if (able.length === 0) return 'finds no model that can serve this request';
  const lists = ['allowed_models', 'excluded_models'].filter((name) => settings[name] !== undefined);
  return `finds no model that fits the request and its restrictions (${lists.join(', ')})`;
}

function taskOf({ request, task }: RouterQuestion): {
  readonly tag: TaskTag | undefined;
  readonly by: 'rules' | 'model';
} {
  return task ?? { tag: classifyByRules(request.canonical), by: 'rules' };
}

/** The ids of the operator's default models. */
function defaultIds({ snapshot: { rules, catalogue, policy } }: RouterQuestion): readonly string[] {
  return rules.auto.defaultModels.map((slug) => {
    const found = resolveSlug(slug, catalogue, policy.accountId);
    return found.outcome === 'model' ? found.model.id : slug;
  });
}

/** Without a task: the operator's default models, where any of them is left. */
function keepDefaults(models: readonly EligibleModel[], question: RouterQuestion): readonly EligibleModel[] {
  const ids = defaultIds(question);
  const kept = models.filter(({ model }) => placeOf(model.id, ids) < ids.length);
  return kept.length > 0 ? kept : models;
}

/** The model that the latest assistant message names, where it may serve. */
function pinnedOf(
  models: readonly EligibleModel[],
  { request, snapshot }: RouterQuestion,
): string | undefined {
  if (request.lastModel === undefined) return undefined;
  const found = resolveSlug(request.lastModel, snapshot.catalogue, snapshot.policy.accountId);
  if (found.outcome !== 'model') return undefined;
  return models.find(({ model }) => model === found.model)?.model.id;
}

function describe(id: string, ranked: ReturnType<typeof rankModels>['ranked']): JsonObject {
  const place = ranked.find((one) => one.id === id);
  if (place === undefined) return { model: id };
  return {
    model: id,
    spend_share: rounded(place.share),
    ...(Number.isNaN(place.percentile) ? {} : { cost_percentile: rounded(place.percentile) }),
  };
}

function rounded(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/**
 * Whether a model fits one of the patterns of a router's settings (docs/spec/routers.md#patterns): each is compared with
 * the whole id without variant, whatever the case, and `*` stands for any run of characters.
 */
function fitsAny(patterns: readonly string[], { id }: Pick<Model, 'id'>): boolean {
  const name = (id.split(':', 1)[0] ?? id).toLowerCase();
  return patterns.some((pattern) => fits(pattern.toLowerCase(), name));
}

/** In steps that never go back, because a pattern may have hundreds of stars. */
function fits(pattern: string, name: string): boolean {
  const [start = '', ...others] = pattern.split('*');
  const end = others.pop();
  if (end === undefined) return pattern === name;
  if (name.length < start.length + end.length || !name.startsWith(start) || !name.endsWith(end)) return false;
  const last = name.length - end.length;
  let at = start.length;
  for (const part of others) {
    const found = name.indexOf(part, at);
    if (found === -1 || found + part.length > last) return false;
    at = found + part.length;
  }
  return true;
}

/** What the prior weighs against own spend: 5 USD, in nano-USD. */
const priorWeight = 5e9;
/** With fewer generations the mean cost of a model says nothing, and its list price counts. */
const fewestSamples = 20;
/** Tokens of a usual generation, by which list prices are compared. */
const usualTokens = { input: 2_000n, output: 500n };

/** A model with its place. */
interface RankedModel {
  readonly id: string;
  /** The part of the spend for the task, from 0 to 1. */
  readonly share: number;
  /** The place of its cost, from 0 to 100. */
  readonly percentile: number;
}

/** What decides the order of models for a task. */
interface RankingFacts {
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
function rankModels(
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
function placeOf(id: string, slugs: readonly string[]): number {
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
