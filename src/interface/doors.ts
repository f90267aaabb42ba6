import { ChatChunk, ChatCompletion } from '../dialects/chat-completions/answer/chat-schemas.ts';
import { createChatCompletionsDialect } from '../dialects/chat-completions/chat-completions-dialect.ts';
import { ChatRequestSchema } from '../dialects/chat-completions/request/chat-request-schema.ts';
import { embeddingsDialect } from '../dialects/embeddings/embeddings-dialect.ts';
import { EmbeddingsAnswer, EmbeddingsRequestSchema } from '../dialects/embeddings/embeddings-schemas.ts';
import { Message, MessageEvent, MessagesError } from '../dialects/messages/answer/message-schemas.ts';
import { messagesDialect } from '../dialects/messages/messages-dialect.ts';
import { MessagesRequestSchema } from '../dialects/messages/request/messages-request-schema.ts';
import type { PublicDialect } from '../dialects/public-dialect.ts';
import { ResponseAnswer } from '../dialects/responses/answer/response-schema.ts';
import { StreamEvent } from '../dialects/responses/answer/stream-event-schemas.ts';
import { compactionDialect } from '../dialects/responses/compaction/compaction-dialect.ts';
import { Compaction, CompactionRequestSchema } from '../dialects/responses/compaction/compaction-schemas.ts';
import { ResponsesRequestSchema } from '../dialects/responses/request/responses-request-schema.ts';
import { readInputBody, responsesDialect } from '../dialects/responses/responses-dialect.ts';
import { answerInference } from '../edge/inference-route.ts';
import { apiBase } from '../edge/route.ts';
import { plainRow, type Row } from '../management/row.ts';
import { admitAccount } from '../settlement/admit.ts';
import { marked, type TSchema, Type, text, word } from '../util/json-schema.ts';

/** The headers of a request by which routing goes. */
export const RoutingHeaders = Type.Object({
  'X-Service-Strict': Type.Optional(
    word(['true', 'false'], {
      default: 'false',
      description: 'Whether the request is refused rather than altered for a provider.',
    }),
  ),
  'X-Session-Id': Type.Optional(
    text({
      maxLength: 256,
      description: 'Requests of a session stay with one provider. session_id in the body wins.',
    }),
  ),
});

/** The headers of `POST /responses` that say something about the request itself. */
export const RequestHeaders = Type.Object({
  'X-Service-Metadata': Type.Optional(
    word(['enabled', 'disabled'], {
      default: 'disabled',
      description: 'Whether the answer carries routing metadata.',
    }),
  ),
  ...RoutingHeaders.properties,
  'Idempotency-Key': Type.Optional(
    text({
      maxLength: 255,
      description: 'An equal request with the same key joins or repeats the answer, and is charged once.',
    }),
  ),
});

/** Where clients send requests to models: one dialect at one path. */
interface Door {
  readonly dialect: PublicDialect;
  /** Of the operation, in the document and in client types. */
  readonly id: string;
  readonly summary: string;
  /** The body, which the dialect itself checks, and its name in the document. */
  readonly request: readonly [name: string, schema: TSchema];
  readonly answer: TSchema;
  /** The events of a streamed answer; undefined where none is streamed. */
  readonly events?: TSchema;
  /** What success means, where "Done" does not say it. */
  readonly success?: string;
  /** The body of failures, where the dialect has its own. */
  readonly errorAnswer?: TSchema;
}

/** A row of the table that is a door. */
export interface DoorRow extends Row {
  readonly dialect: PublicDialect;
  readonly body: TSchema;
}

/** A door as a row of the table: its route, its place in the document, its checks at the edge. */
export function door({ dialect, request: [name, schema], ...described }: Door): DoorRow {
  const body = marked(schema, { name, handled: true });
  const row = plainRow(
    {
      ...described,
      method: 'POST',
      path: apiBase + dialect.path,
      access: 'inference',
      needs: 'inference',
      headers: RequestHeaders,
      body,
      failures: 'any',
      dialect,
      // Once more, as all of admission, after the body: reading it for nothing would cost others their room.
      admit: admitAccount,
    },
    async (call, services) => {
      await answerInference(call, call.reply, call.caller, dialect, services);
      return undefined;
    },
  );
  return { ...row, dialect, body };
}

/** Every way to ask a model, one row each. */
export const doors = {
  responses: door({
    dialect: responsesDialect,
    id: 'createResponse',
    summary: 'Generate a response',
    request: ['ResponsesRequest', ResponsesRequestSchema],
    answer: ResponseAnswer,
    events: StreamEvent,
    success: 'The whole answer, or its events when `stream` is true.',
  }),
  compaction: door({
    dialect: compactionDialect,
    id: 'compactResponse',
    summary: 'Replace a conversation by a sealed summary that later requests can go on from',
    request: ['CompactionRequest', CompactionRequestSchema],
    answer: Compaction,
  }),
  chatCompletions: door({
    // Some clients send it what is meant for the door above.
    dialect: createChatCompletionsDialect(readInputBody),
    id: 'createChatCompletion',
    summary: 'Generate a chat completion',
    request: ['ChatRequest', ChatRequestSchema],
    answer: ChatCompletion,
    events: ChatChunk,
    success: 'The whole answer, or its chunks when `stream` is true.',
  }),
  embeddings: door({
    dialect: embeddingsDialect,
    id: 'createEmbeddings',
    summary: 'Make vectors of texts',
    request: ['EmbeddingsRequest', EmbeddingsRequestSchema],
    answer: EmbeddingsAnswer,
  }),
  messages: door({
    dialect: messagesDialect,
    id: 'createMessage',
    summary: 'Generate a message',
    request: ['MessagesRequest', MessagesRequestSchema],
    answer: Message,
    events: MessageEvent,
    success: 'The whole message, or its events when `stream` is true.',
    errorAnswer: MessagesError,
  }),
} as const satisfies Readonly<Record<string, DoorRow>>;
