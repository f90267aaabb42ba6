import { ChatRequestSchema } from '../../dialects/chat-completions/request/chat-request-schema.ts';
import { EmbeddingsRequestSchema } from '../../dialects/embeddings/embeddings-request-schema.ts';
import { compactionDialect } from '../../dialects/responses/compaction/compaction-dialect.ts';
import { CompactionRequestSchema } from '../../dialects/responses/compaction/compaction-request-schema.ts';
import { ResponsesRequestSchema } from '../../dialects/responses/request/responses-request-schema.ts';
import { secretEnd } from '../../edge/authenticate.ts';
import { answerInference } from '../../edge/inference-route.ts';
import { apiBase } from '../../edge/paths.ts';
import { admitAccount } from '../../settlement/admit.ts';
import { marked, Type, word } from '../../util/json-schema.ts';
import { describeKey } from '../describe-key.ts';
import { explainPlan } from '../plan/explain-plan.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';
import { ChatChunk, ChatCompletion } from '../schemas/chat.ts';
import { Compaction } from '../schemas/compaction.ts';
import { EmbeddingsAnswer } from '../schemas/embeddings.ts';
import { KeyInformation } from '../schemas/keys.ts';
import { ResponseAnswer } from '../schemas/response.ts';
import { RoutePlan } from '../schemas/route-plan.ts';
import { StreamEvent } from '../schemas/stream-events.ts';
import { queryWords } from './query-parts.ts';
import { RequestHeaders, RoutingHeaders } from './request-headers.ts';

/** The dialect checks it itself, with the account's defaults. */
const ResponsesRequest = marked(ResponsesRequestSchema, { name: 'ResponsesRequest', handled: true });

const CompactionRequest = marked(CompactionRequestSchema, { name: 'CompactionRequest', handled: true });

const ChatRequest = marked(ChatRequestSchema, { name: 'ChatRequest', handled: true });

const EmbeddingsRequest = marked(EmbeddingsRequestSchema, { name: 'EmbeddingsRequest', handled: true });

/** Asking the classifying model costs, so a plan does so only where that is wanted. */
const PlanQuery = Type.Object({
  classify: Type.Optional(
    queryWords(
      ['true'],
      word(['true'], { description: 'Ask the classifying model of service/auto, which is charged' }),
    ),
  ),
});

/** What inference keys are for. */
export const inferenceRows: readonly Row[] = [
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/responses`,
      access: 'inference',
      id: 'createResponse',
      summary: 'Generate a response',
      headers: RequestHeaders,
      body: ResponsesRequest,
      answer: ResponseAnswer,
      events: StreamEvent,
      success: 'The whole answer, or its events when `stream` is true.',
      failures: 'any',
      // Once more, as all of admission, after the body: reading it for nothing would cost others their room.
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, services.responses, services);
      return undefined;
    },
  ),
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
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/responses/compact`,
      access: 'inference',
      id: 'compactResponse',
      summary: 'Replace a conversation by a sealed summary that later requests can go on from',
      headers: RequestHeaders,
      body: CompactionRequest,
      answer: Compaction,
      failures: 'any',
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, compactionDialect, services);
      return undefined;
    },
  ),
  jsonRow({
    method: 'POST',
    path: `${apiBase}/responses/plan`,
    access: 'inference',
    id: 'planResponse',
    summary: 'Where a response would be generated, at which cost, and why; nothing is sent or charged',
    headers: RoutingHeaders,
    query: PlanQuery,
    body: ResponsesRequest,
    answer: RoutePlan,
    failures: ['model_not_found', 'prompt_too_long', 'not_found', 'no_endpoints', 'unprocessable'],
    handle: explainPlan,
  }),
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/chat/completions`,
      access: 'inference',
      id: 'createChatCompletion',
      summary: 'Generate a chat completion',
      headers: RequestHeaders,
      body: ChatRequest,
      answer: ChatCompletion,
      events: ChatChunk,
      success: 'The whole answer, or its chunks when `stream` is true.',
      failures: 'any',
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, services.chatCompletions, services);
      return undefined;
    },
  ),
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/embeddings`,
      access: 'inference',
      id: 'createEmbeddings',
      summary: 'Make vectors of texts',
      headers: RequestHeaders,
      body: EmbeddingsRequest,
      answer: EmbeddingsAnswer,
      failures: 'any',
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, services.embeddings, services);
      return undefined;
    },
  ),
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
];
