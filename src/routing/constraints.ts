import { type Feature, features } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { factsOf } from './endpoint-facts.ts';
import { matchesProvider, providerEntries } from './provider-match.ts';
import type { CollectedEndpoint, FilterReason, PassedOverReason } from './route-plan.ts';

/**
 * A field of the request and a description of what it demands: `availability.constraint` of
 * docs/spec/errors.md#availability.
 */
export interface Constraint {
  readonly field: string;
  readonly detail: string;
}

/** Not a limit that the request set: an endpoint without a known price cannot be charged to limited money. */
const unpricedConstraint: Constraint = {
  field: 'model',
  detail: 'the need for a stated price where credits are paid in advance or the key has a limit',
};

/** The constraint of a feature that an endpoint lacks. */
export function constraintOfFeature(feature: Feature, used: FeaturesUsed): Constraint {
  return { field: used.get(feature) ?? 'input', detail: `the need for "${features[feature]}"` };
}

/**
 * The constraint of a hard rule, with the request's own values.
 * @param excluded The endpoint that the rule excluded.
 */
export function constraintOfFilter(
  reason: FilterReason,
  request: InferenceRequest,
  excluded: CollectedEndpoint | undefined,
): Constraint {
  const { provider, canonical, parameters } = request;
  switch (reason) {
    case 'allowed_providers':
      return providerConstraint(request, excluded);
    case 'geo':
      return { field: 'provider', detail: 'the country this service stands in' };
    case 'data_region':
      return { field: 'provider', detail: 'the region data must stay in' };
    case 'data_policy:training':
      return provider.dataCollection === 'deny'
        ? { field: 'provider.data_collection', detail: 'the refusal of training on prompts' }
        : { field: 'provider', detail: 'the account’s refusal of training on prompts' };
    case 'data_policy:zdr':
      return provider.zdr === true
        ? { field: 'provider.zdr', detail: 'the demand for zero data retention' }
        : { field: 'provider', detail: 'the account’s demand for zero data retention' };
    case 'distillable':
      return { field: 'provider.enforce_distillable_text', detail: 'the demand for distillable text' };
    case 'modality':
      return { field: 'input', detail: 'the kind of content in the input or asked for' };
    case 'quantization':
      return {
        field: 'provider.quantizations',
        detail: `the list of quantizations${shown(provider.quantizations)}`,
      };
    case 'context_length':
      return lengthConstraint(canonical.maxOutputTokens);
    case 'max_price':
      if (excluded !== undefined && excluded.endpoint.price === undefined) return unpricedConstraint;
      return { field: 'provider.max_price', detail: `the price limit${shownPrices(provider.maxPrice)}` };
    case 'require_parameters':
      return {
        field: 'provider.require_parameters',
        detail: `the demand that every parameter is supported${shown(parameters)}`,
      };
  }
}

/** The constraint that keeps suitable endpoints from being tried. */
export function constraintOfPassing(reason: PassedOverReason, { provider }: InferenceRequest): Constraint {
  if (reason === 'own_credentials') {
    return { field: 'byok', detail: 'the lack of a provider credential that may be used' };
  }
  return {
    field: 'provider.order',
    detail: `the list of providers to try${shown(provider.order)} without fallbacks`,
  };
}

/** The request's list that excludes the endpoint; the account's when neither does. */
function providerConstraint(
  { provider: { only, ignore }, canonical }: InferenceRequest,
  excluded: CollectedEndpoint | undefined,
): Constraint {
  const facts = excluded && factsOf(excluded.model).find(({ endpoint }) => endpoint === excluded.endpoint);
  const names = (list: readonly string[], tier: string | undefined) =>
    facts !== undefined && providerEntries(list).some((entry) => matchesProvider(entry, facts, tier));
  if (only !== undefined && !names(only, canonical.serviceTier))
    return { field: 'provider.only', detail: `the list of allowed providers${shown(only)}` };
  if (ignore !== undefined && names(ignore, facts?.endpoint.tier))
    return { field: 'provider.ignore', detail: `the list of ignored providers${shown(ignore)}` };
  return { field: 'provider', detail: 'the account’s list of allowed or ignored providers' };
}

function lengthConstraint(output: number | undefined): Constraint {
  if (output === undefined) return { field: 'input', detail: 'the length of the input' };
  return {
    field: 'max_output_tokens',
    detail: `the length of the input and of the wanted output (${output})`,
  };
}

function shownPrices(prices: InferenceRequest['provider']['maxPrice']): string {
  return shown(
    Object.entries(prices ?? {}).flatMap(([name, limit]) => (limit === undefined ? [] : `${name} ${limit}`)),
  );
}

const maxShown = 10;

function shown(values: readonly string[] | undefined): string {
  if (values === undefined || values.length === 0) return '';
  const more = values.length > maxShown ? ', …' : '';
  return ` (${values
    .slice(0, maxShown)
    .map((value) => value.slice(0, 60))
    .join(', ')}${more})`;
}
