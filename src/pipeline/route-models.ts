import { HeadgateError } from '../core/errors.ts';
import { type AnyRequest, wantsChat } from '../core/inference-request.ts';
import type { RouterOutcome } from '../core/routed-models.ts';
import { askRouter } from '../routers/ask-router.ts';
import { gatewayRouters } from '../routers/gateway-routers.ts';
import type { ClassifiedTask } from '../routers/router.ts';
import { readRouterSlug } from '../routing/candidates.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { ClassifyTask } from './classify-task.ts';
import { type EvaluationServices, policyOf, routerQuestion } from './evaluate-request.ts';
import { rememberedModel } from './routed-conversation.ts';
import type { InferenceCall } from './services.ts';

/**
 * Asks the routers that a request names, once for all its turns (docs/spec/routers.md#choosing). Returns the request with
 * what they chose, changed where the router it names first changes it; a router that has nothing to choose from is left
 * for routing to refuse.
 * @param classify Asks a model for the task; without it rules recognise it.
 * @throws HeadgateError `invalid_request` for a variant that a router cannot have.
 */
export async function routeModels(
  call: CallFacts & Pick<InferenceCall, 'depth'>,
  services: EvaluationServices,
  classify?: ClassifyTask,
): Promise<AnyRequest> {
  const { request, caller } = call;
  const catalogue = services.catalogue();
  const policy = policyOf(caller, services);
  const routed = new Map<string, RouterOutcome>();
  let prepared = request;
  let task: Promise<ClassifiedTask | undefined> | undefined;
  for (const [index, slug] of request.models.entries()) {
    const named = readRouterSlug(slug, { catalogue, accountId: caller.account.id });
    if (named === undefined) continue;
    const { choosesByTask, choosesByPrice } = gatewayRouters.get(named.routerId) ?? {};
    if (choosesByTask === true || choosesByPrice === true) {
      await services.routerStatistics.ready(choosesByPrice === true);
    }
    const question = routerQuestion(named, call, policy, services);
    const remembered = await rememberedModel(named.routerId, call, services);
    // Once for all routers of a request, and only for those that choose by it.
    if (choosesByTask === true) task ??= classify?.(call);
    const outcome = askRouter({ ...question, remembered, task: await task });
    routed.set(slug, outcome);
    const { prepare } = gatewayRouters.get(named.routerId) ?? {};
    const isFirst = index === 0 && prepare !== undefined && !(outcome instanceof HeadgateError);
    if (!isFirst || !wantsChat(prepared)) continue;
    prepared = prepare(prepared, catalogue, caller.account.id, call.depth !== undefined);
  }
  return routed.size === 0 ? prepared : { ...prepared, routed };
}
