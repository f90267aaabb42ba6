import type { HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { type FeaturesUsed, featuresUsed } from '../translation/features-used.ts';
import {
  type AlteredTarget,
  refuseAltered,
  refuseFiltered,
  refuseImpossible,
  refusePassedOver,
  refuseWithoutEndpoints,
  refuseWrongKind,
} from './availability.ts';
import type { Candidate } from './candidates.ts';
import { writesFor } from './capability-filters.ts';
import { type Collected, collect } from './collect.ts';
import { pairWithCredentials } from './credentialed-endpoints.ts';
import { foreseenAlterations } from './foreseen-alterations.ts';
import { applyHardFilters, findImpossible } from './hard-filters.ts';
import { leaveOutTools } from './leave-out-tools.ts';
import { narrow } from './narrow.ts';
import { orderEndpoints } from './order.ts';
import type { Ranked } from './ordering-key.ts';
import { OwnCredentials } from './own-credentials.ts';
import type { RoutePlan, RoutingSnapshot } from './route-plan.ts';
import { promoteSticky } from './sticky.ts';
import { truncate } from './truncate.ts';

/** A plan, or as much of it as there is when the request is refused. */
export interface RouteJudgement extends RoutePlan {
  /** Why the request cannot be routed; then there are no targets. */
  readonly refusal?: HeadgateError;
  /** The targets with what ordered them. */
  readonly ranked: readonly Ranked[];
}

/**
 * Decides where a request may go and in which order (docs/spec/routing.md#plan). A pure function of the request and the
 * snapshot, whose random numbers are drawn in a fixed order. The steps are candidates, collecting, hard filters,
 * credentials, narrowing, ordering, stickiness, truncation; the specification narrows before credentials. A refusal has
 * the availability code of docs/spec/errors.md#availability. Where the snapshot says so, hosted tools that nobody can
 * run are left out. It is `invalid_request` when no endpoint of these models supports the request, and `unprocessable`
 * when a strict request would have to be altered.
 * @param candidates The result of `resolveCandidates`.
 */
export function planRoute(
  request: InferenceRequest,
  snapshot: RoutingSnapshot,
  candidates: readonly Candidate[],
): RouteJudgement {
  const { policy } = snapshot;
  const collected = collect(candidates, request, policy.accountId);
  const used = usedBy(request);
  const outcome = { requested: request.models, candidates, total: collected.length, used };
  const refuse = (refusal: HeadgateError, sorted: Sorted = {}): RouteJudgement => ({
    ...outcome,
    targets: [],
    ranked: [],
    excluded: sorted.excluded ?? [],
    passedOver: sorted.passedOver ?? [],
    refusal,
  });
  if (!candidates.some(({ model }) => writesFor(model, request)))
    return refuse(refuseWrongKind(request, candidates));
  if (collected.length === 0) return refuse(refuseWithoutEndpoints(request, candidates));
  const own = policy.credentials?.length
    ? new OwnCredentials(policy.credentials, snapshot.catalogue)
    : undefined;
  const { kept, excluded } = applyHardFilters(collected, request, { snapshot, own, used });
  if (kept.length === 0) {
    const impossible = findImpossible(collected, request, { snapshot, used });
    const reduced = impossible && planReduced(collected, request, { snapshot, candidates, used });
    if (reduced !== undefined) return reduced;
    const refusal =
      impossible === undefined
        ? refuseFiltered(request, excluded, used)
        : refuseImpossible(request, impossible, { used, prompt: snapshot.prompt });
    return refuse(refusal, { excluded });
  }
  const strict = request.strict ? keepUnaltered(kept, request, used, snapshot) : { kept, altered: [] };
  const altered = strict.altered.map(({ target }) => ({ ...target, because: 'strict' as const }));
  if (strict.kept.length === 0) {
    return refuse(refuseAltered(strict.altered), { excluded, passedOver: altered });
  }
  const credentialed = pairWithCredentials(strict.kept, request, policy, own);
  const narrowed = narrow(credentialed.endpoints, request, snapshot.upstreams);
  const flexible = request.canonical.serviceTier === 'flex' && narrowed.kept.every(isFlexible);
  const ordered = orderEndpoints(narrowed.kept, request, snapshot, candidates, flexible);
  const cut = truncate(promoteSticky(ordered, request, snapshot), request);
  const passedOver = [...altered, ...credentialed.passedOver, ...narrowed.passedOver, ...cut.passedOver];
  if (cut.kept.length === 0) {
    return refuse(refusePassedOver(request, passedOver, excluded), { excluded, passedOver });
  }
  const { kept: ranked } = cut;
  return { ...outcome, targets: ranked.map(({ target }) => target), ranked, excluded, passedOver };
}

/** The judgement of a request without the tools that nobody can run; undefined where there is none to leave out. */
function planReduced(
  collected: readonly Collected[],
  request: InferenceRequest,
  {
    snapshot,
    candidates,
    used,
  }: { snapshot: RoutingSnapshot; candidates: readonly Candidate[]; used: FeaturesUsed },
): RouteJudgement | undefined {
  if (snapshot.leavesOutTools !== true || request.strict) return undefined;
  const reduced = leaveOutTools(collected, request.canonical, used, snapshot.upstreams);
  if (reduced === undefined) return undefined;
  const { canonical } = reduced;
  const judgement = planRoute({ ...request, canonical }, { ...snapshot, leavesOutTools: false }, candidates);
  return { ...judgement, reduced };
}

type Sorted = Partial<Pick<RoutePlan, 'excluded' | 'passedOver'>>;

function isFlexible({ facts }: Collected): boolean {
  return facts.endpoint.tier === 'flex';
}

/** The endpoints that serve a request unaltered (`X-Service-Strict`). */
function keepUnaltered(
  collected: readonly Collected[],
  request: InferenceRequest,
  used: FeaturesUsed,
  { upstreams }: RoutingSnapshot,
): { readonly kept: readonly Collected[]; readonly altered: readonly AlteredTarget[] } {
  const altered: AlteredTarget[] = [];
  const kept = collected.filter(({ facts: { model, endpoint } }) => {
    const target = { model, endpoint };
    const [alteration] = foreseenAlterations(target, request, used, upstreams);
    if (alteration !== undefined) altered.push({ target, alteration });
    return alteration === undefined;
  });
  return { kept, altered };
}

/** The features that a request uses; not those of files, where the gateway reads them for endpoints that cannot. */
function usedBy({ canonical, readsFiles }: InferenceRequest): FeaturesUsed {
  const used = featuresUsed(canonical);
  if (readsFiles !== true) return used;
  const rest = new Map(used);
  rest.delete('input.file.data');
  rest.delete('input.file.url');
  return rest;
}
