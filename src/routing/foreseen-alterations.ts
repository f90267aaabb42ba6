import type { AnyRequest } from '../core/inference-request.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { alterationsSeen } from '../translation/alterations-seen.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { translate } from '../translation/translate.ts';
import type { Alteration } from '../translation/translation.ts';
import { endpointSupport } from './collect-endpoints.ts';
import type { CollectedEndpoint } from './route-plan.ts';

/** What an endpoint would get altered or not at all; empty when its adapter is not installed. */
export function foreseenAlterations(
  { model, endpoint }: CollectedEndpoint,
  request: AnyRequest,
  used: FeaturesUsed,
  upstreams: UpstreamRegistry,
): readonly Alteration[] {
  const support = endpointSupport(endpoint, upstreams);
  if (support === undefined) return [];
  const { alterations } = translate(request.canonical, used, { model, endpoint, support });
  return alterationsSeen(alterations, request);
}
