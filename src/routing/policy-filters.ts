import type { Price } from '../core/catalogue.ts';
import type { Collected, RoutingWishes } from './collect.ts';
import type { OwnCredentials } from './own-credentials.ts';
import { matchesProvider, providerEntries } from './provider-match.ts';
import type { FilterReason, RoutePolicy } from './route-plan.ts';

/** A hard rule, and whether it lets an endpoint pass. */
export type HardFilter = readonly [FilterReason, (collected: Collected) => boolean];

/**
 * The hard rules about whom prompts may be shown to: providers, countries and what they do with data (routing.md 3.2).
 * A rule that says nothing is left out.
 */
export function policyFilters(
  request: RoutingWishes,
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
 * Lists of providers allowed narrow each other, those ignored add up. Whoever an account trusts it trusts in any tier;
 * which tiers compete is the request's choice.
 */
function providerFilters({ provider, canonical }: RoutingWishes, policy: RoutePolicy): HardFilter[] {
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

function trainingFilters({ provider }: RoutingWishes, policy: RoutePolicy): HardFilter[] {
  const { forbidPaidTraining, forbidFreeTraining, forbidFreePublication } = policy;
  const denied = provider.dataCollection === 'deny';
  if (!denied && !forbidPaidTraining && !forbidFreeTraining && !forbidFreePublication) return [];
  const allowed = ({ facts: { endpoint } }: Collected): boolean => {
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
 * What an owner declares of a credential counts for its own copies, and nothing else of it does: an endpoint passes
 * when at least one way to reach it keeps nothing.
 */
function retentionFilters(
  { provider }: RoutingWishes,
  policy: RoutePolicy,
  own: OwnCredentials | undefined,
): HardFilter[] {
  if (provider.zdr !== true && policy.zeroRetention === undefined) return [];
  const passes = ({ candidate, facts: { endpoint } }: Collected): boolean => {
    if (!needsZeroRetention(candidate, provider.zdr, policy)) return true;
    if (!endpoint.provider.retainsPrompts) return true;
    return (
      own?.at(candidate, endpoint.provider.slug).covering.some((one) => one.declaredZdr === true) === true
    );
  };
  return [['data_policy:zdr', passes]];
}

/** Whether requests of a candidate may only go where nothing is kept. */
export function needsZeroRetention(
  { model }: Collected['candidate'],
  asked: boolean | undefined,
  policy: RoutePolicy,
): boolean {
  return asked === true || policy.zeroRetention?.(model) === true;
}
