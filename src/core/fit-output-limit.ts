import type { Catalogue, Endpoint, Model } from './catalogue.ts';
import type { InferenceRequest } from './inference-request.ts';
import { resolveSlug } from './resolve-slug.ts';

/** The part of an output limit that thoughts may have when both have to shrink. */
const shareOfThoughts = 0.8;
const smallestBudget = 1024;

/**
 * The request with its output limit lowered to what its models can write at most, for clients that ask every model for
 * as much as their own can (docs/spec/messages.md#output-limit). The same object where some endpoint can write as much, or
 * states no limit.
 */
export function fitOutputLimit(
  request: InferenceRequest,
  catalogue: Catalogue,
  accountId: string,
): InferenceRequest {
  const { canonical } = request;
  const wanted = canonical.maxOutputTokens;
  if (wanted === undefined) return request;
  let most: number | undefined;
  for (const slug of request.models) {
    const found = resolveSlug(slug, catalogue, accountId);
    const named = found.outcome === 'model' ? [found.model] : [];
    const models = found.outcome === 'router' ? catalogue.models.values() : named;
    for (const { maxCompletionTokens } of endpointsOf(models)) {
      if (maxCompletionTokens === undefined || maxCompletionTokens >= wanted) return request;
      most = Math.max(most ?? 0, maxCompletionTokens);
    }
  }
  if (most === undefined) return request;
  const { reasoning } = canonical;
  const budget = reasoning?.maxTokens;
  const tooMuch = budget !== undefined && budget >= most;
  const thoughts = Math.max(smallestBudget, Math.floor(most * shareOfThoughts));
  const how = `${most} instead of ${wanted}, the most that any endpoint writes`;
  return {
    ...request,
    canonical: {
      ...canonical,
      maxOutputTokens: most,
      ...(tooMuch && { reasoning: { ...reasoning, maxTokens: thoughts } }),
    },
    altered: [...(request.altered ?? []), { field: 'max_tokens', action: 'adapted', how }],
  };
}

function* endpointsOf(models: Iterable<Model>): Generator<Endpoint> {
  for (const { endpoints } of models) yield* endpoints;
}
