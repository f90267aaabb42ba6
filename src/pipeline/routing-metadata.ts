import type { JsonObject } from '../core/request.ts';
import type { ProviderAttempt } from '../ports/generations.ts';
import type { OpenAnswer } from '../routing/attempt.ts';
import type { RoutePlan } from '../routing/route-plan.ts';

/**
 * The `service_metadata` of an answer or of an error after routing began (responses.md 7.4, routing.md 8).
 * @param open The endpoint that answered, with what was altered for it.
 */
export function routingMetadata(
  plan: RoutePlan,
  attempts: readonly ProviderAttempt[],
  open: Pick<OpenAnswer, 'target' | 'translation'> | undefined,
): JsonObject {
  const selected = open?.target;
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
    ...(open === undefined || open.translation.alterations.length === 0
      ? {}
      : { pipeline: [translationStage(open)] }),
  };
}

/** Which fields of the request were altered for the endpoint that answered, and how. */
function translationStage({ target, translation }: Pick<OpenAnswer, 'target' | 'translation'>): JsonObject {
  const fields = translation.alterations;
  const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
  return {
    type: 'plugin',
    name: 'translation',
    summary: `${count} altered for ${target.endpoint.provider.name}`,
    data: { fields },
  };
}
