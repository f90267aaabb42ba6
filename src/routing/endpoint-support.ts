import type { Endpoint } from '../core/catalogue.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';

/** How the dialect of an endpoint handles each feature; undefined when no adapter for it is installed. */
export function endpointSupport(
  { provider, upstreamModel }: Endpoint,
  upstreams: UpstreamRegistry,
): FeatureSupport | undefined {
  return upstreams.get(provider.adapter)?.support(provider, upstreamModel);
}
