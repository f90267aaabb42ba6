import type { Endpoint, Model } from '../../src/core/catalogue.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { RoutePlan, Target } from '../../src/routing/route-plan.ts';

/** A place in a plan; with a credential, one of the account's own. */
export function targetOf(model: Model, endpoint: Endpoint, credential?: ProviderCredential): Target {
  const own = credential !== undefined;
  return { model, endpoint, credential, credentialClass: own ? 0 : 1, ownCredential: own };
}

/** A plan that tries these in order. */
export function planOf(targets: readonly Target[]): RoutePlan {
  const models = [...new Set(targets.map(({ model }) => model))];
  return {
    requested: models[0]?.id ?? '',
    candidates: models.map((model) => ({ model, slug: model.id })),
    targets,
    excluded: [],
    passedOver: [],
    total: targets.length,
    used: new Map(),
  };
}
