import type { Model } from '../../core/catalogue.ts';
import { resolveSlug } from '../../core/resolve-slug.ts';
import type { RoutedModels } from '../../core/routed-models.ts';
import type { RouterId } from '../../core/router-names.ts';
import type { TaskTag } from '../../core/task-tags.ts';
import { emptyRouter } from '../../routing/unknown-model.ts';
import type { JsonObject } from '../../util/json.ts';
import { type EligibleModel, eligibleModels } from '../eligible-models.ts';
import { fitsAny } from '../model-patterns.ts';
import type { Router, RouterQuestion } from '../router.ts';
import { costTierOf, numberOf, settingsFor, textsOf } from '../router-settings.ts';
import { classifyByRules } from './classify-by-rules.ts';
import { placeOf, rankModels } from './rank-models.ts';

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
