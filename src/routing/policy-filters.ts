import type { Price } from '../core/catalogue.ts';
import type { CollectedEndpoints, EndpointFacts, RoutingCriteria } from './collect-endpoints.ts';
import type { OwnCredentials } from './own-credentials.ts';
import type { FilterReason, RoutePolicy } from './route-plan.ts';

/** A hard rule, and whether an endpoint passes it. */
export type HardFilter = readonly [FilterReason, (collected: CollectedEndpoints) => boolean];

/**
 * The hard rules about who may see prompts: providers, countries and data policies (docs/spec/routing.md#hard-filters).
 * Rules without any restriction are left out.
 */
export function policyFilters(
  request: RoutingCriteria,
  policy: RoutePolicy,
  own: OwnCredentials | undefined,
): readonly HardFilter[] {
  return [
    ...providerFilters(request, policy),
    ...placeFilters(policy),
    ...trainingFilters(request, policy),
    ...retentionFilters(request, policy, own),
  ];
}

/**
 * Lists of allowed providers narrow each other; lists of ignored ones add up. An account that allows a provider
 * allows all its tiers; the request decides which tiers compete.
 */
function providerFilters({ provider, canonical }: RoutingCriteria, policy: RoutePolicy): HardFilter[] {
  const { only, ignore } = provider;
  const filters: HardFilter[] = [];
  for (const list of policy.allowedProviders ?? []) {
    const entries = providerEntries(list);
    filters.push([
      'allowed_providers',
      ({ facts }) => entries.some((entry) => matchesProvider(entry, facts, facts.endpoint.tier)),
    ]);
  }
  if (only !== undefined) {
    const entries = providerEntries(only);
    filters.push([
      'allowed_providers',
      ({ facts }) => entries.some((entry) => matchesProvider(entry, facts, canonical.serviceTier)),
    ]);
  }
  const ignored = providerEntries([...(policy.ignoredProviders ?? []), ...(ignore ?? [])]);
  if (ignored.length > 0) {
    filters.push([
      'allowed_providers',
      ({ facts }) => !ignored.some((entry) => matchesProvider(entry, facts, facts.endpoint.tier)),
    ]);
  }
  return filters;
}

function placeFilters({ country, dataRegions }: RoutePolicy): HardFilter[] {
  const filters: HardFilter[] = [];
  if (country !== undefined) {
    filters.push(['geo', ({ facts }) => !facts.endpoint.provider.refusedCountries?.includes(country)]);
  }
  if (dataRegions !== undefined) {
    filters.push([
      'data_region',
      ({ facts: { endpoint } }) =>
        endpoint.dataRegion !== undefined && dataRegions.includes(endpoint.dataRegion),
    ]);
  }
  return filters;
}

function trainingFilters({ provider }: RoutingCriteria, policy: RoutePolicy): HardFilter[] {
  const { forbidPaidTraining, forbidFreeTraining, forbidFreePublication } = policy;
  const denied = provider.dataCollection === 'deny';
  if (!denied && !forbidPaidTraining && !forbidFreeTraining && !forbidFreePublication) return [];
  const allowed = ({ facts: { endpoint } }: CollectedEndpoints): boolean => {
    const { trainsOnPrompts: trains, publishesPrompts: publishes } = endpoint.provider;
    if (denied && (trains || publishes)) return false;
    if (isFree(endpoint.price))
      return !(trains && forbidFreeTraining) && !(publishes && forbidFreePublication);
    return !(trains && forbidPaidTraining);
  };
  return [['data_policy:training', allowed]];
}

function isFree(price: Price | undefined): boolean {
  return price !== undefined && price.prompt === 0n && price.completion === 0n;
}

/**
 * The owner's declaration about a credential applies only to endpoints with that credential: an endpoint passes when
 * at least one credential leads to no retention.
 */
function retentionFilters(
  { provider }: RoutingCriteria,
  policy: RoutePolicy,
  own: OwnCredentials | undefined,
): HardFilter[] {
  if (provider.zdr !== true && policy.zeroRetention === undefined) return [];
  const passes = ({ candidate, facts: { endpoint } }: CollectedEndpoints): boolean => {
    if (!needsZeroRetention(candidate, provider.zdr, policy)) return true;
    if (!endpoint.provider.retainsPrompts) return true;
    return (
      own?.at(candidate, endpoint.provider.slug).covering.some((one) => one.declaredZdr === true) === true
    );
  };
  return [['data_policy:zdr', passes]];
}

/** Whether requests of a candidate may only go where nothing is retained. */
export function needsZeroRetention(
  { model }: CollectedEndpoints['candidate'],
  requested: boolean | undefined,
  policy: RoutePolicy,
): boolean {
  return requested === true || policy.zeroRetention?.(model) === true;
}

/** One entry of `order`, `only` or `ignore` (docs/spec/routing.md#provider-names), normalized for comparison. */
type ProviderEntry = string;

/** Normalizes the entries of a list, because case does not count. */
export function providerEntries(list: readonly string[]): readonly ProviderEntry[] {
  return list.map((entry) => entry.toLowerCase());
}

/**
 * Whether an entry names an endpoint (docs/spec/routing.md#provider-names): a tag names that endpoint; a provider's
 * slug or name means all its default-tier endpoints and those of an opted-in tier.
 */
export function matchesProvider(
  entry: ProviderEntry,
  { tag, provider, providerName, endpoint }: EndpointFacts,
  tier: string | undefined,
): boolean {
  if (tag === entry) return true;
  if (provider !== entry && providerName !== entry) return false;
  return endpoint.tier === 'default' || endpoint.tier === tier;
}
