import type { InferenceRequest } from '../core/inference-request.ts';
import { type FeaturesUsed, featuresUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import {
  type AlteredTarget,
  refuseAltered,
  refuseFiltered,
  refusePassedOver,
  refuseWithoutEndpoints,
  refuseWrongKind,
} from './availability.ts';
import { type Candidate, resolveCandidates } from './candidates.ts';
import { type Collected, collect } from './collect.ts';
import { copyForCredentials } from './credential-copies.ts';
import { applyHardFilters } from './hard-filters.ts';
import { narrow } from './narrow.ts';
import { orderCopies } from './order.ts';
import { OwnCredentials } from './own-credentials.ts';
import type { RoutePlan, RoutingSnapshot } from './route-plan.ts';
import { promoteSticky } from './sticky.ts';
import { truncate } from './truncate.ts';

/**
 * Decides where a request may go and in which order (routing.md 3): a pure function of the request and the snapshot,
 * whose random numbers are drawn in a fixed order. The steps are those of the specification: candidates, collect, hard
 * filters, narrowing, credential copies, order, stickiness, truncation.
 * @param candidates What `resolveCandidates` says, when that is known already.
 * @throws HeadgateError with the availability code of routing.md 5.4; `invalid_request` for what no endpoint of these
 *   models can be asked, and `unprocessable` when a strict request would have to be altered.
 */
export function planRoute(
  request: InferenceRequest,
  snapshot: RoutingSnapshot,
  candidates = resolveCandidates(request, snapshot.catalogue, snapshot.policy.accountId),
): RoutePlan {
  const { policy } = snapshot;
  if (!candidates.some(writesAnswers)) throw refuseWrongKind(request, candidates);
  const collected = collect(candidates, request, policy.accountId);
  if (collected.length === 0) throw refuseWithoutEndpoints(request, candidates);
  const used = featuresUsed(request.canonical);
  const own = policy.credentials?.length
    ? new OwnCredentials(policy.credentials, snapshot.catalogue)
    : undefined;
  const filtered = applyHardFilters(collected, request, { snapshot, own, used });
  if (filtered.kept.length === 0) throw refuseFiltered(request, filtered.excluded, used);
  const able = request.strict ? keepUnaltered(filtered.kept, request, used, snapshot) : filtered.kept;
  const narrowed = narrow(able, request);
  const copied = copyForCredentials(narrowed.kept, request, policy, own);
  const flexible = request.canonical.serviceTier === 'flex' && narrowed.kept.every(isFlexible);
  const ordered = orderCopies(copied.copies, request, snapshot, candidates, flexible);
  const cut = truncate(promoteSticky(ordered, request, snapshot), request);
  const passedOver = [...narrowed.passedOver, ...copied.passedOver, ...cut.passedOver];
  if (cut.kept.length === 0) throw refusePassedOver(request, passedOver, filtered.excluded);
  return {
    requested: request.models[0] ?? '',
    candidates,
    targets: cut.kept.map(({ target }) => target),
    excluded: filtered.excluded,
    passedOver,
    total: collected.length,
    used,
  };
}

/** Whether a model writes what responses are made of. */
function writesAnswers({ model: { outputModalities } }: Candidate): boolean {
  return outputModalities.includes('text') || outputModalities.includes('image');
}

function isFlexible({ facts }: Collected): boolean {
  return facts.endpoint.tier === 'flex';
}

/** The endpoints that serve a request without altering anything of it (`X-Service-Strict`). */
function keepUnaltered(
  collected: readonly Collected[],
  { canonical }: InferenceRequest,
  used: FeaturesUsed,
  { upstreams }: RoutingSnapshot,
): readonly Collected[] {
  const altered: AlteredTarget[] = [];
  const kept = collected.filter(({ facts: { model, endpoint } }) => {
    const { provider, upstreamModel } = endpoint;
    const support = upstreams.get(provider.adapter)?.support(provider, upstreamModel);
    const [alteration] =
      support === undefined ? [] : translate(canonical, used, { model, endpoint, support }).alterations;
    if (alteration !== undefined) altered.push({ target: { model, endpoint }, alteration });
    return alteration === undefined;
  });
  if (kept.length === 0) throw refuseAltered(altered);
  return kept;
}
