import type { Feature } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { leavesOutParameter, refusedFeature, stopsReasoning } from '../translation/refusals.ts';
import type { Candidate } from './candidates.ts';
import { abilityFilters, fitsLength, fitsOutput, termFilters } from './capability-filters.ts';
import type { Collected } from './collect.ts';
import { endpointSupport } from './endpoint-support.ts';
import type { OwnCredentials } from './own-credentials.ts';
import { type HardFilter, policyFilters } from './policy-filters.ts';
import type { ExcludedTarget, FilterReason, RoutingSnapshot } from './route-plan.ts';

/** What decides, besides the request, whether an endpoint can serve it. */
export interface FilterContext {
  readonly snapshot: RoutingSnapshot;
  /** Undefined when the caller has none. */
  readonly own: OwnCredentials | undefined;
  /** The features that the request uses beyond text and functions. */
  readonly used: FeaturesUsed;
}

/** The collected endpoints, divided by the hard rules. */
export interface Filtered {
  readonly kept: readonly Collected[];
  readonly excluded: readonly ExcludedTarget[];
}

type Exclusion = Pick<ExcludedTarget, 'excludedBy' | 'refused'>;

/**
 * Splits endpoints into those that pass every rule of routing.md 3.2 and the others, each with the first rule that
 * excludes it. The rules run one after the other, so the last excluded entry shows which rule removed the last
 * endpoint.
 */
export function applyHardFilters(
  collected: readonly Collected[],
  request: InferenceRequest,
  { snapshot, own, used }: FilterContext,
): Filtered {
  const { policy } = snapshot;
  const excluded: ExcludedTarget[] = [];
  let kept = collected;
  const run = (filters: readonly HardFilter[]): void => {
    for (const [reason, passes] of filters) {
      kept = keepPassing(kept, excluded, (one) => (passes(one) ? undefined : { excludedBy: reason }));
    }
  };
  run(policyFilters(request, policy, own));
  run(abilityFilters(request));
  kept = keepFitting(kept, excluded, request, snapshot);
  run(termFilters(request, policy.pricedOnly, snapshot));
  if (used.size > 0) kept = keepPassing(kept, excluded, (one) => findLack(one, request, snapshot, used));
  return { kept, excluded };
}

function keepPassing(
  collected: readonly Collected[],
  excluded: ExcludedTarget[],
  judge: (collected: Collected) => Exclusion | undefined,
): readonly Collected[] {
  return collected.filter((one) => {
    const exclusion = judge(one);
    if (exclusion === undefined) return true;
    excluded.push({ model: one.facts.model, endpoint: one.facts.endpoint, ...exclusion });
    return false;
  });
}

/**
 * Keeps the endpoints with room for prompt and answer. Where middle turns may be dropped, room for half of both is
 * enough; if no endpoint has that, the longest ones stay.
 */
function keepFitting(
  collected: readonly Collected[],
  excluded: ExcludedTarget[],
  { canonical }: InferenceRequest,
  { prompt }: RoutingSnapshot,
): readonly Collected[] {
  const { maxOutputTokens: output, truncation } = canonical;
  const shortens = truncation === 'auto';
  const fits = ({ facts }: Collected) => fitsLength(facts.endpoint, output, prompt, shortens ? 0.5 : 1);
  const tooLong: Exclusion = { excludedBy: 'context_length' };
  const writing = keepPassing(collected, excluded, ({ facts }) =>
    fitsOutput(facts.endpoint, output) ? undefined : tooLong,
  );
  if (!shortens || writing.some(fits)) {
    return keepPassing(writing, excluded, (one) => (fits(one) ? undefined : tooLong));
  }
  const longest = Math.max(...writing.map(lengthOf));
  return keepPassing(writing, excluded, (one) => (lengthOf(one) === longest ? undefined : tooLong));
}

function lengthOf({ facts }: Collected): number {
  return facts.endpoint.contextLength ?? 0;
}

/**
 * The first feature of the request that an endpoint cannot serve. Without an installed adapter the attempt decides.
 */
function findLack(
  { candidate, facts }: Collected,
  { canonical, provider: { requireParameters } }: InferenceRequest,
  { upstreams }: RoutingSnapshot,
  used: FeaturesUsed,
): Exclusion | undefined {
  const support = endpointSupport(facts.endpoint, upstreams);
  if (support === undefined) return undefined;
  const refused =
    refusedFeature(canonical, used, { model: facts.model, endpoint: facts.endpoint, support }) ??
    findStopped(candidate, canonical);
  if (refused !== undefined) return { excludedBy: reasonOfRefusal(refused), refused };
  const left = requireParameters === true && leavesOutParameter(used, support);
  return left ? { excludedBy: 'require_parameters' } : undefined;
}

/**
 * A caller who names a model knows that it always reasons; a caller who names the latest one of a family gets the
 * lowest effort.
 */
function findStopped({ model, alias }: Candidate, request: CanonicalRequest): Feature | undefined {
  return alias !== 'latest' && stopsReasoning(request, model) ? 'reasoning.effort' : undefined;
}

/** The filter reason of responses.md 9.1 for a feature that an endpoint lacks. */
function reasonOfRefusal(feature: Feature): FilterReason {
  return feature.startsWith('input.') || feature.startsWith('modalities.')
    ? 'modality'
    : 'require_parameters';
}
