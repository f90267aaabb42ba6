import type { Provider } from '../../core/catalogue.ts';
import type { Static } from '../../util/json-schema.ts';
import type { ProviderSchema } from '../schemas/catalogue.ts';

/** A provider as clients see it (docs/spec/catalogue.md#providers). */
export function describeProvider({ name, slug, listing = {} }: Provider): Static<typeof ProviderSchema> {
  return {
    name,
    slug,
    privacy_policy_url: listing.privacyPolicyUrl ?? null,
    terms_of_service_url: listing.termsOfServiceUrl ?? null,
    status_page_url: listing.statusPageUrl ?? null,
    headquarters: listing.headquarters ?? null,
    datacenters: listing.datacenters ?? null,
  };
}
