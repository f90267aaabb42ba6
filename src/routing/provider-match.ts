import type { EndpointFacts } from './endpoint-facts.ts';

/** One entry of `order`, `only` or `ignore` (docs/spec/routing.md#provider-names), normalized for comparison. */
export type ProviderEntry = string;

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
