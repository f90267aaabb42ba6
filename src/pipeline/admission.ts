import type { Model } from '../core/catalogue.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import { type Candidate, type CandidateContext, resolveCandidates } from '../routing/candidates.ts';
import { planRoute, type RouteJudgement } from '../routing/plan.ts';
import type { RoutePlan, RoutePolicy, RoutingSnapshot } from '../routing/route-plan.ts';
import { admitAccount, admitKey } from '../settlement/admit.ts';
import type { CallFacts } from '../settlement/bracket.ts';
import type { Caller } from '../settlement/caller.ts';
import { isFreeEverywhere, isFreeVariant } from '../settlement/free-of-charge.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { Spending } from '../settlement/spending.ts';
import type { JsonObject } from '../util/json.ts';
import { Conversation } from './conversation.ts';
import { policyOf } from './policy-of.ts';
import { RefusedCall } from './refused-call.ts';
import { routingMetadata } from './routing-metadata.ts';
import type { Services } from './services.ts';

/** A request that may be sent: where to, and what it may spend. */
export interface Admission {
  readonly plan: RoutePlan;
  readonly spending: Spending;
  /** Told when an endpoint answered; undefined where nobody asks. */
  readonly conversation: Conversation | undefined;
}

/**
 * Everything between a valid body and the first provider call, in the order of accounts-and-limits 3: debt, key
 * limit, free requests, routing, affordability and in-flight budget.
 * @throws RefusedCall of what failed first. Whoever gets an admission settles its spending.
 */
export async function admit(
  call: CallFacts,
  services: Services,
  prompt = new MeasuredPrompt(call.request.canonical),
): Promise<Admission> {
  let judgement: RouteJudgement | undefined;
  try {
    const { request, caller } = call;
    const candidates = resolveCandidates(request, candidateContext(caller, services));
    const policy = admitCaller(caller, candidates, services);
    const spending = new Spending(call, services, prompt);
    const mayUseOwn = policy.credentials !== undefined && policy.credentials.length > 0;
    // Among models of both kinds free ones count when they are tried, and so do those that own credentials may serve or
    // an exempt endpoint.
    if (!mayUseOwn && candidates.every(({ model }) => isFreeVariant(model) && !hasExempt(model)))
      refuse(await spending.countFree());
    const conversation = await Conversation.of(request, caller, candidates, services);
    const snapshot = takeSnapshot(call.receivedAt, { policy, conversation, prompt }, services);
    judgement = planRoute(request, snapshot, candidates);
    const plan = planOf(judgement, caller, policy);
    const [first] = plan.targets;
    if (first !== undefined && !isFreeVariant(first.model)) {
      const refusal = await spending.admit(first);
      // What own credentials serve costs no credits, so they are still tried.
      if (plan.targets.every(({ credential }) => credential === undefined)) refuse(refusal);
    }
    return { plan, spending, conversation };
  } catch (thrown) {
    const error = toHeadgateError(thrown);
    throw new RefusedCall(error, { metadata: describeRefusal(error, call, judgement, services) });
  }
}

/** What routing metadata tells of a refusal; nothing before routing began. */
function describeRefusal(
  error: HeadgateError,
  { request }: CallFacts,
  plan: RouteJudgement | undefined,
  services: Services,
): JsonObject | undefined {
  const byRouting = plan !== undefined || error.metadata.availability !== undefined;
  if (!request.wantsMetadata || !byRouting) return undefined;
  return routingMetadata({ request, plan, attempts: [], failed: true, region: services.location().region });
}

/**
 * What the caller may do at all. A key that has used up its limit may still use own credentials that do not count
 * in it (accounts-and-limits 10, row 2).
 */
function admitCaller(caller: Caller, candidates: readonly Candidate[], services: Services): RoutePolicy {
  admitAccount(caller);
  const policy = policyOf(caller, services);
  const limited = candidates.every(({ model }) => isFreeEverywhere(model)) ? undefined : limitOf(caller);
  if (limited !== undefined && (!policy.credentials?.length || caller.key.includeByokInLimit)) throw limited;
  return limited === undefined ? policy : { ...policy, ownCredentialsOnly: true };
}

function limitOf(caller: Caller): HeadgateError | undefined {
  try {
    admitKey(caller);
    return undefined;
  } catch (thrown) {
    return toHeadgateError(thrown);
  }
}

/** What was made out of a request and its caller before routing begins. */
export interface RoutedRequest {
  readonly policy: RoutePolicy;
  readonly conversation: Conversation | undefined;
  readonly prompt: MeasuredPrompt;
}

/** What the models of a caller's request are looked up in. */
export function candidateContext({ account, key }: Caller, services: Services): CandidateContext {
  return {
    catalogue: services.catalogue(),
    accountId: account.id,
    allowedModels: key.allowedModels,
    maxModels: services.routing().maxModels,
  };
}

/**
 * Everything besides a request that decides where it goes.
 * @param now When the request was received, Unix milliseconds.
 */
export function takeSnapshot(
  now: number,
  { policy, conversation, prompt }: RoutedRequest,
  services: Services,
): RoutingSnapshot {
  return {
    policy,
    rules: services.routing(),
    catalogue: services.catalogue(),
    statistics: services.endpointStatistics,
    upstreams: services.upstreams,
    prompt,
    now,
    random: services.random,
    sticky: conversation && ((model: Candidate['model']) => conversation.servedBy(model)),
  };
}

function planOf(judgement: RouteJudgement, caller: Caller, policy: RoutePolicy): RoutePlan {
  if (judgement.refusal === undefined) return judgement;
  // No own credential serves what the limit leaves: the limit is what stands in the way.
  if (policy.ownCredentialsOnly === true) admitKey(caller);
  throw judgement.refusal;
}

function refuse(refusal: HeadgateError | undefined): void {
  if (refusal !== undefined) throw refusal;
}

function hasExempt({ endpoints }: Model): boolean {
  return endpoints.some(({ freeLimitExempt }) => freeLimitExempt === true);
}
