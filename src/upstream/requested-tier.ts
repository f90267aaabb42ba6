import type { RequestedTier } from '../core/request.ts';
import type { UpstreamCall } from '../ports/upstream.ts';

/**
 * The service tier that a call requests: that of its endpoint, which decides the price, else the caller's where it
 * does not change the price (docs/spec/routing.md#service-tiers). Undefined leaves it to the provider.
 */
export function requestedTier({ request, endpoint }: UpstreamCall): RequestedTier | undefined {
  if (endpoint.tier !== 'default') return endpoint.tier;
  const { serviceTier } = request;
  return serviceTier === 'flex' || serviceTier === 'priority' ? undefined : serviceTier;
}
