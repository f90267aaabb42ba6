import type { Catalogue, Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { refuseFiltered, refuseWithoutEndpoints, unknownModel } from './availability.ts';
import { applyHardFilters } from './hard-filters.ts';
import { orderTargets } from './order.ts';
import type { RoutePlan, RoutePolicy, Target } from './route-plan.ts';

/**
 * Decides where a request may go and in which order (routing.md 3): a pure function of the request, the
 * account's policy and the catalogue. The order is the catalogue's own, bent by `provider.order` and a sort
 * by price.
 * @throws HeadgateError `model_not_found`, `no_endpoints` or `constraint_filtered`.
 */
export function planRoute(request: InferenceRequest, policy: RoutePolicy, catalogue: Catalogue): RoutePlan {
  const requested = request.models[0] ?? '';
  const models = request.models.map((slug) => findModel(slug, request, catalogue));
  const collected = collect(models, request);
  if (collected.length === 0) throw refuseWithoutEndpoints(request);
  const { kept, excluded } = applyHardFilters(collected, request, policy);
  if (kept.length === 0) throw refuseFiltered(request, excluded);
  const targets = orderTargets(kept, request);
  return { requested, targets, excluded, total: collected.length };
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

/** Whether everything the plan may reach costs nothing. */
export function isFree(plan: RoutePlan): boolean {
  return plan.targets.every(({ endpoint }) => {
    const price = endpoint.price;
    return price !== undefined && Object.values(price).every((amount) => amount === 0n);
  });
}
