import type { PicoUsd } from '../core/money.ts';

/** A model for code: what its input costs a token, and how good it is (0 to 100). */
export interface CodingModel {
  readonly id: string;
  readonly price: PicoUsd;
  readonly score: number;
}

/**
 * The models that may cost a price at most, best choice first (docs/spec/routers.md#under-a-price): those of the frontier, best
 * first, then the others by score. The frontier are the models of which no other one is at most as expensive and at least
 * as good, and better in one of the two.
 */
export function orderUnderCap(
  models: readonly CodingModel[],
  cap: PicoUsd,
): { readonly order: readonly CodingModel[]; readonly frontier: readonly CodingModel[] } {
  const frontier = models.filter((one) => !models.some((other) => beats(other, one)));
  const affordable = models.filter(({ price }) => price <= cap).toSorted(byScore);
  const isBest = new Set(frontier);
  const order = [
    ...affordable.filter((one) => isBest.has(one)),
    ...affordable.filter((one) => !isBest.has(one)),
  ];
  return { order, frontier: frontier.toSorted(byScore) };
}

function beats(one: CodingModel, other: CodingModel): boolean {
  const asGood = one.price <= other.price && one.score >= other.score;
  return asGood && (one.price < other.price || one.score > other.score);
}

/** The better first, of equals the cheaper, then by name. */
function byScore(one: CodingModel, other: CodingModel): number {
  if (one.score !== other.score) return other.score - one.score;
  if (one.price !== other.price) return one.price < other.price ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}
