import type { JsonObject } from '../core/request.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { RoutePlan, Target } from '../routing/route-plan.ts';

/** The `service_metadata` of an answer or of an error after routing began (responses.md 7.4, routing.md 8). */
export function routingMetadata(
  plan: RoutePlan,
  attempts: readonly ProviderAttempt[],
  selected: Target | undefined,
): JsonObject {
  const available = plan.targets.map((target) => ({
    provider: target.endpoint.provider.name,
    model: target.model.id,
    selected: target === selected,
  }));
  const names = new Map(plan.targets.map(({ endpoint }) => [endpoint.provider.slug, endpoint.provider.name]));
  const otherModel = selected !== undefined && selected.model !== plan.targets[0]?.model;
  const choice = selected === undefined ? 'none' : selected.endpoint.provider.name;
  return {
    requested: plan.requested,
    strategy: otherModel ? 'fallback' : 'direct',
    region: null,
    summary: `available=${available.length}, selected=${choice}`,
    attempt: attempts.length,
    is_byok: false,
    endpoints: { total: plan.total, available },
    ...(attempts.length === 0
      ? {}
      : {
          attempts: attempts.map(({ provider, model, status }) => ({
            provider: names.get(provider) ?? provider,
            model,
            status,
          })),
        }),
  };
}
