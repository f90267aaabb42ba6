import type { Ranked } from './ordering-key.ts';

/** USD per million tokens below which prices count as equal. */
const lowestPrice = 0.001;

/**
 * Moves the winner of a weighted draw to the front of each run of equals (docs/spec/routing.md#load-balancing). Only
 * endpoints of the run's best health rank take part, weighted by the inverse square of their price. Endpoints that
 * differ only in the credential win together. Draws one number for each run of two or more endpoints, in the order of
 * the runs.
 * @param ranked Sorted by their keys; changed in place.
 */
export function drawFirst(ranked: Ranked[], random: () => number): void {
  let drawn = 0;
  for (let start = 0; start < ranked.length; ) {
    const first = ranked[start];
    if (first === undefined) return;
    const end = endOfRun(ranked, start, ranked.length, isEqual);
    // For each quality only the best health rank draws; the rest follows by price.
    const previous = ranked[start - 1];
    if (previous === undefined || !isSamePool(previous, first)) drawn = 0;
    const quality = 1 << first.exactoTier;
    if (first.balanced && (drawn & quality) === 0) {
      drawn |= quality;
      moveWinner(ranked, start, end, random);
    }
    start = end;
  }
}

/** Whether two endpoints differ in health or quality at most. */
function isSamePool(one: Ranked, other: Ranked): boolean {
  return (
    one.missed === other.missed &&
    one.group === other.group &&
    one.credentialClass === other.credentialClass &&
    one.position === other.position &&
    one.tier === other.tier &&
    one.publicity === other.publicity
  );
}

/** Whether a draw decides which of two goes first, where draws do. */
export function isEqual(one: Ranked, other: Ranked): boolean {
  return (
    one.balanced === other.balanced &&
    one.rank === other.rank &&
    one.exactoTier === other.exactoTier &&
    isSamePool(one, other)
  );
}

function isSameEndpoint(one: Ranked, other: Ranked): boolean {
  return one.facts === other.facts;
}

/** The end of the run that begins at `start`, at most `limit`. */
function endOfRun(
  ranked: readonly Ranked[],
  start: number,
  limit: number,
  belongs: (one: Ranked, other: Ranked) => boolean,
): number {
  const first = ranked[start];
  let end = start + 1;
  for (; end < limit; end++) {
    const other = ranked[end];
    if (first === undefined || other === undefined || !belongs(first, other)) break;
  }
  return end;
}

function moveWinner(ranked: Ranked[], start: number, end: number, random: () => number): void {
  const next = (at: number) => endOfRun(ranked, at, end, isSameEndpoint);
  if (next(start) === end) return;
  const weigh = weigher(ranked[start]?.price ?? 0);
  let total = 0;
  for (let at = start; at < end; at = next(at)) total += weigh(ranked[at]);
  let left = random() * total;
  let winner = start;
  for (let at = start; at < end; at = next(at)) {
    const weight = weigh(ranked[at]);
    if (weight > 0) winner = at;
    left -= weight;
    if (left < 0) break;
  }
  if (winner === start) return;
  const pairs = ranked.splice(winner, next(winner) - winner);
  ranked.splice(start, 0, ...pairs);
}

/** @param lowest The lowest price of the run; if it is zero, all have the same weight. */
function weigher(lowest: number): (ranked: Ranked | undefined) => number {
  if (lowest === Number.POSITIVE_INFINITY) return () => 1;
  return (ranked) => 1 / Math.max(ranked?.price ?? Number.POSITIVE_INFINITY, lowestPrice) ** 2;
}
