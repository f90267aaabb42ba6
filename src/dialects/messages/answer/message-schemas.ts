import {
  anyObject,
  byKind,
  choice,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { ErrorType, ServiceMetadata } from '../../answer-schemas.ts';

const maybe = Type.Optional;
const counts = orNull(anyObject());

/** What an answer used and cost (docs/spec/messages.md#usage). */
const usage = {
  input_tokens: integer(),
  output_tokens: integer(),
  output_tokens_details: counts,
  cache_creation_input_tokens: orNull(integer()),
  cache_read_input_tokens: orNull(integer()),
  cache_creation: counts,
  inference_geo: orNull(text()),
  server_tool_use: counts,
  service_tier: orNull(text()),
  cost: maybe(number()),
  is_byok: maybe(flag()),
  cost_details: maybe(anyObject()),
};

const ending = {
  stop_reason: orNull(
    choice(
      'end_turn',
      'stop_sequence',
      'tool_use',
      'max_tokens',
      'model_context_window_exceeded',
      'refusal',
      'pause_turn',
      'compaction',
    ),
  ),
  stop_details: orNull(anyObject()),
  stop_sequence: orNull(text()),
};

const message = {
  id: text(),
  type: choice('message'),
  role: choice('assistant'),
  container: orNull(anyObject()),
  content: list(anyObject()),
  model: text(),
  ...ending,
  usage: Type.Object(usage),
  context_management: maybe(orNull(anyObject())),
};

/** The answer of `POST /messages`. */
export const Message = named(
  'Message',
  Type.Object({ ...message, service_metadata: maybe(ServiceMetadata) }),
);

/** One event of a streamed message. */
export const MessageEvent = named(
  'MessageEvent',
  byKind('type', {
    message_start: Type.Object({ type: choice('message_start'), message: Type.Object(message) }),
    ping: Type.Object({ type: choice('ping') }),
    content_block_start: Type.Object({
      type: choice('content_block_start'),
      index: integer(),
      content_block: anyObject(),
    }),
    content_block_delta: Type.Object({
      type: choice('content_block_delta'),
      index: integer(),
      delta: anyObject(),
    }),
    content_block_stop: Type.Object({ type: choice('content_block_stop'), index: integer() }),
    message_delta: Type.Object({
      type: choice('message_delta'),
      delta: Type.Object({ container: orNull(anyObject()), ...ending }),
      usage: Type.Object(usage),
    }),
    message_stop: Type.Object({ type: choice('message_stop'), service_metadata: maybe(ServiceMetadata) }),
    error: Type.Object({ type: choice('error'), error: anyObject() }),
  }),
);

/** How many tokens an input has. */
export const TokenCount = named('TokenCount', Type.Object({ input_tokens: integer() }));

/** The body of every failure on these paths (docs/spec/messages.md#errors). */
export const MessagesError = named(
  'MessagesError',
  Type.Object({
    type: choice('error'),
    error: Type.Object({
      type: text(),
      message: text(),
      error_type: ErrorType,
      details: maybe(Type.Object({ error_code: text(), unsupported: list(text()) })),
    }),
    request_id: orNull(text()),
    metadata: maybe(anyObject()),
    service_metadata: maybe(ServiceMetadata),
  }),
);
