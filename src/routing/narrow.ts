import type { Feature } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { takesParameter } from '../core/parameters.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { reaches } from '../translation/effective-support.ts';
import type { Candidate } from './candidates.ts';
import type { Collected } from './collect.ts';
import { endpointSupport } from './endpoint-support.ts';
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
export function narrow(
  collected: readonly Collected[],
  request: InferenceRequest,
  upstreams: UpstreamRegistry,
): Narrowed {
  const passedOver: PassedOverTarget[] = [];
  let kept = collected;
  if (request.canonical.serviceTier === 'flex') kept = keepFlexible(kept, passedOver);
  for (const soft of softParameters) {
    if (request.parameters.includes(soft.parameter)) kept = keepAble(kept, soft, upstreams, passedOver);
  }
  return { kept, passedOver };
}

interface SoftParameter {
  readonly parameter: string;
  readonly feature: Feature;
  readonly because: PassedOverReason;
}

const softParameters: readonly SoftParameter[] = [
  { parameter: 'tools', feature: 'tool.function', because: 'tools' },
  { parameter: 'response_format', feature: 'text.json_object', because: 'response_format' },
  { parameter: 'structured_outputs', feature: 'text.json_schema', because: 'response_format' },
  { parameter: 'verbosity', feature: 'text.verbosity', because: 'verbosity' },
];

function keepFlexible(collected: readonly Collected[], passedOver: PassedOverTarget[]): readonly Collected[] {
  const isFlexible = ({ facts }: Collected) => facts.endpoint.tier === 'flex';
  if (!collected.some(isFlexible)) return collected;
  return keep(collected, isFlexible, 'service_tier', passedOver);
}

function keepAble(
  collected: readonly Collected[],
  soft: SoftParameter,
  upstreams: UpstreamRegistry,
  passedOver: PassedOverTarget[],
): readonly Collected[] {
  const isAble = (one: Collected) => supports(one, soft, upstreams);
  if (collected.every(isAble)) return collected;
  const able = new Set<Candidate>();
  for (const one of collected) if (isAble(one)) able.add(one.candidate);
  return keep(collected, (one) => !able.has(one.candidate) || isAble(one), soft.because, passedOver);
}

/** Whether an endpoint takes a parameter and its dialect has words for it. */
function supports(
  { facts: { endpoint } }: Collected,
  { parameter, feature }: SoftParameter,
  upstreams: UpstreamRegistry,
): boolean {
  if (!takesParameter(endpoint, parameter)) return false;
  const support = endpointSupport(endpoint, upstreams);
  return support === undefined || reaches(support[feature]);
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
