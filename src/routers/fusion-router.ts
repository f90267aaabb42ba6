import type { Catalogue, Model } from '../core/catalogue.ts';
import {
  chosenPanel,
  type FusionPanels,
  type FusionPreset,
  fusionPresets,
  withFusion,
} from '../core/fusion.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import type { RoutedModels } from '../core/routed-models.ts';
import type { RouterId } from '../core/router-names.ts';
import { emptyRouter } from '../routing/unknown-model.ts';
import type { JsonObject } from '../util/json.ts';
import { eligibleModels } from './eligible-models.ts';
import type { Router, RouterQuestion } from './router.ts';
import { settingsFor } from './router-settings.ts';

const mostModels = 3;

/**
 * `service/fusion` and `service/fusion-flash` (docs/spec/routers.md#fusion): a model of a panel answers, and may ask the whole panel.
 * @param preset The panel of a request that names none.
 */
export function createFusionRouter(
  id: RouterId & `service/fusion${string}`,
  preset: FusionPreset,
  name: string,
): Router {
  return {
    id,
    name,
    description: 'A model answers that may ask a panel of others and have their answers compared.',
    belongs: (model, { rules, catalogue }) => {
      // A model that only some accounts see is asked about for one of them.
      const [accountId] = model.accounts ?? [];
      const slugs = answeringSlugs({ preset }, rules.fusion.panels);
      return slugs.some((slug) => modelOf(slug, catalogue, accountId) === model);
    },
    choose: (question) => choose(question, preset),
    prepare: (request, _catalogue, _accountId, isInner) =>
      isInner ? request : withFusion(request, settingsOf(request, preset)),
  };
}

function choose(question: RouterQuestion, preset: FusionPreset): RoutedModels {
  const { request, named, snapshot } = question;
  const { panels } = snapshot.rules.fusion;
  const settings = settingsOf(request, preset);
  // A panel that the request asks for by name and that is not there is its mistake; another one is not set up.
  const isNamed = fusionPresets.some((one) => one === settingsFor('fusion', request).preset);
  if (!isNamed && !Array.isArray(settings.analysis_models) && panels[preset] === undefined) {
    throw emptyRouter(named.slug, request);
  }
  const { models: panel, preset: used } = chosenPanel(settings, panels);
  const { catalogue, policy } = snapshot;
  const slugs = answeringSlugs(settings, panels);
  const wanted = slugs.flatMap((slug) => modelOf(slug, catalogue, policy.accountId) ?? []);
  // The tool is offered as a function.
  const asked = { ...request, parameters: [...request.parameters, 'tools'] };
  const able = eligibleModels({ ...question, request: asked }, (model) => wanted.includes(model));
  const ids = new Set(able.map(({ model }) => model.id));
  const models = [...new Set(wanted.map(({ id }) => id))].filter((id) => ids.has(id)).slice(0, mostModels);
  if (models.length === 0) throw emptyRouter(named.slug, request, 'has no model that can serve this request');
  return {
    router: named.routerId,
    strategy: 'fusion',
    models,
    entry: {
      type: 'plugin',
      name: 'fusion',
      summary: `${models[0]} answers, a panel of ${panel.length} may be asked`,
      data: { preset: used, panel: [...panel] },
    },
  };
}

/** What the request says, and the panel of the router where it names none. */
function settingsOf(request: InferenceRequest, preset: FusionPreset): JsonObject {
  return { preset, ...settingsFor('fusion', request) };
}

/** Who may answer, best first: the model of the settings, else the analyst of the panel; then the panel itself. */
function answeringSlugs(settings: JsonObject, panels: FusionPanels): readonly string[] {
  const preset = fusionPresets.find((one) => one === settings.preset);
  if (panels[preset ?? 'general-high'] === undefined && !Array.isArray(settings.analysis_models)) return [];
  const { analyst, models } = chosenPanel(settings, panels);
  return analyst === undefined ? models : [analyst, ...models];
}

function modelOf(slug: string, catalogue: Catalogue, accountId: string | undefined): Model | undefined {
  const found = resolveSlug(slug, catalogue, accountId);
  return found.outcome === 'model' ? found.model : undefined;
}
