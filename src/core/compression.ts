import type { ServedBy } from './features.ts';
import type { CanonicalRequest } from './request.ts';

/** Endpoints with a context of so many tokens or fewer shorten conversations unless the request forbids it. */
const smallContext = 8192;

/**
 * Whether the middle of a conversation may be left out for an endpoint (docs/spec/plugins.md#context-compression):
 * because the request asks for it, or by default because the context is small.
 */
export function shortensFor(
  request: CanonicalRequest,
  { model, endpoint }: ServedBy,
): 'asked' | 'default' | undefined {
  if (request.kind !== 'chat' || model.outputModalities.every((kind) => kind === 'image')) return undefined;
  const { compression, truncation } = request;
  if (compression === true || truncation === 'auto') return 'asked';
  const context = endpoint.contextLength ?? model.contextLength ?? Number.POSITIVE_INFINITY;
  return compression === undefined && context <= smallContext ? 'default' : undefined;
}
