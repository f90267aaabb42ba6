import type { FastifyRequest } from 'fastify';
import { createResponsesDialect } from '../../dialects/responses/responses-dialect.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { readCall } from '../../edge/read-call.ts';
import { explainRoute } from '../../pipeline/explain-route.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { describePlan } from './describe-plan.ts';

/**
 * `POST /responses/plan`: where `POST /responses` would send the same request and whether it would be let, without
 * calling a provider, charging, or counting anything. A request that routing or a limit would refuse is explained too.
 * @throws HeadgateError for a body that cannot be meant and for models that cannot be found.
 */
export async function explainPlan(
  request: FastifyRequest,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const dialect = createResponsesDialect(() => services.config.responses);
  const { call } = readCall(request, caller, dialect, services);
  const explanation = await explainRoute(call, services);
  return describePlan(call.request, explanation, services.location().region);
}
