import type { UpstreamCall } from '../ports/upstream.ts';

/**
 * Whether to ask the provider for an event stream: when the caller streams, or when quirk `alwaysStream` says that
 * the provider cannot answer otherwise.
 */
export function asksForStream({ streamed, endpoint }: UpstreamCall): boolean {
  return streamed || endpoint.provider.quirks.alwaysStream === true;
}
