import { anyObject, flag, integer, list, named, number, orNull, Type, text } from '../../util/json-schema.ts';
import { answerOf } from './parts.ts';

const maybe = Type.Optional;
const count = orNull(integer());

/** What was booked to an account, and charged to it. */
export const Credits = answerOf('Credits', Type.Object({ total_credits: number(), total_usage: number() }));

/** Use of a day, model and endpoint. */
export const ActivityRowSchema = Type.Object({
  date: text(),
  model: text(),
  model_permaslug: text(),
  endpoint_id: text(),
  provider_name: text(),
  usage: number(),
  byok_usage_inference: number(),
  requests: integer(),
  prompt_tokens: integer(),
  cached_tokens: integer(),
  completion_tokens: integer(),
  reasoning_tokens: integer(),
  workspace_id: maybe(orNull(text())),
});

/** Use of the last days. */
export const Activity = answerOf('Activity', list(ActivityRowSchema));

/** One endpoint that was asked. */
export const AttemptSchema = Type.Object({
  status: integer(),
  endpoint_id: text(),
  provider_name: text(),
  model_permaslug: text(),
  is_byok: flag(),
  latency: number(),
  // Of a failed attempt: the provider's code, or why it could not be reached.
  error_code: maybe(text()),
  id: maybe(text()),
  routed_service_tier: maybe(text()),
});

/** The sums over all turns of a request of several turns. */
export const GenerationTotalSchema = Type.Object({
  generations: integer(),
  tokens_prompt: count,
  tokens_completion: count,
  native_tokens_reasoning: count,
  native_tokens_cached: count,
  total_cost: number(),
  usage: number(),
  pipeline: maybe(list(anyObject())),
});

/** The record of one call; never what was said. */
export const GenerationSchema = named(
  'GenerationRecord',
  Type.Object({
    id: text(),
    request_id: text(),
    upstream_id: orNull(text()),
    session_id: maybe(text()),
    response_cache_source_id: maybe(text()),
    workspace_id: orNull(text()),
    app_id: orNull(integer()),
    preset_id: orNull(text()),
    external_user: orNull(text()),
    origin: text(),
    http_referer: orNull(text()),
    user_agent: orNull(text()),
    created_at: text(),
    model: text(),
    router: orNull(text()),
    provider_name: orNull(text()),
    api_type: text(),
    service_tier: orNull(text()),
    data_region: text(),
    is_byok: flag(),
    web_search_engine: orNull(text()),
    streamed: flag(),
    cancelled: flag(),
    finish_reason: orNull(text()),
    native_finish_reason: orNull(text()),
    latency: orNull(number()),
    moderation_latency: orNull(number()),
    generation_time: orNull(number()),
    tokens_prompt: count,
    tokens_completion: count,
    native_tokens_prompt: count,
    native_tokens_completion: count,
    native_tokens_reasoning: count,
    native_tokens_cached: count,
    native_tokens_completion_images: count,
    num_media_prompt: count,
    num_media_completion: count,
    num_input_audio_prompt: count,
    num_search_results: count,
    num_fetches: count,
    unpriced: maybe(Type.Unsafe<true>({ const: true })),
    total_cost: number(),
    usage: number(),
    cache_discount: orNull(number()),
    upstream_inference_cost: orNull(number()),
    pipeline: maybe(list(anyObject())),
    provider_responses: list(AttemptSchema),
    total: maybe(GenerationTotalSchema),
  }),
);

/** One record. */
export const GenerationAnswer = answerOf('Generation', GenerationSchema);
