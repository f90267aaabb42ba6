import type { Feature } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { mayNameRouter } from '../core/router-names.ts';
import { endpointSupport } from '../routing/endpoint-support.ts';
import type { FitTarget } from '../stages/stage.ts';
import { isRefused } from '../translation/refusals.ts';
import { judgeCaller } from './judge.ts';
import type { InferenceCall, Services } from './services.ts';

/**
 * The endpoints of the models that a request names, whatever routing makes of them; undefined where a router has yet to choose.
 * @throws HeadgateError for models that cannot be found.
 */
export function namedTargets(
  call: InferenceCall,
  request: InferenceRequest,
  services: Services,
): readonly FitTarget[] | undefined {
  if (mayNameRouter(request)) return undefined;
  const { candidates } = judgeCaller({ ...call, request }, services);
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
