import type { Model } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { able, settingsOf } from './naive-routers.ts';
import type { RandomQuestion } from './random-routing.ts';

/**
 * What a fusion router chooses as one reads docs/spec/routers.md#fusion: undefined where it has nothing to choose from,
 * `mistake` where the request names a panel that is not there.
 */
export function naiveFusion(question: RandomQuestion): readonly string[] | 'mistake' | undefined {
  const { request, snapshot, slug } = question;
  const { panels } = snapshot.rules.fusion;
  const settings = settingsOf(question, 'fusion');
  const named = settings.preset as keyof typeof panels | undefined;
  const preset = named ?? (slug.startsWith('service/fusion-flash') ? 'general-fast' : 'general-high');
  const explicit = settings.analysis_models as readonly string[] | undefined;
  const panel = panels[preset];
  if (explicit === undefined && panel === undefined) return named === undefined ? undefined : 'mistake';
  const first = settings.model ?? panel?.analyst;
  const members = explicit ?? panel?.models ?? [];
  const order = [...(typeof first === 'string' ? [first] : []), ...members];
  const wanted = [...new Set(order)].flatMap((id): Model[] => {
    const model = snapshot.catalogue.models.get(id);
    return model === undefined ? [] : [model];
  });
  // The answering model is offered the panel as a function.
  const asked: InferenceRequest = { ...request, parameters: [...request.parameters, 'tools'] };
  const usable = able({ ...question, request: asked }, (model) => wanted.includes(model));
  const chosen = wanted.filter((model) => usable.has(model)).slice(0, 3);
  return chosen.length === 0 ? undefined : chosen.map(({ id }) => id);
}
