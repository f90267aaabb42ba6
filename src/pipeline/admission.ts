import type { Model } from '../core/catalogue.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { RouteReport } from '../core/route-report.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { isFreeVariant } from '../settlement/cost.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { Spending } from '../settlement/spending.ts';
import type { Conversation } from './conversation.ts';
import {
  type EvaluatedCaller,
  type EvaluatedRoute,
  evaluateCaller,
  evaluateRoute,
} from './evaluate-request.ts';
import { RefusedCall } from './refused-call.ts';
import { reportRoute } from './route-report.ts';
import type { Services } from './services.ts';

/** A request that may be sent: where to, and what it may spend. */
export interface Admission {
  readonly plan: RouteJudgement;
  readonly spending: Spending;
  /** Learns which endpoint answered; undefined where stickiness gains nothing. */
  readonly conversation: Conversation | undefined;
}

/**
 * Judges a request and commits to it: counts it when it is free, and reserves what it may cost. The order is that of
 * docs/spec/money.md#admission-order: debt, key limit, rates, free requests, routing, affordability and in-flight
 * budget.
 * @throws RefusedCall with the first refusal. The caller settles the spending of an admission.
 */
export async function admit(call: CallFacts, services: Services): Promise<Admission> {
  let route: EvaluatedRoute | undefined;
  try {
    const judged = evaluateCaller(call, services);
    refuse(judged.refusal);
    const spending = new Spending(call, services, new MeasuredPrompt(call.request.canonical));
    if (call.rates !== undefined) refuse(await claimRates(call, spending.prompt));
    if (countsAtOnce(judged)) refuse(await spending.countFree());
    const judging = evaluateRoute(call, judged, spending.prompt, services);
    route = judging instanceof Promise ? await judging : judging;
    refuse(route.refusal);
    const reserving = reserve(spending, route.plan);
    refuse(reserving instanceof Promise ? await reserving : reserving);
    return { plan: route.plan, spending, conversation: route.conversation };
  } catch (thrown) {
    if (isFirstTurn(call)) await call.rates?.withdraw();
    const error = toHeadgateError(thrown);
    throw new RefusedCall(error, { report: reportRefusal(error, call, route, services), plan: route?.plan });
  }
}

/**
 * Whether a request is counted as a free one before it is routed. Among models of both kinds free ones count when they
 * are tried, and so do those that own credentials or an exempt endpoint may serve.
 */
export function countsAtOnce({ candidates, policy }: EvaluatedCaller): boolean {
  const mayUseOwn = policy.credentials !== undefined && policy.credentials.length > 0;
  return !mayUseOwn && candidates.every(({ model }) => isFreeVariant(model) && !hasExempt(model));
}

/**
 * Counts a client's request against the limits of its rate, unless that was done before; returns why it is not admitted.
 * Further turns and inner turns are not counted.
 */
export async function claimRates(
  call: CallFacts,
  prompt: MeasuredPrompt,
): Promise<HeadgateError | undefined> {
  return isFirstTurn(call) ? call.rates?.claim(prompt) : undefined;
}

/** Whether a call is the first turn of a client's request. */
function isFirstTurn({ requestId }: CallFacts): boolean {
  return requestId === undefined;
}

/** Reserves what the first endpoint of a plan may cost. Returns why the request may not be sent at all. */
export function reserve(
  spending: Spending,
  { targets }: Pick<RouteJudgement, 'targets'>,
): HeadgateError | undefined | Promise<HeadgateError | undefined> {
  const [first] = targets;
  if (first === undefined || isFreeVariant(first.model)) return undefined;
  // What own credentials serve costs no credits, so they are still tried.
  const isFinal = targets.every(({ credential }) => credential === undefined);
  const refusal = spending.admit(first);
  if (refusal instanceof Promise) return refusal.then((one) => (isFinal ? one : undefined));
  return isFinal ? refusal : undefined;
}

/** How a request that was refused was routed; undefined where routing had not begun. */
function reportRefusal(
  error: HeadgateError,
  { request }: CallFacts,
  route: EvaluatedRoute | undefined,
  services: Services,
): RouteReport | undefined {
  const byRouting = route !== undefined || error.metadata.availability !== undefined;
  if (!request.wantsMetadata || !byRouting) return undefined;
  const { region } = services.location();
  return reportRoute({ request, plan: route?.plan, attempts: [], failed: true, region });
}

function refuse(refusal: HeadgateError | undefined): void {
  if (refusal !== undefined) throw refusal;
}

function hasExempt({ endpoints }: Model): boolean {
  return endpoints.some(({ freeLimitExempt }) => freeLimitExempt === true);
}
