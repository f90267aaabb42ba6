import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { resolveCandidates } from '../../src/routing/candidates.ts';
import { planRoute, type RouteJudgement } from '../../src/routing/plan.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';

/**
 * The plan of a request for the models its snapshot knows.
 * @throws HeadgateError when routing refuses it.
 */
export function planOrThrow(request: InferenceRequest, snapshot: RoutingSnapshot): RouteJudgement {
  const candidates = resolveCandidates(request, {
    catalogue: snapshot.catalogue,
    accountId: snapshot.policy.accountId,
    maxModels: snapshot.rules.maxModels,
  });
  const plan = planRoute(request, snapshot, candidates);
  if (plan.refusal !== undefined) throw plan.refusal;
  return plan;
}
