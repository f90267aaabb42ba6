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
import { ErrorType, ResponseError, ServiceMetadata } from '../../answer-schemas.ts';
import { OutputItem } from './output-item-schemas.ts';

const maybe = Type.Optional;

/** What an answer used and cost. */
export const Usage = named(
  'Usage',
  Type.Object({
    input_tokens: integer(),
    input_tokens_details: Type.Object({ cached_tokens: integer(), cache_write_tokens: integer() }),
    output_tokens: integer(),
    output_tokens_details: Type.Object({ reasoning_tokens: integer() }),
    total_tokens: integer(),
    cost: maybe(orNull(number())),
    is_byok: flag(),
    cost_details: maybe(
      Type.Object({
        upstream_inference_cost: orNull(number()),
        upstream_inference_input_cost: number(),
        upstream_inference_output_cost: number(),
      }),
    ),
    server_tool_use_details: maybe(
      Type.Object({
        tool_calls_requested: integer(),
        tool_calls_executed: integer(),
        web_search_requests: integer(),
      }),
    ),
  }),
);

/** The whole answer of `POST /responses`. */
export const ResponseAnswer = named(
  'Response',
  Type.Object({
    id: text(),
    object: word(['response']),
    created_at: integer(),
    completed_at: orNull(integer()),
    status: word(['in_progress', 'completed', 'incomplete', 'failed']),
    error: nullOr(ResponseError),
    error_type: maybe(ErrorType),
    incomplete_details: nullOr(Type.Object({ reason: word(['max_output_tokens', 'content_filter']) })),
    model: text(),
    output: list(OutputItem),
    usage: nullOr(Usage),
    service_tier: orNull(text()),
    service_metadata: maybe(ServiceMetadata),
    instructions: orNull(text()),
    metadata: orNull(map(text())),
    temperature: orNull(number()),
    top_p: orNull(number()),
    presence_penalty: orNull(number()),
    frequency_penalty: orNull(number()),
    tools: list(anyObject()),
    tool_choice: Type.Unsafe<string | object>({ type: ['string', 'object'] }),
    parallel_tool_calls: flag(),
    max_output_tokens: orNull(integer()),
    max_tool_calls: orNull(integer()),
    reasoning: orNull(anyObject()),
    text: anyObject(),
    truncation: word(['auto', 'disabled']),
    store: flag(),
    background: flag(),
    top_logprobs: integer(),
    previous_response_id: Type.Null(),
    safety_identifier: orNull(text()),
    prompt_cache_key: orNull(text()),
    user: orNull(text()),
    prompt: maybe(anyObject()),
    prompt_cache_options: maybe(anyObject()),
  }),
);
