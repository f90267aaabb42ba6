import type { Config } from '../../config/config.ts';
import type { PublicDialect } from '../../dialects/public-dialect.ts';
import { applyPreset } from '../../edge/apply-preset.ts';
import type { PresetServices, ReadServices, RunningServices } from '../../edge/inference-services.ts';
import { readCall } from '../../edge/read-call.ts';
import type { ReceivedRequest } from '../../edge/received-request.ts';
import { RunningCall } from '../../edge/running-call.ts';
import { createClassifier } from '../../pipeline/classify-task.ts';
import { explainRoute, type RouteExplanation } from '../../pipeline/explain-route.ts';
import { createInnerTurns } from '../../pipeline/inner-turns.ts';
import { run } from '../../pipeline/run.ts';
import type { Services } from '../../pipeline/services.ts';
import type { CallFacts } from '../../settlement/bracket.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { Static } from '../../util/json-schema.ts';
import type { RoutePlan } from '../schemas/route-plan.ts';
import { describePlan } from './describe-plan.ts';

/** What it needs. */
interface ExplainServices extends Services, ReadServices, RunningServices, PresetServices {
  readonly config: Config;
  /** The public dialect of `POST /responses`. */
  readonly responses: PublicDialect;
}

/**
 * `POST /responses/plan`: where `POST /responses` would send the same request and whether it would be let, without
 * calling a provider, charging, or counting anything; only `classify` asks the classifying model, which costs. A request
 * that routing or a limit would refuse is explained too.
 * @throws HeadgateError for a body that cannot be meant and for models that cannot be found.
 */
export async function explainPlan(
  call: ReceivedRequest & {
    readonly caller: Caller;
    readonly query: { readonly classify?: readonly 'true'[] };
  },
  services: ExplainServices,
): Promise<Static<typeof RoutePlan>> {
  const { received } = await applyPreset(call, call.caller, services.responses.name, services);
  const { call: facts } = readCall(received, call.caller, services.responses, services);
  const explain = call.query.classify !== undefined ? explainClassified : explainRoute;
  const explanation = await explain(facts, services);
  return describePlan(facts.request, explanation, services.location().region);
}

/** Explains a route by the task that the classifying model recognises. */
async function explainClassified(facts: CallFacts, services: ExplainServices): Promise<RouteExplanation> {
  const running = new RunningCall(services, { streamed: false });
  try {
    const { signal, room } = running;
    const innerTurn = createInnerTurns(
      { ...facts, signal, room },
      services,
      (inner) => run(inner, services),
      () => {},
    );
    return await explainRoute(facts, services, createClassifier(services, innerTurn, signal));
  } finally {
    running.over();
  }
}
