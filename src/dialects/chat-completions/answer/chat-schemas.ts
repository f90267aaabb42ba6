import {
  anyObject,
  flag,
  integer,
  list,
  map,
  named,
  nullOr,
  number,
  orNull,
  Type,
  text,
  word,
} from '../../../util/json-schema.ts';
import { ErrorType, ServiceMetadata, TokenLogprob } from '../../answer-schemas.ts';

const maybe = Type.Optional;

const finish = word(['stop', 'tool_calls', 'length', 'content_filter', 'error']);

const Usage = named(
  'ChatUsage',
  Type.Object({
    prompt_tokens: integer(),
    completion_tokens: integer(),
    total_tokens: integer(),
    prompt_tokens_details: maybe(map(integer())),
    completion_tokens_details: maybe(map(integer())),
    cost: maybe(number()),
    is_byok: flag(),
    cost_details: maybe(map(orNull(number()))),
    server_tool_use_details: maybe(map(integer())),
  }),
);

const ReasoningDetail = named(
  'ReasoningDetail',
  Type.Object({
    type: word(['reasoning.text', 'reasoning.summary', 'reasoning.encrypted', 'reasoning.server_tool_call']),
    index: integer(),
    id: maybe(text()),
    format: maybe(text()),
    text: maybe(text()),
    summary: maybe(text()),
    data: maybe(text()),
    signature: maybe(text()),
  }),
);

const call = (isPiece: boolean) =>
  Type.Object({
    index: integer(),
    id: isPiece ? maybe(text()) : text(),
    type: isPiece ? maybe(word(['function'])) : word(['function']),
    function: Type.Object({ name: isPiece ? maybe(text()) : text(), arguments: text() }),
    extra_content: maybe(anyObject()),
  });

const image = Type.Object({ type: word(['image_url']), image_url: Type.Object({ url: text() }) });

const speech = Type.Object({
  id: maybe(text()),
  data: maybe(text()),
  transcript: maybe(text()),
  expires_at: maybe(integer()),
});

const said = {
  reasoning: maybe(text()),
  reasoning_details: maybe(list(ReasoningDetail)),
  annotations: maybe(list(anyObject())),
  images: maybe(list(image)),
  audio: maybe(speech),
};

const ChatError = named(
  'ChatError',
  Type.Object({
    code: integer(),
    message: text(),
    metadata: Type.Object({ error_type: ErrorType }),
  }),
);

const logprobs = orNull(Type.Object({ content: list(TokenLogprob), refusal: Type.Null() }));

/** The whole answer of `POST /chat/completions`. */
export const ChatCompletion = named(
  'ChatCompletion',
  Type.Object({
    id: text(),
    object: word(['chat.completion']),
    created: integer(),
    model: text(),
    provider: maybe(text()),
    system_fingerprint: Type.Null(),
    service_tier: orNull(text()),
    choices: list(
      Type.Object({
        index: integer(),
        message: Type.Object({
          role: word(['assistant']),
          content: orNull(text()),
          refusal: orNull(text()),
          tool_calls: maybe(list(call(false))),
          ...said,
        }),
        logprobs,
        finish_reason: finish,
        native_finish_reason: maybe(text()),
        error: maybe(ChatError),
      }),
    ),
    usage: Usage,
    service_metadata: maybe(ServiceMetadata),
  }),
);

/** A chunk of a streamed chat completion. */
export const ChatChunk = named(
  'ChatChunk',
  Type.Object({
    id: text(),
    object: word(['chat.completion.chunk']),
    created: integer(),
    model: text(),
    provider: maybe(text()),
    choices: list(
      Type.Object({
        index: integer(),
        delta: Type.Object({
          role: maybe(word(['assistant'])),
          content: maybe(text()),
          refusal: maybe(text()),
          tool_calls: maybe(list(call(true))),
          ...said,
        }),
        logprobs: maybe(logprobs),
        finish_reason: nullOr(finish),
        native_finish_reason: maybe(text()),
      }),
    ),
    usage: maybe(Usage),
    service_tier: maybe(text()),
    error: maybe(ChatError),
    debug: maybe(Type.Object({ echo_upstream_body: maybe(Type.Unknown()) })),
    service_metadata: maybe(ServiceMetadata),
  }),
);
