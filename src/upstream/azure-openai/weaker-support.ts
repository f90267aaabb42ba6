import { type Feature, type FeatureSupport, features, type Support } from '../../core/features.ts';

/** From the weakest support to the strongest. */
const ranks = ['refused', 'dropped', 'emulated', 'adapted', 'native'] as const;

/**
 * The support that two dialects have in common: the weaker one for each feature. A provider that may answer in either
 * gets only what both support.
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
