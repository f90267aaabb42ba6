import type { Catalogue, Model } from '../../src/core/catalogue.ts';
import { type FusionPanel, type FusionPanels, fusionPresets } from '../../src/core/fusion.ts';
import type { InferenceRequest, PluginEntry } from '../../src/core/inference-request.ts';
import { nanoFromInteger, type PicoUsd } from '../../src/core/money.ts';
import type { AutoRules } from '../../src/core/routing-rules.ts';
import { taskTags } from '../../src/core/task-tags.ts';
import type { RouterStatistics, TaskTraffic } from '../../src/ports/router-statistics.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import { randomCatalogue } from '../routing/random-catalogue.ts';
import { type Chooser, chooserOf } from '../routing/random-numbers.ts';
import { randomSituation, randomStatistics } from '../routing/random-situations.ts';

/** A question to a router, as random as the rules allow. */
export interface RandomQuestion {
  readonly request: InferenceRequest;
  readonly slug: string;
  readonly snapshot: RoutingSnapshot;
  readonly allowedModels: readonly string[] | null;
  readonly statistics: RouterStatistics;
  readonly remembered: string | undefined;
  /** As a classifying model would say it. */
  readonly task: { readonly tag: (typeof taskTags)[number] | undefined; readonly by: 'model' };
}

const statistics = randomStatistics(7);
const slugs = [
  'service/auto',
  'service/auto-beta',
  'service/free',
  'service/pareto-code',
  'service/pareto-code:nitro',
  'service/fusion',
  'service/fusion-flash',
  'service/fusion:floor',
];
const patterns = [
  '*',
  'acme/*',
  'acme/model-1*',
  '*-2',
  'ACME/*-3',
  '*/model-*',
  'other/*',
  'acme/model-4',
  '*1*0*',
  'acme/*:free',
];

/** The question of a seed: always the same one. */
export function randomQuestion(seed: number): RandomQuestion {
  const choose = chooserOf(seed * 31 + 5);
  const catalogue = routerCatalogue(choose, seed % 400);
  const { request, snapshot } = randomSituation(seed, catalogue, statistics);
  const slug = choose.one(slugs);
  const ids = [...catalogue.models.keys()];
  return {
    slug,
    request: {
      ...request,
      models: [slug],
      plugins: [...randomPlugins(choose), randomFusion(choose, ids)],
      lastModel: choose.chance(0.5) ? choose.one(ids) : undefined,
      parameters: request.parameters,
    },
    snapshot: {
      ...snapshot,
      rules: {
        ...snapshot.rules,
        maxModels: 100,
        auto: randomRules(choose, ids),
        fusion: { panels: randomPanels(choose, ids) },
      },
      sticky: undefined,
    },
    allowedModels: choose.chance(0.8) ? null : ['acme/model-1*', 'acme/model-2', 'acme/model-3*'],
    statistics: randomTraffic(choose, ids),
    remembered: choose.chance(0.5) ? choose.one(ids) : undefined,
    task: { tag: choose.chance(0.2) ? undefined : choose.one(taskTags.slice(0, 2)), by: 'model' },
  };
}

/** A small catalogue with free variants, coding percentiles and sometimes nothing but models of the sandbox. */
function routerCatalogue(choose: Chooser, seed: number): Catalogue {
  const { models, ...others } = randomCatalogue(seed, 2 + choose.below(18), 1 + choose.below(2));
  const simulated = choose.chance(0.05);
  const changed = [...models.values()].map((model): Model => {
    const base = simulated || choose.chance(0.1) ? model.id.replace('acme/', 'sandbox/') : model.id;
    const isFree = choose.chance(0.25) && !base.endsWith(':free');
    return {
      ...model,
      id: isFree ? `${base}:free` : base,
      created: choose.below(3),
      fastSibling: undefined,
      hidden: choose.chance(0.1),
      ...(choose.chance(0.7)
        ? { listing: { codingPercentile: choose.one([10, 49, 50, 74, 75, 89, 90, 99]) } }
        : {}),
    };
  });
  return { ...others, models: new Map(changed.map((model) => [model.id, model])) };
}

function randomPlugins(choose: Chooser): readonly PluginEntry[] {
  const lists = {
    ...(choose.chance(0.4) ? { allowed_models: choose.some(patterns, 0.4) } : {}),
    ...(choose.chance(0.3) ? { excluded_models: choose.some(patterns.slice(2), 0.2) } : {}),
    ...(choose.chance(0.5) ? { cost_tier: choose.one(['low', 'medium', 'high', 'xhigh', 'max']) } : {}),
    ...(choose.chance(0.6) ? { cost_quality_tradeoff: choose.below(11) } : {}),
  };
  const entry = (id: string, settings: PluginEntry['settings']): PluginEntry => ({
    id,
    enabled: choose.chance(0.9),
    settings,
  });
  return [
    entry('auto-router', { ...lists, ...(choose.chance(0.5) ? { pin_model: choose.chance(0.7) } : {}) }),
    entry('auto-beta-router', lists),
    entry('pareto-router', {
      ...(choose.chance(0.5) ? { min_coding_score: choose.one([0, 0.2, 0.33, 0.5, 0.66, 1]) } : {}),
      ...(choose.chance(0.5) ? { max_price: choose.one([0, 0.5, 1, 2.5, 100]) } : {}),
      ...(choose.chance(0.5) ? { price_source: choose.one(['prompt', 'weighted_avg']) } : {}),
    }),
  ];
}

/** Models of a panel, among them some that the catalogue lacks. */
function members(choose: Chooser, ids: readonly string[]): readonly string[] {
  const some = choose.some([...ids, 'acme/not-there'], choose.one([0.1, 0.4]));
  return some.length > 0 ? some : [choose.one(ids)];
}

function randomFusion(choose: Chooser, ids: readonly string[]): PluginEntry {
  return {
    id: 'fusion',
    enabled: choose.chance(0.8),
    settings: {
      ...(choose.chance(0.3) ? { preset: choose.one(fusionPresets) } : {}),
      ...(choose.chance(0.3) ? { analysis_models: members(choose, ids) } : {}),
      ...(choose.chance(0.3) ? { model: choose.one(ids) } : {}),
    },
  };
}

function randomPanels(choose: Chooser, ids: readonly string[]): FusionPanels {
  const panel = (): FusionPanel => ({
    models: members(choose, ids),
    ...(choose.chance(0.5) ? { analyst: choose.one(ids) } : {}),
  });
  const set = fusionPresets.filter(() => choose.chance(0.7));
  return Object.fromEntries(set.map((preset) => [preset, panel()]));
}

function randomRules(choose: Chooser, ids: readonly string[]): AutoRules {
  return {
    defaultModels: choose.some(ids, 0.2),
    classifierTimeout: 300,
    priors: choose.chance(0.5)
      ? { [taskTags[0]]: Object.fromEntries(choose.some(ids, 0.4).map((id) => [id, choose.number()])) }
      : {},
  };
}

function randomTraffic(choose: Chooser, ids: readonly string[]): RouterStatistics {
  const traffic = new Map<string, TaskTraffic>(
    choose.some(ids, choose.one([0, 0.5, 1])).map((id) => [
      id,
      {
        spend: nanoFromInteger(choose.one([0, 1_000, 2_000_000, 9_000_000_000])),
        generations: choose.one([1, 19, 20, 500]),
      },
    ]),
  );
  const prices = new Map(
    choose.some(ids, 0.5).map((id) => [id, (BigInt(choose.below(4)) * 500_000n) as PicoUsd]),
  );
  const none: ReadonlyMap<string, TaskTraffic> = new Map();
  return {
    ready: async () => {},
    traffic: (task) => (task === taskTags[1] ? none : traffic),
    inputPrice: (id) => prices.get(id),
  };
}
