import type { Model } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { EndpointFacts } from './endpoint-facts.ts';
import type { Ranked } from './ordering-key.ts';
import type { PassedOverTarget } from './route-plan.ts';

/**
 * Shortens an ordered list to what `allow_fallbacks` permits (docs/spec/routing.md#preferences). Without fallbacks an
 * endpoint is tried with its first credential only. Then only those listed in `order` are tried or, without an order,
 * the first one of each model.
 */
export function truncate(
  ranked: readonly Ranked[],
  { provider }: InferenceRequest,
): { readonly kept: readonly Ranked[]; readonly passedOver: readonly PassedOverTarget[] } {
  if (provider.allowFallbacks !== false) return { kept: ranked, passedOver: [] };
  const kept =
    provider.order === undefined
      ? firstOfEach(ranked, ({ facts }) => facts.model)
      : firstOfEach(ranked.filter(isListed), ({ facts }) => facts);
  return { kept, passedOver: withoutThose(ranked, kept) };
}

function isListed({ position }: Ranked): boolean {
  return Number.isFinite(position);
}

function firstOfEach(
  ranked: readonly Ranked[],
  of: (one: Ranked) => Model | EndpointFacts,
): readonly Ranked[] {
  const seen = new Set<Model | EndpointFacts>();
  return ranked.filter((one) => {
    const known = seen.has(of(one));
    seen.add(of(one));
    return !known;
  });
}

/** The endpoints that were removed with all their credentials, without duplicates. */
function withoutThose(ranked: readonly Ranked[], kept: readonly Ranked[]): readonly PassedOverTarget[] {
  const left = new Set(ranked.map(({ facts }) => facts));
  for (const { facts } of kept) left.delete(facts);
  return [...left].map(({ model, endpoint }) => ({ model, endpoint, because: 'allow_fallbacks' }));
}
