import type { Price } from '../core/catalogue.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { matchesProvider } from './provider-match.ts';
import type { Target } from './route-plan.ts';

const maxAttempts = 10;

/**
 * Orders the endpoints that may serve a request: by model as the caller listed them, then by
 * `provider.order`, then by price when asked for, else as the catalogue lists them. Cut to what
 * `allow_fallbacks` and the limit on attempts permit (routing.md 2.2, 3.5, 5.1).
 */
export function orderTargets(targets: readonly Target[], request: InferenceRequest): readonly Target[] {
  const { order, sort, allowFallbacks } = request.provider;
  const tier = request.canonical.serviceTier;
  const narrowed = narrowByFeatures(targets, request);
  const models = [...new Set(narrowed.map((target) => target.model))];
  const listed = (target: Target) => {
    const position = order?.findIndex((entry) => matchesProvider(entry, target.endpoint, tier)) ?? -1;
    return position === -1 ? Number.POSITIVE_INFINITY : position;
  };
  const keyed = narrowed.map((target, position) => ({
    target,
    key: [
      sort?.partition === 'none' ? 0 : models.indexOf(target.model),
      listed(target),
      tier === 'priority' && target.endpoint.tier === 'priority' ? 0 : 1,
      sort?.by === 'price' ? blendedPrice(target.endpoint.price) : 0,
      position,
    ],
  }));
  keyed.sort((left, right) => compareKeys(left.key, right.key));
  const ordered = keyed.map(({ target }) => target);
  if (allowFallbacks !== false) return ordered.slice(0, maxAttempts);
  if (order === undefined) return firstOfEachModel(ordered);
  const named = ordered.filter((target) => Number.isFinite(listed(target)));
  return (named.length > 0 ? named : firstOfEachModel(ordered)).slice(0, maxAttempts);
}

/** Where some endpoints of a model support a feature the request uses, the model's others are dropped (routing.md 3.3). */
function narrowByFeatures(targets: readonly Target[], request: InferenceRequest): readonly Target[] {
  const features = ['tools', 'response_format', 'structured_outputs', 'verbosity'].filter((name) =>
    request.parameters.includes(name),
  );
  let kept = targets;
  for (const feature of features) {
    const supports = ({ endpoint }: Target) => endpoint.supportedParameters?.has(feature) ?? true;
    const able = new Set(kept.filter(supports).map((target) => target.model));
    kept = kept.filter((target) => !able.has(target.model) || supports(target));
  }
  return kept;
}

function firstOfEachModel(ordered: readonly Target[]): readonly Target[] {
  return ordered.filter(
    (target, index) => ordered.findIndex((other) => other.model === target.model) === index,
  );
}

/** Three parts input to one part output, as routing compares prices (routing.md 3.6); unpriced endpoints last. */
function blendedPrice(price: Price | undefined): number {
  if (price === undefined) return Number.POSITIVE_INFINITY;
  return Number(3n * price.prompt + price.completion) / 4 + Number(price.request ?? 0n) / 1000;
}

function compareKeys(left: readonly number[], right: readonly number[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    if (value !== other) return value < other ? -1 : 1;
  }
  return 0;
}
