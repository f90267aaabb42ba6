import type { Endpoint, Price } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { NanoUsd } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { isVisible } from '../core/resolve-slug.ts';
import { type Candidate, resolveCandidates } from '../routing/candidates.ts';
import { foreseenAlterations } from '../routing/foreseen-alterations.ts';
import { planRoute, type RouteJudgement } from '../routing/plan.ts';
import type { CollectedEndpoint, Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { readOnlyServices } from '../settlement/read-only-services.ts';
import { worstCaseCost } from '../settlement/worst-case-cost.ts';
import type { Alteration } from '../translation/translation.ts';
import { admit, candidateContext, takeSnapshot } from './admission.ts';
import { Conversation } from './conversation.ts';
import { policyOf } from './policy-of.ts';
import { RefusedCall } from './refused-call.ts';
import type { Services } from './services.ts';

/** An endpoint a request would be sent to, in its place. */
export interface ExplainedTarget {
  readonly target: Target;
  /** For this prompt at this moment; undefined where nobody stated any. */
  readonly price: Price | undefined;
  /** What the tokens may cost there at most, by the list; undefined without a price. */
  readonly costCeiling: NanoUsd | undefined;
  /** What of the request would be said in other words, or left out. */
  readonly alterations: readonly Alteration[];
}

/** An endpoint a request would not be sent to. */
export interface ExplainedExclusion extends CollectedEndpoint {
  /** Its state, a tier not asked for, a hard rule, or why an endpoint that passed them is not tried (routing.md 3). */
  readonly reason: string;
}

/** Where a request would go, and whether it would be let. */
export interface RouteExplanation {
  readonly candidates: readonly Candidate[];
  readonly promptTokens: number;
  readonly targets: readonly ExplainedTarget[];
  readonly excluded: readonly ExplainedExclusion[];
  /** The most the request may cost in credits: that of its dearest shared endpoint; undefined without any. */
  readonly costCeiling: NanoUsd | undefined;
  /** Why routing would refuse it. */
  readonly refusal: HeadgateError | undefined;
  /** What admission would answer, limits and routing together; undefined when it would let the request pass. */
  readonly verdict: HeadgateError | undefined;
}

/**
 * What would become of a request: the very plan and admission of `run`, without a provider being called, a charge, a
 * hold or a free request counted. Load is balanced by draws, so the next request may be drawn another first endpoint.
 * @throws HeadgateError for models that cannot be found.
 */
export async function explainRoute(call: CallFacts, services: Services): Promise<RouteExplanation> {
  const { request, caller } = call;
  const candidates = resolveCandidates(request, candidateContext(caller, services));
  const draws: number[] = [];
  const drawing = { ...services, random: () => keep(draws, services.random()) };
  const conversation = await Conversation.of(request, caller, candidates, services);
  const prompt = new MeasuredPrompt(request.canonical);
  const policy = policyOf(caller, services);
  const snapshot = takeSnapshot(call.receivedAt, { policy, conversation, prompt }, drawing);
  const judgement = planRoute(request, snapshot, candidates);
  // Admission draws the same numbers, so that its plan is the one shown.
  const replaying = { ...services, random: () => draws.shift() ?? services.random() };
  const promptTokens = prompt.tokens;
  const targets = judgement.targets.map((target) =>
    explainTarget(target, { call, judgement, promptTokens, services }),
  );
  return {
    candidates,
    promptTokens,
    targets,
    excluded: exclusionsOf(judgement, caller.account.id),
    costCeiling: greatest(
      targets.map(({ target, costCeiling }) => (target.credential === undefined ? costCeiling : undefined)),
    ),
    refusal: judgement.refusal,
    verdict: await verdictOn(call, replaying, prompt),
  };
}

interface Explaining {
  readonly call: CallFacts;
  readonly judgement: RouteJudgement;
  readonly promptTokens: number;
  readonly services: Services;
}

function explainTarget(
  target: Target,
  { call, judgement, promptTokens, services }: Explaining,
): ExplainedTarget {
  const { price } = target.endpoint;
  const { canonical } = call.request;
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
    alterations: foreseenAlterations(target, call.request, judgement.used, services.upstreams),
  };
}

function exclusionsOf(judgement: RouteJudgement, accountId: string): readonly ExplainedExclusion[] {
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

async function verdictOn(
  call: CallFacts,
  services: Services,
  prompt: MeasuredPrompt,
): Promise<HeadgateError | undefined> {
  try {
    await admit(call, { ...services, ...readOnlyServices(services) }, prompt);
    return undefined;
  } catch (thrown) {
    return RefusedCall.of(thrown).error;
  }
}

function greatest(amounts: readonly (NanoUsd | undefined)[]): NanoUsd | undefined {
  let most: NanoUsd | undefined;
  for (const amount of amounts)
    if (amount !== undefined && (most === undefined || amount > most)) most = amount;
  return most;
}

function keep(draws: number[], draw: number): number {
  draws.push(draw);
  return draw;
}
