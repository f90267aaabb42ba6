import type { UpstreamCall } from '../ports/upstream.ts';

/**
 * Whether the provider is asked for an event stream: when fragments are wanted as they come, and by the quirk
 * `alwaysStream` of any provider that cannot answer otherwise.
 */
export function asksForStream({ streamed, endpoint }: UpstreamCall): boolean {
  return streamed || endpoint.provider.quirks.alwaysStream === true;
}
