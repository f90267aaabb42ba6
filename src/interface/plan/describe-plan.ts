import type { HeadgateError } from '../../core/errors.ts';
import type { InferenceRequest } from '../../core/inference-request.ts';
import { usdOrNull } from '../../core/money.ts';
import { toProblem } from '../../edge/problem.ts';
import type { ExplainedExclusion, ExplainedTarget, RouteExplanation } from '../../pipeline/explain-route.ts';
import type { Static } from '../../util/json-schema.ts';
import { describeUnits } from '../models/describe-price.ts';
import type { RoutePlan } from '../schemas/route-plan.ts';

type Plan = Static<typeof RoutePlan>;

const credentialWords = ['own', 'shared', 'own_fallback'] as const;

/** A route explanation as clients see it. Costs are in USD; prices are decimal text in USD per unit. */
export function describePlan(
  request: InferenceRequest,
  explanation: RouteExplanation,
  region: string | undefined,
): Plan {
  const { candidates, promptTokens, targets, excluded, costCeiling, refusal, verdict } = explanation;
  return {
    object: 'route_plan',
    requested: request.models,
    region: region ?? null,
    models: candidates.map(({ model, slug, variant, alias, router }) => ({
      requested: slug,
      id: model.id,
      named_by: router === undefined ? (alias ?? 'name') : 'router',
      variant: variant ?? null,
    })),
    routers: [...new Set(candidates.flatMap(({ router }) => router ?? []))].map(
      ({ router, strategy, entry }) => ({
        slug: router,
        strategy,
        summary: entry.summary ?? '',
        data: entry.data ?? {},
      }),
    ),
    prompt_tokens: promptTokens,
    max_output_tokens: request.canonical.maxOutputTokens ?? null,
    plan: targets.map(describeTarget),
    excluded: excluded.map(describeExclusion),
    cost_ceiling: usdOrNull(costCeiling),
    refusal: refusal === undefined ? null : describeError(refusal),
    verdict: {
      admitted: verdict === undefined,
      error: verdict === undefined ? null : describeError(verdict),
    },
  };
}

function describeTarget(
  { target, because, price, costCeiling, alterations }: ExplainedTarget,
  place: number,
): Plan['plan'][number] {
  const { model, endpoint, credential, credentialClass } = target;
  return {
    position: place + 1,
    provider: endpoint.provider.name,
    provider_slug: endpoint.provider.slug,
    tag: endpoint.tag,
    tier: endpoint.tier,
    model: model.id,
    credential: credentialWords[credentialClass],
    credential_label: credential?.label ?? null,
    is_byok: credential !== undefined,
    pricing: price === undefined ? null : describeUnits(price),
    list_cost_ceiling: usdOrNull(costCeiling),
    because,
    alterations,
  };
}

function describeExclusion({ model, endpoint, reason }: ExplainedExclusion): Plan['excluded'][number] {
  return {
    provider: endpoint.provider.name,
    provider_slug: endpoint.provider.slug,
    tag: endpoint.tag,
    model: model.id,
    reason,
  };
}

/** The error as the request itself would get it. */
function describeError(error: HeadgateError): unknown {
  return toProblem(error).body.error;
}
