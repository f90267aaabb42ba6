import type { Config } from '../config/config.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import { usdOrNull } from '../core/money.ts';
import { orderReasons } from '../core/order-reason.ts';
import { MessagesError, TokenCount } from '../dialects/messages/answer/message-schemas.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { StreamEvent } from '../dialects/responses/answer/stream-event-schemas.ts';
import { responsesDialect } from '../dialects/responses/responses-dialect.ts';
import { applyPreset } from '../edge/apply-preset.ts';
import { secretEnd } from '../edge/authenticate.ts';
import type { CallRate } from '../edge/call-rate.ts';
import { toProblem } from '../edge/describe-failure.ts';
import type { PresetServices, ReadServices, RunningServices } from '../edge/inference-services.ts';
import { readCall } from '../edge/read-call.ts';
import { apiBase, type JsonAnswer, type KeyedCall } from '../edge/route.ts';
import { RunningCall } from '../edge/running-call.ts';
import type { ReceivedRequest } from '../http/request.ts';
import { describeKey } from '../management/keys/current-key.ts';
import { KeyInformation } from '../management/keys/show.ts';
import { describeUnits, type Pricing } from '../management/models/show.ts';
import { queryWords } from '../management/parts.ts';
import { jsonRow, plainRow, type Row } from '../management/row.ts';
import { createClassifier } from '../pipeline/classify-task.ts';
import { countInput } from '../pipeline/count-input.ts';
import {
  type ExplainedExclusion,
  type ExplainedTarget,
  explainRoute,
  type RouteExplanation,
} from '../pipeline/explain-route.ts';
import { createInnerTurns } from '../pipeline/inner-turns.ts';
import { run } from '../pipeline/run.ts';
import { ClientGone, type Services } from '../pipeline/services.ts';
import { admitAccount } from '../settlement/admit.ts';
import type { CallFacts } from '../settlement/call-settlement.ts';
import type { Caller } from '../settlement/caller.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  nullOr,
  number,
  orNull,
  type Static,
  type TUnsafe,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { doors, RequestHeaders, RoutingHeaders } from './doors.ts';

/** What it needs. */
interface ExplainServices extends Services, ReadServices, RunningServices, PresetServices {
  readonly config: Config;
}

/**
 * `POST /responses/plan`: where `POST /responses` would send the same request and whether it would be let, without
 * calling a provider, charging, or counting anything; only `classify` asks the classifying model, which costs. A request
 * that routing or a limit would refuse is explained too.
 * @throws HeadgateError for a body that cannot be meant and for models that cannot be found.
 */
async function explainPlan(
  call: ReceivedRequest & {
    readonly caller: Caller;
    readonly query: { readonly classify?: readonly 'true'[] };
  },
  services: ExplainServices,
): Promise<Static<typeof RoutePlan>> {
  const { received } = await applyPreset(call, call.caller, responsesDialect.name, services);
  const { call: facts } = readCall(received, call.caller, responsesDialect, services);
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

type Plan = Static<typeof RoutePlan>;

const credentialWords = ['own', 'shared', 'own_fallback'] as const;

/** A route explanation as clients see it. Costs are in USD; prices are decimal text in USD per unit. */
function describePlan(request: AnyRequest, explanation: RouteExplanation, region: string | undefined): Plan {
  const { candidates, promptTokens, targets, excluded, costCeiling, refusal, verdict } = explanation;
  return {
    object: 'route_plan',
    requested: request.models,
    region: region ?? null,
    models: candidates.map(({ model, slug, variant, alias, router }) => ({
      requested: slug,
      id: model.id,
      named_by: router === undefined ? (alias ?? 'name') : 'router',
      variant: variant ?? null,
    })),
    routers: [...new Set(candidates.flatMap(({ router }) => router ?? []))].map(
      ({ router, strategy, entry }) => ({
        slug: router,
        strategy,
        summary: entry.summary ?? '',
        data: entry.data ?? {},
      }),
    ),
    prompt_tokens: promptTokens,
    max_output_tokens: request.canonical.maxOutputTokens ?? null,
    plan: targets.map(describeTarget),
    excluded: excluded.map(describeExclusion),
    cost_ceiling: usdOrNull(costCeiling),
    refusal: refusal === undefined ? null : describeError(refusal),
    verdict: {
      admitted: verdict === undefined,
      error: verdict === undefined ? null : describeError(verdict),
    },
  };
}

function describeTarget(
  { target, because, price, costCeiling, alterations }: ExplainedTarget,
  place: number,
): Plan['plan'][number] {
  const { model, endpoint, credential, credentialClass } = target;
  return {
    position: place + 1,
    provider: endpoint.provider.name,
    provider_slug: endpoint.provider.slug,
    tag: endpoint.tag,
    tier: endpoint.tier,
    model: model.id,
    credential: credentialWords[credentialClass],
    credential_label: credential?.label ?? null,
    is_byok: credential !== undefined,
    pricing: price === undefined ? null : describeUnits(price),
    list_cost_ceiling: usdOrNull(costCeiling),
    because,
    alterations,
  };
}

function describeExclusion({ model, endpoint, reason }: ExplainedExclusion): Plan['excluded'][number] {
  return {
    provider: endpoint.provider.name,
    provider_slug: endpoint.provider.slug,
    tag: endpoint.tag,
    model: model.id,
    reason,
  };
}

/** The error as the request itself would get it. */
function describeError(error: HeadgateError): unknown {
  return toProblem(error).body.error;
}

const problem = nullOr(Type.Unsafe<unknown>({ $ref: '#/components/schemas/Error/properties/error' }));
type Prices = Partial<typeof Pricing extends TUnsafe<infer Value> ? Value : never>;

/** Where a request would go, and why. */
const RoutePlan = named(
  'RoutePlan',
  Type.Object({
    object: word(['route_plan']),
    requested: list(text()),
    region: orNull(text()),
    models: list(
      Type.Object({
        requested: text(),
        id: text(),
        named_by: word(['name', 'legacy', 'latest', 'router']),
        variant: orNull(text()),
      }),
    ),
    routers: list(Type.Object({ slug: text(), strategy: text(), summary: text(), data: anyObject() }), {
      description: 'What the routers chose that the request names, and why',
    }),
    prompt_tokens: integer(),
    max_output_tokens: orNull(integer()),
    plan: list(
      Type.Object({
        position: integer(),
        provider: text(),
        provider_slug: text(),
        tag: text(),
        tier: text(),
        model: text(),
        credential: word(['own', 'shared', 'own_fallback']),
        credential_label: orNull(text()),
        is_byok: flag(),
        pricing: Type.Unsafe<Prices | null>({ type: ['object', 'null'] }),
        list_cost_ceiling: orNull(number()),
        because: word(orderReasons, {
          description:
            'What decided between it and the endpoint before it; for the first one, the endpoint after it',
        }),
        alterations: list(
          Type.Object({ field: text(), action: word(['emulated', 'dropped', 'adapted']), how: text() }),
        ),
      }),
    ),
    excluded: list(
      Type.Object({ provider: text(), provider_slug: text(), tag: text(), model: text(), reason: text() }),
    ),
    cost_ceiling: orNull(number()),
    refusal: problem,
    verdict: Type.Object({ admitted: flag(), error: problem }),
  }),
);

/** Asking the classifying model costs, so a plan does so only where that is wanted. */
const PlanQuery = Type.Object({
  classify: Type.Optional(
    queryWords(
      ['true'],
      word(['true'], { description: 'Ask the classifying model of service/auto, which is charged' }),
    ),
  ),
});

const { responses, compaction, chatCompletions, embeddings, messages } = doors;

/** What inference keys are for. */
export const inferenceRows: readonly Row[] = [
  responses,
  plainRow(
    {
      method: 'GET',
      path: `${apiBase}/responses`,
      access: 'inference',
      needs: 'inference',
      id: 'connectResponses',
      summary: 'Open a WebSocket for responses, one after the other',
      headers: RequestHeaders,
      status: 101,
      answer: StreamEvent,
      success: 'The connection is a WebSocket: requests and events are messages (docs/spec/websocket.md).',
      failures: ['method_not_allowed', 'platform_rate_limit'],
      admit: admitAccount,
    },
    (call, { sockets }) => {
      sockets.connect(call);
      return undefined;
    },
  ),
  compaction,
  jsonRow({
    method: 'POST',
    path: `${apiBase}/responses/plan`,
    access: 'inference',
    needs: 'inference',
    id: 'planResponse',
    summary: 'Where a response would be generated, at which cost, and why; nothing is sent or charged',
    headers: RoutingHeaders,
    query: PlanQuery,
    body: responses.body,
    answer: RoutePlan,
    failures: ['model_not_found', 'prompt_too_long', 'not_found', 'no_endpoints', 'unprocessable'],
    handle: explainPlan,
  }),
  chatCompletions,
  embeddings,
  jsonRow({
    method: 'GET',
    path: `${apiBase}/key`,
    access: 'key',
    needs: 'self',
    id: 'getCurrentKey',
    summary: 'What the key in use may do and has spent',
    answer: KeyInformation,
    handle: async ({ caller, arrival }, services) => ({
      data: await describeKey(caller, secretEnd(caller.key, arrival), services),
    }),
  }),
  messages,
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/messages/count_tokens`,
      access: 'inference',
      needs: 'inference',
      id: 'countMessageTokens',
      summary: 'How many tokens the input of a message has',
      description:
        '`X-Service-Token-Count` says whether the provider counted (`exact`) or it is an `estimate`. Needs an inference key.',
      headers: RoutingHeaders,
      // Of it, only what is counted has an effect.
      body: messages.body,
      answer: TokenCount,
      failures: ['model_not_found', 'not_found', 'no_endpoints', 'unprocessable', 'platform_rate_limit'],
      dialect: messagesDialect,
      errorAnswer: MessagesError,
    },
    countMessageTokens,
  ),
];

/** What it needs. */
interface CountServices extends Services, ReadServices, RunningServices, PresetServices {
  readonly config: Config;
  /** Limits how often a key has tokens counted. */
  readonly countRate: CallRate;
}

/**
 * `POST /messages/count_tokens` (docs/spec/messages.md#counting-tokens).
 * @throws HeadgateError for a body that cannot be meant, models that cannot be found, and too many calls;
 *   RefusedCall where routing leaves no endpoint.
 */
async function countMessageTokens(call: KeyedCall, services: CountServices): Promise<JsonAnswer> {
  services.countRate.admit(call.caller, services.clock.now());
  const { received } = await applyPreset(call, call.caller, messagesDialect.name, services);
  const { call: facts } = readCall(received, call.caller, messagesDialect, services);
  const abort = new AbortController();
  const giveUp = () => abort.abort(new ClientGone('The client closed the connection.'));
  call.reply.raw.once('close', giveUp);
  const room = services.answerMemory.open(services.config.limits.answerBytes, {
    cutOff: (reason) => abort.abort(reason),
    destroy: giveUp,
  });
  try {
    const { tokens, exact } = await countInput(facts, services, { signal: abort.signal, room });
    return {
      json: { input_tokens: tokens },
      headers: { 'x-service-token-count': exact ? 'exact' : 'estimate' },
    };
  } finally {
    room.close();
    call.reply.raw.off('close', giveUp);
  }
}
