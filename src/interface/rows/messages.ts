import { messagesDialect } from '../../dialects/messages/messages-dialect.ts';
import {
  CountTokensRequestSchema,
  MessagesRequestSchema,
} from '../../dialects/messages/request/messages-request-schema.ts';
import { answerInference } from '../../edge/inference-route.ts';
import { apiBase } from '../../edge/paths.ts';
import { admitAccount } from '../../settlement/admit.ts';
import { marked } from '../../util/json-schema.ts';
import { countMessageTokens } from '../count-message-tokens.ts';
import { plainRow, type Row } from '../row.ts';
import { Message, MessageEvent, MessagesError, TokenCount } from '../schemas/messages.ts';
import { RequestHeaders, RoutingHeaders } from './request-headers.ts';

/** The dialect checks it itself. */
const MessagesRequest = marked(MessagesRequestSchema, { name: 'MessagesRequest', handled: true });

const CountTokensRequest = marked(CountTokensRequestSchema, { name: 'CountTokensRequest', handled: true });

/** The paths of clients that speak the Messages format (docs/spec/messages.md). */
export const messagesRows: readonly Row[] = [
  plainRow(
    {
      method: 'POST',
      path: `${apiBase}/messages`,
      access: 'inference',
      id: 'createMessage',
      summary: 'Generate a message',
      headers: RequestHeaders,
      body: MessagesRequest,
      answer: Message,
      events: MessageEvent,
      success: 'The whole message, or its events when `stream` is true.',
      failures: 'any',
      dialect: messagesDialect,
      errorAnswer: MessagesError,
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, messagesDialect, services);
      return undefined;
    },
  ),
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
      body: CountTokensRequest,
      answer: TokenCount,
      failures: ['model_not_found', 'not_found', 'no_endpoints', 'unprocessable', 'platform_rate_limit'],
      dialect: messagesDialect,
      errorAnswer: MessagesError,
    },
    countMessageTokens,
  ),
];
