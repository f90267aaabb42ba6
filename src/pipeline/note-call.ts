import { hideKeys } from '../core/api-key.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { AnyRequest, ProviderPreferences } from '../core/inference-request.ts';
import { formatPrice } from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { chatOf } from '../core/request.ts';
import { shownReason } from '../core/shown-reason.ts';
import {
  type AskedFacts,
  type KeptPlan,
  type KeptTarget,
  type NewCallNote,
  nothingRan,
  type RefusedRequest,
} from '../ports/call-notes.ts';
import { explainOrder } from '../routing/explain-order.ts';
import type { RouteJudgement } from '../routing/plan.ts';
import type { Target } from '../routing/route-plan.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import { cutText } from '../util/growing-text.ts';
import type { JsonObject } from '../util/json.ts';
import { exclusionsOf } from './explain-route.ts';
import { RefusedCall } from './refused-call.ts';

/** Characters of a plan as JSON, and of what was asked for. */
const longestPlan = 2_000;
const longestAsked = 2_000;
const longestMessage = 500;
const mostNames = 20;
/** Characters of a name: clients choose it. */
const longestName = 200;
const credentialWords = ['own', 'shared', 'own_fallback'] as const;

/** What is kept of a request that was turned away. */
export function refusedNote(
  call: CallFacts,
  thrown: unknown,
  { at, keepsPlan }: { readonly at: number; readonly keepsPlan: boolean },
): NewCallNote {
  const { error, plan } = RefusedCall.of(thrown);
  const { request, caller, attribution, generationId: id, receivedAt } = call;
  const { account, key } = caller;
  const refused: RefusedRequest = {
    generation: {
      ...nothingRan,
      id,
      requestId: id,
      accountId: account.id,
      keyHash: key.hash,
      workspaceId: key.workspaceId,
      createdAt: receivedAt,
      settledAt: at,
      requestedModel: cutText(request.models[0] ?? ''),
      sessionId: request.sessionId,
      externalUser: request.user,
      ...attribution,
      errorType: toHeadgateError(error).type,
      streamed: request.stream,
    },
    refusal: { status: error.status, message: cutText(reasonOf(error), longestMessage) },
  };
  return {
    id,
    accountId: account.id,
    at,
    asked: askedOf(request),
    plan: keepsPlan && plan !== undefined ? keptPlan(call, plan) : undefined,
    refused,
  };
}

/** Routing names models and features, and quotes nothing that was said. */
function reasonOf(error: HeadgateError): string {
  return error.metadata.availability === undefined ? shownReason(error) : hideKeys(error.message);
}

/** What is kept of how a call was routed. */
export function routedNote(call: CallFacts, plan: RouteJudgement, at: number): NewCallNote {
  const { generationId: id, caller, request } = call;
  return { id, accountId: caller.account.id, at, asked: askedOf(request), plan: keptPlan(call, plan) };
}

function askedOf({ models, provider, canonical }: AnyRequest): AskedFacts {
  const { tools = [], serviceTools = [], reasoning, format } = chatOf(canonical) ?? {};
  // A turn offers tools of the gateway as functions besides (docs/spec/server-tools.md#the-loop).
  const offered = new Set(serviceTools.map(({ type }) => type.replaceAll(/[^\w-]/g, '_')));
  const types = [
    ...tools
      .filter((tool) => tool.kind !== 'function' || !offered.has(tool.name))
      .map((tool) => (tool.kind === 'hosted' ? tool.type : tool.kind)),
    ...serviceTools.map(({ type }) => type),
  ];
  const asked: AskedFacts = {
    models: firstNames(models),
    provider: wirePreferences(provider),
    tools: firstNames(types),
    maxOutputTokens: canonical.maxOutputTokens,
    effort: reasoning?.effort,
    format: format?.kind === 'text' ? undefined : format?.kind,
  };
  if (JSON.stringify(asked).length <= longestAsked) return asked;
  return { ...asked, models: asked.models.slice(0, 3), provider: {}, tools: asked.tools.slice(0, 3) };
}

function firstNames(names: readonly string[]): string[] {
  return names.slice(0, mostNames).map((name) => cutText(name, longestName));
}

/** Preferences as clients write them. */
function wirePreferences(provider: ProviderPreferences): JsonObject {
  const members = Object.entries(provider).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    members.map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      Array.isArray(value) ? value.slice(0, mostNames) : value,
    ]),
  );
}

function keptPlan(call: CallFacts, plan: RouteJudgement): KeptPlan {
  const reasons = explainOrder(plan.ranked);
  const targets = plan.targets.map((target, place) => ({
    ...keptTarget(target, call.receivedAt),
    because: reasons[place],
  }));
  const excluded = exclusionsOf(plan, call.caller.account.id).map(({ model, endpoint, reason }) => ({
    model: model.id,
    tag: endpoint.tag,
    provider: endpoint.provider.slug,
    reason,
  }));
  const all = targets.length + excluded.length;
  let kept: KeptPlan = { targets, excluded, further: 0 };
  while (JSON.stringify(kept).length > longestPlan) {
    // What was left out goes first, then the last of those that would have been tried.
    const left = kept.excluded.slice(0, Math.floor(kept.excluded.length / 2));
    const tried = kept.excluded.length > 0 ? kept.targets : kept.targets.slice(0, kept.targets.length / 2);
    kept = { targets: tried, excluded: left, further: all - tried.length - left.length };
  }
  return kept;
}

function keptTarget({ model, endpoint, credentialClass }: Target, at: number): Omit<KeptTarget, 'because'> {
  const price = endpoint.price && priceInEffect(endpoint.price, 0, at);
  return {
    model: model.id,
    tag: endpoint.tag,
    provider: endpoint.provider.slug,
    tier: endpoint.tier,
    credential: credentialWords[credentialClass],
    prompt: price?.prompt === undefined ? undefined : formatPrice(price.prompt),
    completion: price?.completion === undefined ? undefined : formatPrice(price.completion),
  };
}
