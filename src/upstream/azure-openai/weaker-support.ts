import { type Feature, type FeatureSupport, features, type Support } from '../../core/features.ts';

/** From what reaches a provider least to what reaches it best. */
const ranks = ['refused', 'dropped', 'emulated', 'adapted', 'native'] as const;

/**
 * What two dialects can both be relied on for: of each feature the weaker support. A provider that answers in
 * either is only told what both understand.
 */
export function weakerSupport(left: FeatureSupport, right: FeatureSupport): FeatureSupport {
  const weaker = (Object.keys(features) as Feature[]).map((feature) => {
    const [one, other] = [left[feature], right[feature]];
    return [feature, rankOf(one) <= rankOf(other) ? one : other] as const;
  });
  return Object.assign({}, left, Object.fromEntries(weaker));
}

function rankOf(support: Support): number {
  return ranks.findIndex((rank) => (typeof support === 'string' ? support === rank : rank in support));
}
