/** The bands of `cost_tier`, in percentiles of the cost: from the first number until before the second one. */
export const costTiers = {
  low: [0, 20],
  medium: [20, 40],
  high: [40, 60],
  xhigh: [60, 80],
  max: [80, 100],
} as const;

/** A band by its name. */
export type CostTier = keyof typeof costTiers;

const tierNames = Object.keys(costTiers) as readonly CostTier[];
const usualTradeoff = 9;

/** A model's place among others, from the cheapest (0) to the most expensive (100). */
export interface Placed {
  readonly percentile: number;
}

/** How a request limits what a model may cost. */
export interface CostWish {
  readonly tier?: CostTier;
  /** The deprecated `cost_quality_tradeoff`, 0 to 10. */
  readonly tradeoff?: number;
}

/** The models that a wish allows, and what was applied. */
export interface CostBand<Entry> {
  readonly kept: readonly Entry[];
  /** The band that was used, which is another one than asked for where that is empty; or the ceiling. */
  readonly band: CostTier | number;
}

/** `100·i/(n−1)` of each entry of a list that is sorted by cost. One entry alone has no place: it is in every band. */
export function percentileOf(index: number, count: number): number {
  return count <= 1 ? Number.NaN : (100 * index) / (count - 1);
}

/**
 * Keeps the entries whose cost a request wants (docs/spec/routers.md#cost-bands): those of the band, else those of the nearest
 * band that has any, the cheaper of two first. Without a band, those up to the ceiling of the tradeoff.
 */
export function keepBand<Entry extends Placed>(
  entries: readonly Entry[],
  { tier, tradeoff = usualTradeoff }: CostWish,
): CostBand<Entry> {
  if (entries.length <= 1) return { kept: entries, band: tier ?? ceilingOf(tradeoff) };
  if (tier === undefined) {
    const ceiling = ceilingOf(tradeoff);
    return { kept: entries.filter(({ percentile }) => percentile <= ceiling), band: ceiling };
  }
  for (const band of byDistance(tier)) {
    const kept = entries.filter(({ percentile }) => isIn(percentile, band));
    if (kept.length > 0) return { kept, band };
  }
  return { kept: entries, band: tier };
}

/** The percentile up to which a tradeoff allows models: 90 at 0, 10 at 10. */
export function ceilingOf(tradeoff: number): number {
  return 90 - 8 * tradeoff;
}

function isIn(percentile: number, tier: CostTier): boolean {
  const [from, until] = costTiers[tier];
  return percentile >= from && (percentile < until || (tier === 'max' && percentile <= until));
}

/** The bands by their distance from one, the cheaper of two first. */
function byDistance(tier: CostTier): readonly CostTier[] {
  const at = tierNames.indexOf(tier);
  const distance = (other: CostTier) => Math.abs(tierNames.indexOf(other) - at);
  return tierNames.toSorted((one, other) => distance(one) - distance(other));
}
