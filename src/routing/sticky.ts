import type { InferenceRequest } from '../core/inference-request.ts';
import { savesByCache } from '../core/saves-by-cache.ts';
import type { Ranked } from './ordering-key.ts';
import { priceFor } from './prices.ts';
import type { RoutingSnapshot } from './route-plan.ts';

/**
 * Moves the endpoint that served the conversation before to the front of its class within its model, so that its
 * cache is used (docs/spec/routing.md#stickiness). Does nothing if the request sets an order, the endpoint is in an
 * outage, or cached reading saves nothing. Endpoints of a requested tier stay before it.
 */
export function promoteSticky(
  ranked: readonly Ranked[],
  request: InferenceRequest,
  snapshot: RoutingSnapshot,
): readonly Ranked[] {
  if (snapshot.sticky === undefined || request.provider.order !== undefined || ranked.length < 2)
    return ranked;
  let promoted = ranked;
  for (const model of new Set(ranked.map(({ facts }) => facts.model))) {
    const sticky = snapshot.sticky(model);
    if (sticky === undefined) continue;
    const from = promoted.findIndex(
      (one) =>
        one.facts.model === model &&
        one.facts.endpoint.tag === sticky.tag &&
        one.credentialClass === sticky.credentialClass &&
        one.health < 2 &&
        savesByCache(priceFor(one.facts.endpoint, snapshot)),
    );
    if (from !== -1) promoted = moveToHead(promoted, from);
  }
  return promoted;
}

function moveToHead(ranked: readonly Ranked[], from: number): readonly Ranked[] {
  const chosen = ranked[from];
  if (chosen === undefined) return ranked;
  const to = ranked.findIndex(
    (one) =>
      one.facts.model === chosen.facts.model &&
      one.credentialClass === chosen.credentialClass &&
      one.missed === chosen.missed &&
      one.tier === chosen.tier,
  );
  return [
    ...ranked.slice(0, to),
    { ...chosen, isSticky: true },
    ...ranked.slice(to, from),
    ...ranked.slice(from + 1),
  ];
}
