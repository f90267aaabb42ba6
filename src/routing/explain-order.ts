import type { OrderReason } from '../core/order-reason.ts';
import { isEqual } from './balance.ts';
import type { Ranked } from './ordering-key.ts';

/**
 * Why each endpoint of a plan stands where it does (docs/spec/routing.md#why-in-this-order): the first part of its ordering
 * key that differs from the endpoint before it; for the first endpoint, from the one after it.
 * @param ranked In the order of attempts.
 */
export function explainOrder(ranked: readonly Ranked[]): readonly OrderReason[] {
  return ranked.map((one, index) => {
    if (one.isSticky) return 'sticky';
    const [before, after] = [ranked[index - 1], ranked[index + 1]];
    if (before !== undefined && !before.isSticky) return reasonAfter(before, one);
    return after === undefined ? (before === undefined ? 'only' : 'sticky') : reasonBefore(one, after);
  });
}

/** Why one goes first. */
function reasonBefore(one: Ranked, after: Ranked): OrderReason {
  return isDrawnAmong(one, after) ? 'drawn' : difference(one, after);
}

/** Why one follows another. A cheaper one follows only where the other was drawn. */
function reasonAfter(before: Ranked, one: Ranked): OrderReason {
  return isDrawnAmong(before, one) && one.price < before.price ? 'drawn' : difference(before, one);
}

function isDrawnAmong(one: Ranked, other: Ranked): boolean {
  return one.balanced && isEqual(one, other) && one.facts !== other.facts;
}

const parts: readonly (readonly [part: keyof Ranked & string, reason: OrderReason])[] = [
  ['missed', 'speed_wanted'],
  ['group', 'model'],
  ['credentialClass', 'credential'],
  ['position', 'order'],
  ['tier', 'service_tier'],
  ['publicity', 'own_endpoint'],
  ['rank', 'health'],
  ['exactoTier', 'tool_calls'],
  ['metric', 'speed'],
  ['price', 'price'],
];

/** The first part of the ordering key in which two differ. */
function difference(one: Ranked, other: Ranked): OrderReason {
  if (one.facts === other.facts) return 'credential';
  return parts.find(([part]) => one[part] !== other[part])?.[1] ?? 'name';
}
