import type { Config } from '../config/config.ts';
import { MessagesError, TokenCount } from '../dialects/messages/answer/message-schemas.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { StreamEvent } from '../dialects/responses/answer/stream-event-schemas.ts';
import { applyPreset } from '../edge/apply-preset.ts';
import { secretEnd } from '../edge/authenticate.ts';
import type { CallRate } from '../edge/call-rate.ts';
import type { PresetServices, ReadServices, RunningServices } from '../edge/inference-services.ts';
import { apiBase } from '../edge/paths.ts';
import { readCall } from '../edge/read-call.ts';
import type { JsonAnswer, KeyedCall } from '../edge/route.ts';
import { describeKey } from '../management/keys/current-key.ts';
import { KeyInformation } from '../management/keys/show.ts';
import { queryWords } from '../management/parts.ts';
import { jsonRow, plainRow, type Row } from '../management/row.ts';
import { countInput } from '../pipeline/count-input.ts';
import { ClientGone, type Services } from '../pipeline/services.ts';
import { admitAccount } from '../settlement/admit.ts';
import { Type, word } from '../util/json-schema.ts';
import { doors, RequestHeaders, RoutingHeaders } from './doors.ts';
import { explainPlan, RoutePlan } from './explain-plan.ts';

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
