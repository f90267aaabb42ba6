import type { Feature } from '../core/features.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { mayNameRouter } from '../core/router-names.ts';
import { endpointSupport } from '../routing/collect-endpoints.ts';
import type { Served } from '../server-tools/server-tool.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { FitTarget } from '../stages/stage.ts';
import { isRefused } from '../translation/refusals.ts';
import { evaluateCaller } from './evaluate-request.ts';
import type { InferenceCall, Services } from './services.ts';

/**
 * The endpoints of the models that a request names, whatever routing makes of them; undefined where a router has yet to choose.
 * @throws HeadgateError for models that cannot be found.
 */
export function namedTargets(
  call: CallFacts,
  request: AnyRequest,
  services: Services,
): readonly FitTarget[] | undefined {
  if (mayNameRouter(request)) return undefined;
  const { candidates } = evaluateCaller({ ...call, request }, services);
  return candidates.flatMap(({ model }) =>
    model.endpoints.filter(({ status }) => status === undefined).map((endpoint) => ({ model, endpoint })),
  );
}

/** Whether the dialect of an endpoint has words of its own for a feature. */
export function canSay(
  target: FitTarget,
  feature: Feature,
  { upstreams }: Services,
  request?: CanonicalRequest,
): boolean {
  const support = endpointSupport(target.endpoint, upstreams);
  const stated = support?.[feature];
  if (support === undefined || stated === undefined) return false;
  if (request !== undefined && isRefused(feature, request, { ...target, support })) return false;
  return stated === 'native' || (typeof stated === 'object' && 'adapted' in stated);
}

const pictureFeatures = ['input.tool_output.media', 'input.image.data'] as const;

/** Whether what answered a turn reads pictures in the results of calls: the model says so, and its endpoint has words for it. */
export function readsPictures(
  { model: slug, tag }: Served,
  call: InferenceCall,
  services: Services,
): boolean {
  const isReading = ({ model, endpoint }: FitTarget) =>
    (tag === undefined || endpoint.tag === tag) &&
    model.inputModalities.includes('image') &&
    pictureFeatures.every((feature) => canSay({ model, endpoint }, feature, services));
  try {
    const request = { ...call.request, models: [slug], routed: undefined };
    return namedTargets(call, request, services)?.some(isReading) === true;
  } catch {
    // A model that is not there is refused elsewhere.
    return false;
  }
}
