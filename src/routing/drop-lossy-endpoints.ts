import type { Feature } from '../core/features.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { takesParameter } from '../core/parameters.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { reaches } from '../translation/effective-support.ts';
import type { Candidate } from './candidates.ts';
import { endpointSupport } from './collect-endpoints.ts';
import type { CredentialedEndpoint } from './credentialed-endpoints.ts';
import type { PassedOverReason, PassedOverTarget } from './route-plan.ts';

/** The endpoints worth trying, and those that could serve the request less well. */
export interface KeptEndpoints {
  readonly kept: readonly CredentialedEndpoint[];
  readonly passedOver: readonly PassedOverTarget[];
}

/**
 * Drops endpoints for which there are better ones. If the request asks for the flexible tier and there are such
 * endpoints, drops all others (docs/spec/routing.md#service-tiers). Then, for each model, drops endpoints that lack
 * tools, formats or verbosity which the request uses and others have (3.3). Never leaves a request without an endpoint;
 * an endpoint without any usable credential makes no other one redundant.
 */
export function dropLossyEndpoints(
  endpoints: readonly CredentialedEndpoint[],
  request: AnyRequest,
  upstreams: UpstreamRegistry,
): KeptEndpoints {
  const passedOver: PassedOverTarget[] = [];
  let kept = endpoints;
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

function keepFlexible(
  endpoints: readonly CredentialedEndpoint[],
  passedOver: PassedOverTarget[],
): readonly CredentialedEndpoint[] {
  const isFlexible = ({ facts }: CredentialedEndpoint) => facts.endpoint.tier === 'flex';
  if (!endpoints.some(isFlexible)) return endpoints;
  return keep(endpoints, isFlexible, 'service_tier', passedOver);
}

function keepAble(
  endpoints: readonly CredentialedEndpoint[],
  soft: SoftParameter,
  upstreams: UpstreamRegistry,
  passedOver: PassedOverTarget[],
): readonly CredentialedEndpoint[] {
  const isAble = (one: CredentialedEndpoint) => supports(one, soft, upstreams);
  if (endpoints.every(isAble)) return endpoints;
  const able = new Set<Candidate>();
  for (const one of endpoints) if (isAble(one)) able.add(one.candidate);
  return keep(endpoints, (one) => !able.has(one.candidate) || isAble(one), soft.because, passedOver);
}

/** Whether an endpoint accepts a parameter and its dialect can express it. */
function supports(
  { facts: { endpoint } }: CredentialedEndpoint,
  { parameter, feature }: SoftParameter,
  upstreams: UpstreamRegistry,
): boolean {
  if (!takesParameter(endpoint, parameter)) return false;
  const support = endpointSupport(endpoint, upstreams);
  return support === undefined || reaches(support[feature]);
}

function keep(
  endpoints: readonly CredentialedEndpoint[],
  passes: (one: CredentialedEndpoint) => boolean,
  because: PassedOverReason,
  passedOver: PassedOverTarget[],
): readonly CredentialedEndpoint[] {
  return endpoints.filter((one) => {
    const passed = passes(one);
    const { model, endpoint } = one.facts;
    // The same endpoint with several credentials is still adjacent here.
    if (!passed && passedOver.at(-1)?.endpoint !== endpoint) passedOver.push({ model, endpoint, because });
    return passed;
  });
}
