import type { Endpoint, Model } from '../../src/core/catalogue.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { RoutePlan, Target } from '../../src/routing/route-plan.ts';

/** A place in a plan; with a credential, one of the account's own. */
export function targetOf(model: Model, endpoint: Endpoint, credential?: ProviderCredential): Target {
  return { model, endpoint, credential, credentialClass: credential === undefined ? 1 : 0 };
}

/** A plan that tries these in order. */
export function planOf(targets: readonly Target[]): RoutePlan {
  const models = [...new Set(targets.map(({ model }) => model))];
  return {
    requested: models.map(({ id }) => id),
    candidates: models.map((model) => ({ model, slug: model.id })),
    targets,
    excluded: [],
    passedOver: [],
    total: targets.length,
    used: new Map(),
  };
}
