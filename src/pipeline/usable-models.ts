import type { Model } from '../core/catalogue.ts';
import { resolveSlug } from '../core/resolve-slug.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import { allowsModel } from '../routing/allowed-models.ts';
import { collectEndpoints } from '../routing/collect-endpoints.ts';
import { OwnCredentials } from '../routing/own-credentials.ts';
import { policyFilters } from '../routing/policy-filters.ts';
import type { Caller } from '../settlement/caller.ts';
import { modelLimitsOf, policyOf } from './evaluate-request.ts';
import type { Services } from './services.ts';

const noWishes = { provider: {}, canonical: { serviceTier: undefined } };

/** Says for each model whether a caller's key and guardrails allow it (docs/spec/catalogue.md#listings). */
export function allowedTo(
  caller: Caller | undefined,
  services: Pick<Services, 'catalogue' | 'guardrails'>,
): (model: Model) => boolean {
  const limits = caller && modelLimitsOf(caller, services);
  const catalogue = services.catalogue();
  return (model) => allowsModel(limits, model, catalogue);
}

/**
 * Says for each model whether a caller may use it and some endpoint of it may serve a plain request, by what the account
 * and its operator decided (docs/spec/catalogue.md#listings, `/models/user`).
 */
export function usableBy(caller: Caller, services: Services): (model: Model) => boolean {
  const policy = policyOf(caller, services);
  const { credentials = [], pricedOnly, accountId } = policy;
  const own = credentials.length === 0 ? undefined : new OwnCredentials(credentials, services.catalogue());
  const filters = policyFilters(noWishes, policy, own);
  const isAllowed = allowedTo(caller, services);
  return (model) => {
    if (!isAllowed(model)) return false;
    const collected = collectEndpoints([{ model, slug: model.id }], noWishes, accountId);
    return collected.some(
      (one) =>
        (!pricedOnly || one.facts.endpoint.price !== undefined) && filters.every(([, passes]) => passes(one)),
    );
  };
}

/** Says for each model whether a credential and the key it is used with are for it. */
export function servedWith(
  credential: ProviderCredential,
  caller: Caller,
  services: Pick<Services, 'catalogue' | 'guardrails'>,
): (model: Model) => boolean {
  const catalogue = services.catalogue();
  const own = new OwnCredentials([credential], catalogue);
  const limits = modelLimitsOf(caller, services);
  return (model) =>
    own.at({ model, slug: model.id }, credential.provider).covering.length > 0 &&
    allowsModel(limits, model, catalogue);
}

/** The models that a key may use and that are listed, to search for one. */
export function searchableModels(caller: Caller, services: Services): readonly Model[] {
  const catalogue = services.catalogue();
  const isUsable = usableBy(caller, services);
  return [...catalogue.models.values()].filter(
    (model) =>
      model.hidden !== true &&
      model.retired === undefined &&
      (model.accounts === undefined || model.accounts.has(caller.account.id)) &&
      isUsable(model),
  );
}

/** Whether a caller can name a slug for a request: it is that of a model in service that the key allows, or of a router. */
export function canName(
  slug: string,
  caller: Caller,
  services: Pick<Services, 'catalogue' | 'guardrails'>,
): boolean {
  const catalogue = services.catalogue();
  const found = resolveSlug(slug, catalogue, caller.account.id);
  if (found.outcome === 'router') return true;
  return found.outcome === 'model' && allowsModel(modelLimitsOf(caller, services), found.model, catalogue);
}
