import type { Model } from '../core/catalogue.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { Restrictions } from '../guardrails/combine-restrictions.ts';
import type { GuardrailSource } from '../guardrails/guardrail-directory.ts';
import type { Account } from '../ports/accounts.ts';
import { askRouter } from '../routers/ask-router.ts';
import type { RouterQuestion } from '../routers/router.ts';
import type { ModelLimits } from '../routing/allowed-models.ts';
import { type Candidate, type NamedRouter, resolveCandidates } from '../routing/candidates.ts';
import { credentialsForKey } from '../routing/own-credentials.ts';
import { planRoute, type RouteJudgement } from '../routing/plan.ts';
import type { RoutePolicy, RoutingSnapshot } from '../routing/route-plan.ts';
import { admitAccount, admitBudgets, admitKey, isPrepaid } from '../settlement/admit.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { Caller } from '../settlement/caller.ts';
import { isFreeEverywhere } from '../settlement/cost.ts';
import { MeasuredPrompt } from '../settlement/measured-prompt.ts';
import { Conversation } from './conversation.ts';
import type { Services } from './services.ts';

/** What judging a request reads. Nothing is changed in any of it. */
export type EvaluationServices = Pick<
  Services,
  | 'catalogue'
  | 'endpointStatistics'
  | 'guardrails'
  | 'leavesOutTools'
  | 'location'
  | 'random'
  | 'routerStatistics'
  | 'routing'
  | 'stickyEndpoints'
  | 'upstreams'
>;

/** The models a request may be served by, and what its caller may do. */
export interface EvaluatedCaller {
  readonly candidates: readonly Candidate[];
  readonly policy: RoutePolicy;
  /** Why the caller may not send the request: a budget, debt, or the limit of the key. */
  readonly refusal: HeadgateError | undefined;
}

/** Where a request would go. */
export interface EvaluatedRoute {
  /** Undefined where stickiness gains nothing. */
  readonly conversation: Conversation | undefined;
  readonly plan: RouteJudgement;
  /** Why it goes nowhere. */
  readonly refusal: HeadgateError | undefined;
}

/**
 * Judges a caller before routing. A key that has used up its limit may still use own credentials that do not count in
 * it (docs/spec/money.md#refusals).
 * @throws HeadgateError for models that cannot be found; why the caller may send nothing, where that is so, instead.
 */
export function evaluateCaller(call: CallFacts, services: EvaluationServices): EvaluatedCaller {
  const { caller } = call;
  const policy = pinned(policyOf(caller, services), call);
  const spent =
    call.hasBegun === true ? undefined : refusalOf((one) => admitBudgets(one, call.receivedAt), caller);
  const barred = spent ?? refusalOf(admitAccount, caller);
  const candidates = candidatesOf(call, policy, services, barred);
  if (barred !== undefined) return { candidates, policy, refusal: barred };
  const isFree = candidates.every(({ model }) => isFreeEverywhere(model));
  const limit = isFree ? undefined : refusalOf(admitKey, caller);
  if (limit === undefined) return { candidates, policy, refusal: undefined };
  if (!policy.credentials?.length || caller.key.includeByokInLimit) {
    return { candidates, policy, refusal: limit };
  }
  return { candidates, policy: { ...policy, ownCredentialsOnly: true }, refusal: undefined };
}

/** The policy of a call that one credential serves. */
function pinned(policy: RoutePolicy, { onlyCredential }: CallFacts): RoutePolicy {
  if (onlyCredential === undefined) return policy;
  return { ...policy, credentials: [onlyCredential], ownCredentialsOnly: true };
}

/** The models that may serve a call. @param barred The error to fail with in place of one about models. */
function candidatesOf(
  call: CallFacts,
  policy: RoutePolicy,
  services: EvaluationServices,
  barred: HeadgateError | undefined,
): readonly Candidate[] {
  const { request, caller } = call;
  try {
    return resolveCandidates(request, {
      catalogue: services.catalogue(),
      accountId: caller.account.id,
      allowedModels: modelLimitsOf(caller, services),
      chooseBy: (named) => askRouter(routerQuestion(named, call, policy, services)),
      maxModels: services.routing().maxModels,
    });
  } catch (thrown) {
    throw barred ?? thrown;
  }
}

/** What a router is asked about a call. */
export function routerQuestion(
  named: NamedRouter,
  call: CallFacts,
  policy: RoutePolicy,
  services: EvaluationServices,
): RouterQuestion<CanonicalRequest> {
  const { request, caller } = call;
  return {
    request,
    named,
    snapshot: snapshotOf(call, policy, new MeasuredPrompt(request.canonical), services),
    allowedModels: modelLimitsOf(caller, services),
    statistics: services.routerStatistics,
  };
}

/**
 * Plans where a request goes. Load is balanced by draws, so the next plan may differ. Waits only where stickiness may gain
 * something.
 * @param prompt Measured once for every step that asks.
 */
export function evaluateRoute(
  call: CallFacts,
  judged: EvaluatedCaller,
  prompt: MeasuredPrompt,
  services: EvaluationServices,
): EvaluatedRoute | Promise<EvaluatedRoute> {
  const finding = Conversation.of(call.request, call.caller, judged.candidates, services);
  if (finding === undefined) return plan(call, judged, undefined, prompt, services);
  return finding.then((conversation) => plan(call, judged, conversation, prompt, services));
}

function plan(
  call: CallFacts,
  { candidates, policy }: EvaluatedCaller,
  conversation: Conversation | undefined,
  prompt: MeasuredPrompt,
  services: EvaluationServices,
): EvaluatedRoute {
  const sticky = conversation && ((model: Candidate['model']) => conversation.servedBy(model));
  const snapshot = { ...snapshotOf(call, policy, prompt, services), sticky };
  const made = planRoute(call.request, snapshot, candidates);
  const refusal = made.refusal && refusalOfPlan(made.refusal, call.caller, policy);
  return { conversation, plan: made, refusal };
}

function snapshotOf(
  { receivedAt }: CallFacts,
  policy: RoutePolicy,
  prompt: MeasuredPrompt,
  services: EvaluationServices,
): RoutingSnapshot {
  return {
    policy,
    rules: services.routing(),
    catalogue: services.catalogue(),
    statistics: services.endpointStatistics,
    upstreams: services.upstreams,
    prompt,
    leavesOutTools: services.leavesOutTools?.(),
    now: receivedAt,
    random: services.random,
  };
}

/** Where no own credential serves what the limit of a key leaves, the limit is the reason. */
function refusalOfPlan(refusal: HeadgateError, caller: Caller, policy: RoutePolicy): HeadgateError {
  return (policy.ownCredentialsOnly === true ? refusalOf(admitKey, caller) : undefined) ?? refusal;
}

/** The error with which a check refuses a caller. */
function refusalOf(check: (caller: Caller) => void, caller: Caller): HeadgateError | undefined {
  try {
    check(caller);
    return undefined;
  } catch (thrown) {
    return toHeadgateError(thrown);
  }
}

/** What the account, the workspace and the operator decided about where requests of a key may go. */
export function policyOf(caller: Caller, services: Pick<Services, 'location' | 'guardrails'>): RoutePolicy {
  const { account, key, credentials, defaults } = caller;
  const { country, dataRegions } = services.location();
  const { privacy } = account;
  const policy: RoutePolicy = {
    country,
    dataRegions,
    pricedOnly: isPrepaid(account) || key.limit !== null,
    accountId: account.id,
    credentials: credentialsForKey(credentials, key),
    zeroRetention: zeroRetentionOf(account),
    allowedProviders: privacy?.allowedProviders && [privacy.allowedProviders],
    ignoredProviders: privacy?.ignoredProviders,
    forbidPaidTraining: privacy?.forbidPaidTraining,
    forbidFreeTraining: privacy?.forbidFreeTraining,
    forbidFreePublication: privacy?.forbidFreePublication,
    defaultSort: sortNamed(defaults?.providerSort),
  };
  const restrictions = services.guardrails?.of(caller)?.restrictions;
  return restrictions === undefined ? policy : restricted(policy, restrictions);
}

/** A policy with what guardrails demand besides: they only tighten it. */
function restricted(policy: RoutePolicy, guardrails: Restrictions): RoutePolicy {
  const { zeroRetention: ofAccount } = policy;
  const { zeroRetention: ofGuardrails } = guardrails;
  return {
    ...policy,
    allowedProviders: [...(policy.allowedProviders ?? []), ...guardrails.allowedProviders],
    ignoredProviders: [...(policy.ignoredProviders ?? []), ...guardrails.ignoredProviders],
    forbidPaidTraining: policy.forbidPaidTraining === true || guardrails.forbidPaidTraining,
    forbidFreeTraining: policy.forbidFreeTraining === true || guardrails.forbidFreeTraining,
    forbidFreePublication: policy.forbidFreePublication === true || guardrails.forbidFreePublication,
    zeroRetention:
      ofGuardrails === undefined
        ? ofAccount
        : (model) => ofAccount?.(model) === true || ofGuardrails(model.id),
  };
}

/** For which models nothing may be kept: all of them, those of some authors, or none. */
function zeroRetentionOf({ zeroRetention, privacy }: Account): RoutePolicy['zeroRetention'] {
  if (zeroRetention) return () => true;
  const authors = privacy?.zeroRetentionAuthors;
  return authors && (({ id }: Model) => authors.includes(id.split('/', 1)[0]?.toLowerCase() ?? ''));
}

const sorts = ['price', 'throughput', 'latency', 'exacto'] as const;

function sortNamed(name: string | undefined): RoutePolicy['defaultSort'] {
  return sorts.find((sort) => sort === name);
}

/** The models that a caller's key and guardrails allow; undefined is all. */
export function modelLimitsOf(
  caller: Caller,
  { guardrails }: { readonly guardrails?: GuardrailSource },
): ModelLimits | undefined {
  const ofKey = caller.key.allowedModels;
  const restrictions = guardrails?.of(caller)?.restrictions;
  if (restrictions === undefined) return ofKey === null ? undefined : { ofKey };
  return { ofKey, allowed: restrictions.allowedModels, ignored: restrictions.ignoredModels };
}
