import { shortensFor } from '../core/compression.ts';
import type { Feature } from '../core/features.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { leavesOutParameter, refusedFeature, stopsReasoning } from '../translation/refusals.ts';
import type { Candidate } from './candidates.ts';
import {
  abilityFilters,
  fitsLength,
  fitsOutput,
  mayFitLength,
  modalityFilter,
  termFilters,
} from './capability-filters.ts';
import { type CollectedEndpoints, endpointSupport } from './collect-endpoints.ts';
import type { OwnCredentials } from './own-credentials.ts';
import { type HardFilter, policyFilters } from './policy-filters.ts';
import { priceFor } from './prices.ts';
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
  readonly kept: readonly CollectedEndpoints[];
  readonly excluded: readonly ExcludedTarget[];
}

function isCapped({ candidate }: CollectedEndpoints): boolean {
  return candidate.router?.promptCap !== undefined;
}

/** Whether an endpoint is not more expensive than the router allows that chose its model. */
function fitsCap({ candidate, facts }: CollectedEndpoints, snapshot: RoutingSnapshot): boolean {
  const cap = candidate.router?.promptCap;
  return cap === undefined || (priceFor(facts.endpoint, snapshot)?.prompt ?? 0n) <= cap;
}

type Exclusion = Pick<ExcludedTarget, 'excludedBy' | 'refused'>;

/**
 * Splits endpoints into those that pass every rule of docs/spec/routing.md#hard-filters and the others, each with the
 * first rule that excludes it. The rules run one after the other, so the last excluded entry shows which rule removed
 * the last endpoint.
 */
export function applyHardFilters(
  collected: readonly CollectedEndpoints[],
  request: AnyRequest,
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
  run(abilityFilters(request, kept));
  kept = keepFitting(kept, excluded, request, snapshot);
  run(termFilters(request, policy.pricedOnly, snapshot));
  if (kept.some(isCapped)) run([['max_price', (one) => fitsCap(one, snapshot)]]);
  if (used.size > 0) kept = keepPassing(kept, excluded, (one) => findLack(one, request, snapshot, used));
  return { kept, excluded };
}

/**
 * Every endpoint with the reason why it cannot serve the request, whatever its preferences: length, kinds of content,
 * or a feature its dialect lacks. Undefined when at least one endpoint could.
 */
export function findImpossible(
  collected: readonly CollectedEndpoints[],
  request: AnyRequest,
  { snapshot, used }: Pick<FilterContext, 'snapshot' | 'used'>,
): readonly ExcludedTarget[] | undefined {
  const fits = modalityFilter(request, collected);
  const { maxOutputTokens: output } = request.canonical;
  const impossible: ExcludedTarget[] = [];
  for (const one of collected) {
    const { model, endpoint } = one.facts;
    const hasRoom =
      fitsOutput(endpoint, output) &&
      (shortens(one, request) !== undefined || mayFitLength(endpoint, output, snapshot.prompt));
    let exclusion: Exclusion | undefined;
    if (!fits(one.candidate.model)) exclusion = { excludedBy: 'modality' };
    else if (!hasRoom) exclusion = { excludedBy: 'context_length' };
    else exclusion = findRefused(one, request, snapshot, used);
    if (exclusion === undefined) return undefined;
    impossible.push({ model, endpoint, ...exclusion });
  }
  return impossible;
}

function keepPassing(
  collected: readonly CollectedEndpoints[],
  excluded: ExcludedTarget[],
  judge: (collected: CollectedEndpoints) => Exclusion | undefined,
): readonly CollectedEndpoints[] {
  return collected.filter((one) => {
    const exclusion = judge(one);
    if (exclusion === undefined) return true;
    excluded.push({ model: one.facts.model, endpoint: one.facts.endpoint, ...exclusion });
    return false;
  });
}

/**
 * How a conversation that is too long is shortened for an endpoint. A strict request takes only what it asked for.
 */
function shortens(
  { facts }: CollectedEndpoints,
  { canonical, strict }: AnyRequest,
): 'asked' | 'default' | undefined {
  const why = shortensFor(canonical, facts);
  return strict && why === 'default' ? undefined : why;
}

/**
 * Keeps the endpoints with room for prompt and answer. If none has it, keeps those that may have it, because the
 * prompt's length is an estimate. Where the request lets middle turns be dropped, room for half of both is enough. If no endpoint
 * has room, the longest of those for which middle turns are dropped stay.
 */
function keepFitting(
  collected: readonly CollectedEndpoints[],
  excluded: ExcludedTarget[],
  request: AnyRequest,
  { prompt }: RoutingSnapshot,
): readonly CollectedEndpoints[] {
  const { maxOutputTokens: output } = request.canonical;
  const isAsked = (one: CollectedEndpoints) => shortens(one, request) === 'asked';
  const fits = (one: CollectedEndpoints) =>
    fitsLength(one.facts.endpoint, output, prompt, isAsked(one) ? 0.5 : 1);
  const tooLong: Exclusion = { excludedBy: 'context_length' };
  const writes = ({ facts }: CollectedEndpoints) => fitsOutput(facts.endpoint, output);
  const writing =
    output === undefined
      ? collected
      : keepPassing(collected, excluded, (one) => (writes(one) ? undefined : tooLong));
  if (writing.every(fits)) return writing;
  if (writing.some(fits)) return keepPassing(writing, excluded, (one) => (fits(one) ? undefined : tooLong));
  const mayFit = (one: CollectedEndpoints) =>
    !isAsked(one) && mayFitLength(one.facts.endpoint, output, prompt);
  if (writing.some(mayFit)) {
    return keepPassing(writing, excluded, (one) => (mayFit(one) ? undefined : tooLong));
  }
  const shortening = writing.filter((one) => shortens(one, request) !== undefined);
  const longest = shortening.reduce((most, one) => Math.max(most, lengthOf(one)), 0);
  const stays = (one: CollectedEndpoints) =>
    shortens(one, request) !== undefined && lengthOf(one) === longest;
  return keepPassing(writing, excluded, (one) => (stays(one) ? undefined : tooLong));
}

function lengthOf({ facts }: CollectedEndpoints): number {
  return facts.endpoint.contextLength ?? 0;
}

/**
 * The first feature of the request that an endpoint cannot serve. Without an installed adapter the attempt decides.
 */
function findLack(
  one: CollectedEndpoints,
  request: AnyRequest,
  snapshot: RoutingSnapshot,
  used: FeaturesUsed,
): Exclusion | undefined {
  const refused = findRefused(one, request, snapshot, used);
  if (refused !== undefined || request.provider.requireParameters !== true) return refused;
  const support = endpointSupport(one.facts.endpoint, snapshot.upstreams);
  const left = support !== undefined && leavesOutParameter(used, support);
  return left ? { excludedBy: 'require_parameters' } : undefined;
}

/** What of a request an endpoint cannot be asked for in any words. */
function findRefused(
  { candidate, facts }: CollectedEndpoints,
  { canonical }: AnyRequest,
  { upstreams }: RoutingSnapshot,
  used: FeaturesUsed,
): Exclusion | undefined {
  const support = endpointSupport(facts.endpoint, upstreams);
  if (used.size === 0 || support === undefined) return undefined;
  const refused =
    refusedFeature(canonical, used, { model: facts.model, endpoint: facts.endpoint, support }) ??
    findStopped(candidate, canonical);
  return refused && { excludedBy: reasonOfRefusal(refused), refused };
}

/**
 * A caller who names a model knows that it always reasons; a caller who names the latest one of a family gets the
 * lowest effort.
 */
function findStopped({ model, alias }: Candidate, request: CanonicalRequest): Feature | undefined {
  return alias !== 'latest' && stopsReasoning(request, model) ? 'reasoning.effort' : undefined;
}

/** The filter reason of docs/spec/errors.md#body for a feature that an endpoint lacks. */
function reasonOfRefusal(feature: Feature): FilterReason {
  return feature.startsWith('input.') || feature.startsWith('modalities.')
    ? 'modality'
    : 'require_parameters';
}
