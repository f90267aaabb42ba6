import type { Endpoint } from '../core/catalogue.ts';

/**
 * Whether an entry of `order`, `only` or `ignore` names an endpoint (routing.md 2.3): a tag names that
 * endpoint, a provider's slug or name all of its default-tier ones and those of the tier opted in to.
 */
export function matchesProvider(entry: string, endpoint: Endpoint, tier: string | undefined): boolean {
  const wanted = entry.toLowerCase();
  if (endpoint.tag.toLowerCase() === wanted) return true;
  const { slug, name } = endpoint.provider;
  if (slug !== wanted && name.toLowerCase() !== wanted) return false;
  return endpoint.tier === 'default' || endpoint.tier === tier;
}
