import type { InferenceRequest } from '../core/inference-request.ts';
import { drawFirst } from './balance.ts';
import type { Candidate } from './candidates.ts';
import type { CredentialedEndpoint } from './credentialed-endpoints.ts';
import { KeyMaker, type Ranked } from './ordering-key.ts';
import type { RoutingSnapshot } from './route-plan.ts';

/**
 * Sorts the endpoints that may serve a request by the key of docs/spec/routing.md#ordering. Where several are equal, a
 * draw weighted by price decides which goes first (docs/spec/routing.md#load-balancing).
 * @param flexible Whether the pool was narrowed to flexible capacity.
 */
export function orderEndpoints(
  endpoints: readonly CredentialedEndpoint[],
  request: InferenceRequest,
  snapshot: RoutingSnapshot,
  candidates: readonly Candidate[],
  flexible: boolean,
): readonly Ranked[] {
  const keys = new KeyMaker(request, snapshot, candidates, flexible);
  const ranked = endpoints.map((endpoint) => keys.rank(endpoint));
  if (ranked.length > 1) {
    ranked.sort(compare);
    drawFirst(ranked, snapshot.random);
  }
  return ranked;
}

/** Compares the parts of the key in turn; one endpoint's credentials stay adjacent, in their order. */
function compare(one: Ranked, other: Ranked): number {
  return (
    one.missed - other.missed ||
    one.group - other.group ||
    one.credentialClass - other.credentialClass ||
    ascending(one.position, other.position) ||
    one.tier - other.tier ||
    one.publicity - other.publicity ||
    one.rank - other.rank ||
    one.exactoTier - other.exactoTier ||
    ascending(one.metric, other.metric) ||
    ascending(one.price, other.price) ||
    alphabetical(one.facts.tag, other.facts.tag) ||
    one.place - other.place ||
    one.facts.place - other.facts.place
  );
}

/** The difference of two infinities would be NaN. */
function ascending(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function alphabetical(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
