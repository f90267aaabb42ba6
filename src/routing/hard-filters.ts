import type { Feature } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { leavesOutParameter, refusedFeature } from '../translation/refusals.ts';
import { abilityFilters, fitsLength, fitsOutput, termFilters } from './capability-filters.ts';
import type { Collected } from './collect.ts';
import type { OwnCredentials } from './own-credentials.ts';
import { type HardFilter, policyFilters } from './policy-filters.ts';
import type { ExcludedTarget, FilterReason, RoutingSnapshot } from './route-plan.ts';

/** What besides a request decides whether an endpoint can serve it. */
export interface FilterContext {
  readonly snapshot: RoutingSnapshot;
  /** Undefined when the caller has none. */
  readonly own: OwnCredentials | undefined;
  /** What the request asks for beyond text and functions. */
  readonly used: FeaturesUsed;
}

/** What became of the endpoints collected. */
export interface Filtered {
  readonly kept: readonly Collected[];
  readonly excluded: readonly ExcludedTarget[];
}

type Exclusion = Pick<ExcludedTarget, 'excludedBy' | 'refused'>;

/**
 * Splits endpoints into those every rule of routing.md 3.2 admits and the others, each with the first rule that
 * excludes it. Where middle turns may be left out, half of the needed length is enough and, when no endpoint has even
 * that, the longest ones stay.
 */
export function applyHardFilters(
  collected: readonly Collected[],
  request: InferenceRequest,
  context: FilterContext,
): Filtered {
  const judge = createJudge(request, context);
  const kept: Collected[] = [];
  const tooShort: Collected[] = [];
  const excluded: ExcludedTarget[] = [];
  for (const one of collected) {
    const exclusion = judge(one);
    if (exclusion === undefined) kept.push(one);
    else if (exclusion === shortenable) tooShort.push(one);
    else excluded.push({ ...bare(one), ...exclusion });
  }
  const rescued = kept.length === 0 ? longest(tooShort) : [];
  for (const one of tooShort) {
    if (!rescued.includes(one)) excluded.push({ ...bare(one), excludedBy: 'context_length' });
  }
  return { kept: [...kept, ...rescued], excluded };
}

/** Not excluded for anything but its length, which may be helped. */
const shortenable = Symbol('shortenable');

type Judge = (collected: Collected) => Exclusion | typeof shortenable | undefined;

function createJudge(request: InferenceRequest, { snapshot, own, used }: FilterContext): Judge {
  const { policy, prompt } = snapshot;
  const { maxOutputTokens: output, truncation } = request.canonical;
  const before = [...policyFilters(request, policy, own), ...abilityFilters(request)];
  const after = termFilters(request, policy.pricedOnly, snapshot);
  const shortens = truncation === 'auto';
  const share = shortens ? 0.5 : 1;
  return (one) => {
    const early = firstFailing(before, one);
    if (early !== undefined) return { excludedBy: early };
    if (!fitsOutput(one.facts.endpoint, output)) return { excludedBy: 'context_length' };
    const fits = fitsLength(one.facts.endpoint, output, prompt, share);
    if (!fits && !shortens) return { excludedBy: 'context_length' };
    const late = firstFailing(after, one);
    const exclusion = late === undefined ? findLack(one, request, snapshot, used) : { excludedBy: late };
    return fits ? exclusion : exclusion === undefined ? shortenable : { excludedBy: 'context_length' };
  };
}

function firstFailing(filters: readonly HardFilter[], collected: Collected): FilterReason | undefined {
  for (const [reason, passes] of filters) if (!passes(collected)) return reason;
  return undefined;
}

/** What of a request an endpoint cannot be told. One whose adapter is missing is not asked: the attempt will tell. */
function findLack(
  { facts }: Collected,
  { canonical, provider: { requireParameters } }: InferenceRequest,
  { upstreams }: RoutingSnapshot,
  used: FeaturesUsed,
): Exclusion | undefined {
  if (used.size === 0) return undefined;
  const { provider, upstreamModel } = facts.endpoint;
  const support = upstreams.get(provider.adapter)?.support(provider, upstreamModel);
  if (support === undefined) return undefined;
  const refused = refusedFeature(canonical, used, { model: facts.model, endpoint: facts.endpoint, support });
  if (refused !== undefined) return { excludedBy: reasonOfRefusal(refused), refused };
  const left = requireParameters === true && leavesOutParameter(used, support);
  return left ? { excludedBy: 'require_parameters' } : undefined;
}

/** The word of responses.md 9.1 for a feature an endpoint lacks. */
function reasonOfRefusal(feature: Feature): FilterReason {
  return feature.startsWith('input.') || feature.startsWith('modalities.')
    ? 'modality'
    : 'require_parameters';
}

function longest(collected: readonly Collected[]): readonly Collected[] {
  const lengths = collected.map(({ facts }) => facts.endpoint.contextLength ?? 0);
  const most = Math.max(...lengths);
  return collected.filter((_, index) => lengths[index] === most);
}

function bare({ facts: { model, endpoint } }: Collected) {
  return { model, endpoint };
}
