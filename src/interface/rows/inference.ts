import { ResponsesRequestSchema } from '../../dialects/responses/request/responses-request-schema.ts';
import { answerInference } from '../../edge/inference-route.ts';
import { apiBase } from '../../edge/paths.ts';
import { admitAccount } from '../../settlement/admit.ts';
import { marked } from '../../util/json-schema.ts';
import { describeKey } from '../describe-key.ts';
import { explainPlan } from '../plan/explain-plan.ts';
import { jsonRow, plainRow, type Row } from '../row.ts';
import { KeyInformation } from '../schemas/keys.ts';
import { ResponseAnswer } from '../schemas/response.ts';
import { RoutePlan } from '../schemas/route-plan.ts';
import { StreamEvent } from '../schemas/stream-events.ts';
import { RequestHeaders, RoutingHeaders } from './request-headers.ts';

/** The dialect checks it itself, with the account's defaults. */
const ResponsesRequest = marked(ResponsesRequestSchema, { name: 'ResponsesRequest', handled: true });

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
  jsonRow({
    method: 'POST',
    path: `${apiBase}/responses/plan`,
    access: 'inference',
    id: 'planResponse',
    summary: 'Where a response would be generated, at which cost, and why; nothing is sent or charged',
    headers: RoutingHeaders,
    body: ResponsesRequest,
    answer: RoutePlan,
    failures: ['model_not_found', 'prompt_too_long', 'not_found', 'no_endpoints', 'unprocessable'],
    handle: explainPlan,
  }),
  jsonRow({
    method: 'GET',
    path: `${apiBase}/key`,
    access: 'key',
    id: 'getCurrentKey',
    summary: 'What the key in use may do and has spent',
    answer: KeyInformation,
    handle: async ({ caller }, services) => ({ data: await describeKey(caller, services) }),
  }),
];
