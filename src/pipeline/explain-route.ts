import type { Endpoint, Price } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import type { OrderReason } from '../core/order-reason.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { isVisible } from '../core/resolve-slug.ts';
import { mayNameRouter } from '../core/router-names.ts';
import type { Candidate } from '../routing/candidates.ts';
import { explainOrder } from '../routing/explain-order.ts';
import { foreseenAlterations } from '../routing/foreseen-alterations.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { CollectedEndpoint, Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { readOnlyRates, readOnlyServices } from '../settlement/read-only-services.ts';
import { type RateServices, RequestRates } from '../settlement/request-rates.ts';
import { Spending, type SpendingServices } from '../settlement/spending.ts';
import { worstCaseCost } from '../settlement/worst-case-cost.ts';
import { readsFilesOf } from '../stages/file-parser/file-parser.ts';
import type { Alteration } from '../translation/translation.ts';
import { countsAtOnce, reserve } from './admission.ts';
import type { ClassifyTask } from './classify-task.ts';
import { refusedTool } from './disabled-tools.ts';
import {
  type EvaluatedCaller,
  type EvaluatedRoute,
  type EvaluationServices,
  evaluateCaller,
  evaluateRoute,
} from './evaluate-request.ts';
import { routeModels } from './route-models.ts';

/** An endpoint a request would be sent to, in its place. */
export interface ExplainedTarget {
  readonly target: Target;
  /** What put it in this place. */
  readonly because: OrderReason;
  /** For this prompt at this moment; undefined where none is known. */
  readonly price: Price | undefined;
  /** What the tokens may cost there at most, by the list; undefined without a price. */
  readonly costCeiling: NanoUsd | undefined;
  /** What of the request would be rewritten or left out. */
  readonly alterations: readonly Alteration[];
}

/** An endpoint a request would not be sent to. */
export interface ExplainedExclusion extends CollectedEndpoint {
  /**
   * Its state, a tier not asked for, a hard rule, or why an endpoint that passed them is not tried
   * (docs/spec/routing.md#plan).
   */
  readonly reason: string;
}

/** Where a request would go, and whether it would be admitted. */
export interface RouteExplanation {
  readonly candidates: readonly Candidate[];
  readonly promptTokens: number;
  readonly targets: readonly ExplainedTarget[];
  readonly excluded: readonly ExplainedExclusion[];
  /** The most the request may cost in credits: that of its most expensive shared endpoint; undefined without any. */
  readonly costCeiling: NanoUsd | undefined;
  /** Why routing would refuse it. */
  readonly refusal: HeadgateError | undefined;
  /** What admission would answer, limits and routing together; undefined when it would let the request pass. */
  readonly verdict: HeadgateError | undefined;
}

/**
 * Explains where a request would go: the same judgement as `run` makes, planned once, and what committing to it would
 * answer. No provider is called and nothing is charged, reserved or counted. Load is balanced by draws, so the next
 * request may be drawn another first endpoint.
 * @param classify Asks a model for the task of a request to a router, which is charged; without it rules recognise it.
 * @throws HeadgateError for models that cannot be found, and for tools that the workspace has disabled.
 */
export async function explainRoute(
  asked: CallFacts,
  services: ExplainServices,
  classify?: ClassifyTask,
): Promise<RouteExplanation> {
  const disabled = refusedTool(asked);
  if (disabled !== undefined) throw disabled;
  const facts = readsFilesOf(asked.request)
    ? { ...asked, request: { ...asked.request, readsFiles: true } }
    : asked;
  const call = mayNameRouter(facts.request)
    ? { ...facts, request: await routeModels(facts, services, classify) }
    : facts;
  const judged = evaluateCaller(call, services);
  const prompt = new MeasuredPrompt(call.request.canonical);
  const route = await evaluateRoute(call, judged, prompt, services);
  const judgement = route.plan;
  const promptTokens = prompt.tokens;
  const reasons = explainOrder(judgement.ranked);
  const targets = judgement.targets.map((target, place) => ({
    because: reasons[place] ?? 'only',
    ...explainTarget(target, { call, judgement, promptTokens, services }),
  }));
  const spending = new Spending(call, readOnlyServices(services), prompt);
  return {
    candidates: judged.candidates,
    promptTokens,
    targets,
    excluded: exclusionsOf(judgement, call.caller.account.id),
    costCeiling: greatest(
      targets.map(({ target, costCeiling }) => (target.credential === undefined ? costCeiling : undefined)),
    ),
    refusal: judgement.refusal,
    verdict: await verdictOn(judged, route, spending, RequestRates.of(call, readOnlyRates(services))),
  };
}

/** What explaining a route reads. */
export type ExplainServices = EvaluationServices & SpendingServices & RateServices;

interface Explaining {
  readonly call: CallFacts;
  readonly judgement: RouteJudgement;
  readonly promptTokens: number;
  readonly services: ExplainServices;
}

function explainTarget(
  target: Target,
  { call, judgement, promptTokens, services }: Explaining,
): Omit<ExplainedTarget, 'because'> {
  const { price } = target.endpoint;
  const { reduced } = judgement;
  const { canonical } = reduced ?? call.request;
  const size = {
    inputTokens: promptTokens,
    maxOutputTokens: canonical.maxOutputTokens,
    outputTokensCap: services.limits().inFlightBudget.outputTokensCap,
    beganAt: call.receivedAt,
  };
  return {
    target,
    price: price && priceInEffect(price, promptTokens, call.receivedAt),
    costCeiling: price && worstCaseCost(target.endpoint, size),
    alterations: [
      ...(reduced?.alterations ?? []),
      ...foreseenAlterations(target, { ...call.request, canonical }, judgement.used, services.upstreams),
    ],
  };
}

/** The endpoints of a judgement that are not tried, and why. */
export function exclusionsOf(judgement: RouteJudgement, accountId: string): readonly ExplainedExclusion[] {
  const judged = [
    ...judgement.excluded.map(({ model, endpoint, excludedBy }) => ({ model, endpoint, reason: excludedBy })),
    ...judgement.passedOver.map(({ model, endpoint, because }) => ({ model, endpoint, reason: because })),
  ];
  const known = new Set([...judged, ...judgement.targets].map(({ endpoint }) => endpoint));
  const uncollected = judgement.candidates.flatMap(({ model }) =>
    model.endpoints
      .filter((endpoint) => !known.has(endpoint) && endpoint.status !== 'hidden')
      .filter((endpoint) => isVisible(endpoint, accountId))
      .map((endpoint) => ({ model, endpoint, reason: reasonOf(endpoint) })),
  );
  return [...judged, ...uncollected];
}

/** Why an endpoint was not looked at: its own state, a tier nobody asked for, or a model that writes no answers. */
function reasonOf({ status, tier }: Endpoint): string {
  return status ?? (tier === 'default' ? 'modality' : 'service_tier');
}

/** What admission would answer, in its order. */
async function verdictOn(
  judged: EvaluatedCaller,
  route: EvaluatedRoute,
  spending: Spending,
  rates: RequestRates | undefined,
): Promise<HeadgateError | undefined> {
  if (judged.refusal !== undefined) return judged.refusal;
  const tooOften = await rates?.claim(spending.prompt);
  if (tooOften !== undefined) return tooOften;
  const tooMany = countsAtOnce(judged) ? await spending.countFree() : undefined;
  return tooMany ?? route.refusal ?? (await reserve(spending, route.plan));
}

function greatest(amounts: readonly (NanoUsd | undefined)[]): NanoUsd | undefined {
  let most: NanoUsd | undefined;
  for (const amount of amounts)
    if (amount !== undefined && (most === undefined || amount > most)) most = amount;
  return most;
}
