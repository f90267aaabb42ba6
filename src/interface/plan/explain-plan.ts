import { applyPreset } from '../../edge/apply-preset.ts';
import { readCall } from '../../edge/read-call.ts';
import type { ReceivedRequest } from '../../edge/received-request.ts';
import { explainRoute } from '../../pipeline/explain-route.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { Static } from '../../util/json-schema.ts';
import type { InterfaceServices } from '../interface-services.ts';
import type { RoutePlan } from '../schemas/route-plan.ts';
import { describePlan } from './describe-plan.ts';

/**
 * `POST /responses/plan`: where `POST /responses` would send the same request and whether it would be let, without
 * calling a provider, charging, or counting anything. A request that routing or a limit would refuse is explained too.
 * @throws HeadgateError for a body that cannot be meant and for models that cannot be found.
 */
export async function explainPlan(
  call: ReceivedRequest & { readonly caller: Caller },
  services: InterfaceServices,
): Promise<Static<typeof RoutePlan>> {
  const { received } = await applyPreset(call, call.caller, services.responses.name, services);
  const { call: facts } = readCall(received, call.caller, services.responses, services);
  const explanation = await explainRoute(facts, services);
  return describePlan(facts.request, explanation, services.location().region);
}
