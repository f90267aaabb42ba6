import type { Model } from '../core/catalogue.ts';
import type { Feature, FeatureSupport, Support } from '../core/features.ts';
import { type CanonicalRequest, chatOf } from '../core/request.ts';
import { effectiveSupport, reaches } from './effective-support.ts';
import type { FeaturesUsed } from './features-used.ts';
import type { Destination } from './request-rewriter.ts';

/**
 * The first feature of a request that an endpoint cannot serve even by emulation; undefined when it can serve them
 * all.
 * @param used The result of `featuresUsed` for the request.
 */
export function refusedFeature(
  request: CanonicalRequest,
  used: FeaturesUsed,
  destination: Destination,
): Feature | undefined {
  if (used.size === 0) return undefined;
  for (const feature of used.keys()) {
    if (isRefused(feature, request, destination)) return feature;
  }
  const { endpoint, support } = destination;
  const updates = used.has('item.configuration_update');
  if (updates && !reaches(effectiveSupport('reasoning.effort', support, endpoint))) {
    return 'item.configuration_update';
  }
  return undefined;
}

/** Whether an endpoint cannot serve a feature of a request even by emulation. */
export function isRefused(feature: Feature, request: CanonicalRequest, destination: Destination): boolean {
  const { endpoint, support } = destination;
  return refuses(effectiveSupport(feature, support, endpoint), request, destination);
}

/** Whether a request turns off the reasoning of a model that always reasons (docs/spec/requests.md#reasoning). */
export function stopsReasoning(request: CanonicalRequest, model: Model): boolean {
  return chatOf(request)?.reasoning?.effort === 'none' && model.reasoning?.mandatory === true;
}

function refuses(stated: Support, request: CanonicalRequest, destination: Destination): boolean {
  if (typeof stated === 'string') return stated === 'refused';
  if (request.kind !== 'chat') return false;
  return 'adapted' in stated && stated.refuses?.(request, destination) === true;
}

/** Whether a dialect would leave out a parameter of docs/spec/routing.md#parameters that a request uses. */
export function leavesOutParameter(used: FeaturesUsed, support: FeatureSupport): boolean {
  return [...used.keys()].some((feature) => {
    const stated = support[feature];
    return isParameter.test(feature) && typeof stated === 'object' && 'dropped' in stated;
  });
}

const isParameter = /^(sampling|reasoning|text|tool_choice|parallel|tool\.function$)/;

/**
 * What the caller did wrong when no endpoint serves a feature (docs/spec/items.md#configuration-updates,
 * docs/spec/requests.md#reasoning, docs/spec/requests.md#prompt-templates); undefined for features that only some
 * endpoints lack.
 */
export function faultOfFeature(feature: Feature): string | undefined {
  return faults[feature];
}

const faults: Partial<Record<Feature, string>> = {
  prompt: 'no endpoint of this model resolves prompt templates: send the text itself',
  'item.compaction':
    'only the maker of a compaction can read it, and no endpoint of this model is from there',
  'item.configuration_update': 'this model has no reasoning effort that could change',
  'reasoning.effort': 'this model always reasons: "none" is not possible',
};
