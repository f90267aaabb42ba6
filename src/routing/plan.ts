import type { Catalogue, Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { type FeaturesUsed, featuresUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import {
  type AlteredTarget,
  refuseAltered,
  refuseFiltered,
  refuseWithoutEndpoints,
  unknownModel,
} from './availability.ts';
import { applyHardFilters } from './hard-filters.ts';
import { orderTargets } from './order.ts';
import type { RoutePlan, RoutePolicy, Target } from './route-plan.ts';

/**
 * Decides where a request may go and in which order (routing.md 3): a pure function of the request, the
 * account's policy and the catalogue. The order is the catalogue's own, bent by `provider.order` and a sort
 * by price.
 * @throws HeadgateError `model_not_found`, `no_endpoints`, `constraint_filtered`, `invalid_request` for what no
 * endpoint of these models can be asked, and `unprocessable` when a strict request would have to be altered.
 */
export function planRoute(
  request: InferenceRequest,
  policy: RoutePolicy,
  catalogue: Catalogue,
  upstreams: UpstreamRegistry,
): RoutePlan {
  const requested = request.models[0] ?? '';
  const models = findModels(request, catalogue);
  const collected = collect(models, request);
  if (collected.length === 0) throw refuseWithoutEndpoints(request);
  const used = featuresUsed(request.canonical);
  const { kept, excluded } = applyHardFilters(collected, request, { policy, upstreams, used });
  if (kept.length === 0) throw refuseFiltered(request, excluded, used);
  const able = request.strict ? keepUnaltered(kept, request, used, upstreams) : kept;
  const targets = orderTargets(able, request);
  return { requested, targets, excluded, total: collected.length, used };
}

/** The endpoints that serve a request without altering anything of it (`X-Service-Strict`). */
function keepUnaltered(
  targets: readonly Target[],
  { canonical }: InferenceRequest,
  used: FeaturesUsed,
  upstreams: UpstreamRegistry,
): readonly Target[] {
  const altered: AlteredTarget[] = [];
  const kept = targets.filter((target) => {
    const { provider, upstreamModel } = target.endpoint;
    const support = upstreams.get(provider.adapter)?.support(provider, upstreamModel);
    const [alteration] =
      support === undefined ? [] : translate(canonical, used, { ...target, support }).alterations;
    if (alteration !== undefined) altered.push({ target, alteration });
    return alteration === undefined;
  });
  if (kept.length === 0) throw refuseAltered(altered);
  return kept;
}

/**
 * The models a request names, in its order.
 * @throws HeadgateError `model_not_found`.
 */
export function findModels(request: InferenceRequest, catalogue: Catalogue): readonly Model[] {
  return request.models.map((slug) => findModel(slug, request, catalogue));
}

function findModel(slug: string, request: InferenceRequest, catalogue: Catalogue): Model {
  const model = catalogue.models.get(slug) ?? catalogue.models.get(slug.toLowerCase());
  if (model === undefined) throw unknownModel(slug, request, catalogue);
  return model;
}

/** Default-tier endpoints and those of a tier the request opts in to (routing.md 3.1, 4). */
function collect(models: readonly Model[], request: InferenceRequest): readonly Target[] {
  const wanted = request.canonical.serviceTier;
  const named = [...(request.provider.only ?? []), ...(request.provider.order ?? [])];
  const seen = new Set<Model>();
  const targets: Target[] = [];
  for (const model of models) {
    if (seen.has(model)) continue;
    seen.add(model);
    for (const endpoint of model.endpoints) {
      const optedIn = endpoint.tier === 'default' || endpoint.tier === wanted || named.includes(endpoint.tag);
      if (optedIn) targets.push({ model, endpoint });
    }
  }
  return targets;
}
