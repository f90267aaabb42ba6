import type { InferenceRequest } from '../core/inference-request.ts';
import { takesParameter } from '../core/parameters.ts';
import type { Candidate } from './candidates.ts';
import type { Collected } from './collect.ts';
import type { PassedOverReason, PassedOverTarget } from './route-plan.ts';

/** The endpoints worth trying, and those that could serve the request but less well. */
export interface Narrowed {
  readonly kept: readonly Collected[];
  readonly passedOver: readonly PassedOverTarget[];
}

/**
 * Leaves out endpoints that others make needless: all but flexible ones when the request asks for that tier and there
 * are any (routing.md 4), then, model by model, those that lack tools, formats or verbosity the request uses where
 * others have them (3.3). Never leaves a request without an endpoint.
 */
export function narrow(collected: readonly Collected[], request: InferenceRequest): Narrowed {
  const passedOver: PassedOverTarget[] = [];
  let kept = collected;
  if (request.canonical.serviceTier === 'flex') kept = keepFlexible(kept, passedOver);
  for (const [parameter, because] of softParameters) {
    if (request.parameters.includes(parameter)) kept = keepAble(kept, parameter, because, passedOver);
  }
  return { kept, passedOver };
}

const softParameters: readonly (readonly [string, PassedOverReason])[] = [
  ['tools', 'tools'],
  ['response_format', 'response_format'],
  ['structured_outputs', 'response_format'],
  ['verbosity', 'verbosity'],
];

function keepFlexible(collected: readonly Collected[], passedOver: PassedOverTarget[]): readonly Collected[] {
  const isFlexible = ({ facts }: Collected) => facts.endpoint.tier === 'flex';
  if (!collected.some(isFlexible)) return collected;
  return keep(collected, isFlexible, 'service_tier', passedOver);
}

function keepAble(
  collected: readonly Collected[],
  parameter: string,
  because: PassedOverReason,
  passedOver: PassedOverTarget[],
): readonly Collected[] {
  const isAble = ({ facts: { endpoint } }: Collected) => takesParameter(endpoint, parameter);
  if (collected.every(isAble)) return collected;
  const able = new Set<Candidate>();
  for (const one of collected) if (isAble(one)) able.add(one.candidate);
  return keep(collected, (one) => !able.has(one.candidate) || isAble(one), because, passedOver);
}

function keep(
  collected: readonly Collected[],
  passes: (one: Collected) => boolean,
  because: PassedOverReason,
  passedOver: PassedOverTarget[],
): readonly Collected[] {
  return collected.filter((one) => {
    const passed = passes(one);
    if (!passed) passedOver.push({ model: one.facts.model, endpoint: one.facts.endpoint, because });
    return passed;
  });
}
