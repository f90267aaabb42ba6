import type { Endpoint, Model } from '../core/catalogue.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { endpointSupport } from '../routing/endpoint-support.ts';
import { parametersTaken } from '../translation/effective-support.ts';

const none: ReadonlySet<string> = new Set();

/** The names of routing.md 3.3 that an endpoint takes; none when nothing is installed that could ask it. */
export function endpointParameters(
  endpoint: Endpoint,
  { reasoning }: Model,
  upstreams: UpstreamRegistry,
): ReadonlySet<string> {
  const support = endpointSupport(endpoint, upstreams);
  if (support === undefined) return endpoint.supportedParameters ?? none;
  return parametersTaken(endpoint, support, reasoning !== undefined);
}
