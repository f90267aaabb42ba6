import type { Catalogue } from '../../core/catalogue.ts';
import { sumUsd, usdOrNull, usdToNumber, zeroUsd } from '../../core/money.ts';
import { cachedInput, totalInput } from '../../core/usage.ts';
import { describeEntry } from '../../dialects/service-metadata.ts';
import type { Generation, ProviderAttempt } from '../../ports/generations.ts';
import type { Static } from '../../util/json-schema.ts';
import type { AttemptSchema, GenerationSchema, GenerationTotalSchema } from '../schemas/reports.ts';
import { permanentSlug, providerName } from './shown-names.ts';

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
    upstream_id: orNull(generation.upstreamId),
    ...(generation.sessionId === undefined ? {} : { session_id: generation.sessionId }),
    workspace_id: generation.workspaceId,
    app_id: null,
    preset_id: orNull(generation.presetId),
    external_user: orNull(generation.externalUser),
    origin: generation.origin ?? '',
    http_referer: orNull(generation.httpReferer),
    user_agent: orNull(generation.userAgent),
    created_at: new Date(generation.createdAt).toISOString(),
    model: generation.model ?? generation.requestedModel,
    router: orNull(generation.routedBy),
    provider_name: generation.provider === undefined ? null : providerName(generation.provider, catalogue),
    api_type: 'completions',
    service_tier: orNull(generation.serviceTier),
    data_region: 'global',
    is_byok: generation.isByok,
    web_search_engine: null,
    streamed: generation.streamed,
    cancelled: generation.cancelled,
    finish_reason: orNull(generation.finishReason),
    native_finish_reason: orNull(generation.nativeFinishReason),
    latency: orNull(generation.latency),
    moderation_latency: null,
    generation_time: orNull(generation.generationTime),
    ...showCounts(generation),
    ...showCosts(generation),
    ...(generation.pipeline === undefined ? {} : { pipeline: generation.pipeline.map(describeEntry) }),
    provider_responses: generation.attempts.map((attempt) => showAttempt(attempt, catalogue)),
  };
}

function showCounts({ usage, ...generation }: Generation) {
  const input = totalInput(usage) ?? null;
  const output = orNull(usage.output);
  return {
    tokens_prompt: input,
    tokens_completion: output,
    native_tokens_prompt: input,
    native_tokens_completion: output,
    native_tokens_reasoning: orNull(usage.reasoning),
    native_tokens_cached: orNull(cachedInput(usage)),
    native_tokens_completion_images: orNull(usage.imageOutput),
    num_media_prompt: orNull(generation.mediaInput),
    num_media_completion: orNull(generation.mediaOutput),
    num_input_audio_prompt: orNull(generation.audioInputs),
    num_search_results: orNull(usage.webSearches),
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

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}
