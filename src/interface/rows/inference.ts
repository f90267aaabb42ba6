import { MessagesError, TokenCount } from '../../dialects/messages/answer/message-schemas.ts';
import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import { StreamEvent } from '../../dialects/responses/answer/stream-event-schemas.ts';
import { secretEnd } from '../../edge/authenticate.ts';
import { apiBase } from '../../edge/paths.ts';
import { admitAccount } from '../../settlement/admit.ts';
import { Type, word } from '../../util/json-schema.ts';
import { countMessageTokens } from '../count-message-tokens.ts';
import { describeKey } from '../describe-key.ts';
import { explainPlan } from '../plan/explain-plan.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';
import { KeyInformation } from '../schemas/keys.ts';
import { RoutePlan } from '../schemas/route-plan.ts';
import { doors } from './doors.ts';
import { queryWords } from './query-parts.ts';
import { RequestHeaders, RoutingHeaders } from './request-headers.ts';

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
