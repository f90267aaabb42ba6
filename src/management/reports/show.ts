import type { Catalogue } from '../../core/catalogue.ts';
import { sumUsd, usdOrNull, usdToNumber, zeroUsd } from '../../core/money.ts';
import { cachedInput, totalInput } from '../../core/usage.ts';
import { describeEntry } from '../../dialects/service-metadata.ts';
import type { Generation, ProviderAttempt } from '../../ports/generations.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import { answerOf } from '../parts.ts';

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

/** The sums over all turns of a request, inner ones included. Counts that no turn reported are null. */
export function showTotal(turns: readonly Generation[]): Static<typeof GenerationTotalSchema> {
  const sum = (count: (turn: Generation) => number | undefined) => {
    const counts = turns.map(count).filter((one) => one !== undefined);
    return counts.length === 0 ? null : counts.reduce((one, other) => one + other, 0);
  };
  const cost = usdToNumber(turns.reduce((total, turn) => sumUsd(total, turn.cost), zeroUsd));
  const pipeline = turns.flatMap(({ pipeline = [] }) => pipeline.map(describeEntry));
  return {
    generations: turns.length,
    tokens_prompt: sum(({ usage }) => totalInput(usage)),
    tokens_completion: sum(({ usage }) => usage.output),
    native_tokens_reasoning: sum(({ usage }) => usage.reasoning),
    native_tokens_cached: sum(({ usage }) => cachedInput(usage)),
    total_cost: cost,
    usage: cost,
    ...(pipeline.length === 0 ? {} : { pipeline }),
  };
}

/**
 * The record of one model call as clients see it (docs/spec/accounts.md#generations, docs/spec/accounts.md#reports).
 */
export function showGeneration(
  generation: Generation,
  catalogue: Catalogue,
): Static<typeof GenerationSchema> {
  return {
    id: generation.id,
    request_id: generation.requestId,
    upstream_id: nullable(generation.upstreamId),
    ...(generation.sessionId === undefined ? {} : { session_id: generation.sessionId }),
    workspace_id: generation.workspaceId,
    app_id: null,
    preset_id: nullable(generation.presetId),
    external_user: nullable(generation.externalUser),
    origin: generation.origin ?? '',
    http_referer: nullable(generation.httpReferer),
    user_agent: nullable(generation.userAgent),
    created_at: new Date(generation.createdAt).toISOString(),
    model: generation.model ?? generation.requestedModel,
    router: nullable(generation.routedBy),
    provider_name: generation.provider === undefined ? null : providerName(generation.provider, catalogue),
    api_type: 'completions',
    service_tier: nullable(generation.serviceTier),
    data_region: 'global',
    is_byok: generation.isByok,
    web_search_engine: null,
    streamed: generation.streamed,
    cancelled: generation.cancelled,
    finish_reason: nullable(generation.finishReason),
    native_finish_reason: nullable(generation.nativeFinishReason),
    latency: nullable(generation.latency),
    moderation_latency: null,
    generation_time: nullable(generation.generationTime),
    ...showCounts(generation),
    ...showCosts(generation),
    ...(generation.pipeline === undefined ? {} : { pipeline: generation.pipeline.map(describeEntry) }),
    provider_responses: generation.attempts.map((attempt) => showAttempt(attempt, catalogue)),
  };
}

function showCounts({ usage, ...generation }: Generation) {
  const input = totalInput(usage) ?? null;
  const output = nullable(usage.output);
  return {
    tokens_prompt: input,
    tokens_completion: output,
    native_tokens_prompt: input,
    native_tokens_completion: output,
    native_tokens_reasoning: nullable(usage.reasoning),
    native_tokens_cached: nullable(cachedInput(usage)),
    native_tokens_completion_images: nullable(usage.imageOutput),
    num_media_prompt: nullable(generation.mediaInput),
    num_media_completion: nullable(generation.mediaOutput),
    num_input_audio_prompt: nullable(generation.audioInputs),
    num_search_results: nullable(usage.webSearches),
    num_fetches: null,
  };
}

function showCosts(generation: Generation) {
  const { cost, cacheDiscount, isByok, listCost, unpriced } = generation;
  return {
    // The interface wants amounts here, whatever is known.
    ...(unpriced === undefined ? {} : { unpriced }),
    total_cost: usdToNumber(cost),
    usage: usdToNumber(cost),
    cache_discount: usdOrNull(cacheDiscount),
    upstream_inference_cost: isByok && unpriced === undefined ? usdToNumber(listCost) : null,
  };
}

function showAttempt(attempt: ProviderAttempt, catalogue: Catalogue): Static<typeof AttemptSchema> {
  return {
    status: attempt.status,
    endpoint_id: attempt.tag,
    provider_name: providerName(attempt.provider, catalogue),
    model_permaslug: permanentSlug(attempt.model, catalogue),
    is_byok: attempt.isByok ?? false,
    latency: attempt.latency,
    ...(attempt.failure !== undefined && { error_code: attempt.failure.code ?? attempt.failure.row }),
  };
}

function nullable<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}

/** The name of a provider that served once; its slug where it is not in service any more. */
export function providerName(slug: string, { providers }: Catalogue): string {
  return providers.get(slug)?.name ?? slug;
}

/** The lasting slug of a model that served once; its id where it is not in the catalogue any more. */
export function permanentSlug(id: string, { models }: Catalogue): string {
  return models.get(id)?.canonicalSlug ?? id;
}
