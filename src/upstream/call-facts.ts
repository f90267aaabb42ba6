import type { Endpoint } from '../core/catalogue.ts';
import { takesParameter } from '../core/parameters.ts';
import type { RequestedTier } from '../core/request.ts';
import type { UpstreamCall } from '../ports/upstream.ts';
import { fitCallId } from './fit-call-id.ts';

/**
 * Whether to ask the provider for an event stream: when the caller streams, or when quirk `alwaysStream` says that
 * the provider cannot answer otherwise.
 */
export function asksForStream({ streamed, endpoint }: UpstreamCall): boolean {
  return streamed || endpoint.provider.quirks.alwaysStream === true;
}

/**
 * The service tier that a call requests: that of its endpoint, which decides the price, else the caller's where it
 * does not change the price (docs/spec/routing.md#service-tiers). Undefined leaves it to the provider.
 */
export function requestedTier({ request, endpoint }: UpstreamCall): RequestedTier | undefined {
  if (endpoint.tier !== 'default') return endpoint.tier;
  const { serviceTier } = request;
  return serviceTier === 'flex' || serviceTier === 'priority' ? undefined : serviceTier;
}

/** Whether an endpoint accepts any of the named parameters, in the vocabulary of docs/spec/routing.md#parameters. */
export function supports(endpoint: Endpoint, ...names: readonly string[]): boolean {
  return names.some((name) => takesParameter(endpoint, name));
}

/** The smallest limit of any provider with cache keys. */
const longestCacheKey = 64;

/**
 * Shortens the cache key (`prompt_cache_key`) to what providers accept; the same key gives the same result.
 */
export function fitCacheKey(key: string | undefined): string | undefined {
  return key === undefined ? undefined : fitCallId(key, longestCacheKey);
}
