import type { FastifyRequest } from 'fastify';
import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { sumUsd, usdOrNull, usdToNumber, zeroUsd } from '../../core/money.ts';
import { cachedInput, totalInput } from '../../core/usage.ts';
import type { AppServices } from '../../edge/app-services.ts';
import { queryText } from '../../edge/query.ts';
import type { Generation, ProviderAttempt } from '../../ports/generations.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';
import type { JsonObject } from '../../util/json.ts';
import { permanentSlug, providerName } from './shown-names.ts';

/**
 * `GET /generation?id=`: the record of one model call, for any key of its account (accounts-and-limits 1.8, 7). That of
 * the first turn of a request of several also sums them.
 */
export async function describeGeneration(
  request: FastifyRequest,
  caller: Caller,
  services: AppServices,
): Promise<JsonObject> {
  const id = queryText(request, 'id');
  if (id === undefined) throw malformed('id', 'name the generation, as X-Generation-Id told it');
  const found = await services.storage.generations.find(id);
  if (found?.accountId !== caller.account.id) {
    throw new HeadgateError(
      'not_found',
      'There is no such generation in this account, or it is still running.',
    );
  }
  const data = showGeneration(found, services.catalogue());
  const further = found.requestId === found.id ? await services.storage.generations.ofRequest(id) : [];
  return { data: further.length === 0 ? data : { ...data, total: showTotal([found, ...further]) } };
}

/** The sums over all turns of a request, inner ones included. Counts that no turn reported are null. */
function showTotal(turns: readonly Generation[]): JsonObject {
  const sum = (count: (turn: Generation) => number | undefined) => {
    const counts = turns.map(count).filter((one) => one !== undefined);
    return counts.length === 0 ? null : counts.reduce((one, other) => one + other, 0);
  };
  const cost = usdToNumber(turns.reduce((total, turn) => sumUsd(total, turn.cost), zeroUsd));
  return {
    generations: turns.length,
    tokens_prompt: sum(({ usage }) => totalInput(usage)),
    tokens_completion: sum(({ usage }) => usage.output),
    native_tokens_reasoning: sum(({ usage }) => usage.reasoning),
    native_tokens_cached: sum(({ usage }) => cachedInput(usage)),
    total_cost: cost,
    usage: cost,
  };
}

function showGeneration(generation: Generation, catalogue: Catalogue): JsonObject {
  return {
    id: generation.id,
    request_id: generation.requestId,
    upstream_id: orNull(generation.upstreamId),
    ...(generation.sessionId === undefined ? {} : { session_id: generation.sessionId }),
    ...(generation.responseCacheSourceId === undefined
      ? {}
      : { response_cache_source_id: generation.responseCacheSourceId }),
    workspace_id: generation.workspaceId,
    app_id: orNull(generation.appId),
    preset_id: orNull(generation.presetId),
    external_user: orNull(generation.externalUser),
    origin: generation.origin ?? '',
    http_referer: orNull(generation.httpReferer),
    user_agent: orNull(generation.userAgent),
    created_at: new Date(generation.createdAt).toISOString(),
    model: generation.model ?? generation.requestedModel,
    router: orNull(generation.router),
    provider_name: generation.provider === undefined ? null : providerName(generation.provider, catalogue),
    api_type: generation.apiType ?? 'completions',
    service_tier: orNull(generation.serviceTier),
    data_region: generation.dataRegion ?? 'global',
    is_byok: generation.isByok,
    web_search_engine: orNull(generation.webSearchEngine),
    streamed: generation.streamed,
    cancelled: generation.cancelled,
    finish_reason: orNull(generation.finishReason),
    native_finish_reason: orNull(generation.nativeFinishReason),
    latency: orNull(generation.latency),
    moderation_latency: orNull(generation.moderationLatency),
    generation_time: orNull(generation.generationTime),
    ...showCounts(generation),
    ...showCosts(generation),
    provider_responses: generation.attempts.map((attempt) => showAttempt(attempt, catalogue)),
  };
}

function showCounts({ usage, ...generation }: Generation): JsonObject {
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
    num_fetches: orNull(generation.fetches),
  };
}

function showCosts(generation: Generation): JsonObject {
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

function showAttempt(attempt: ProviderAttempt, catalogue: Catalogue): JsonObject {
  return {
    status: attempt.status,
    endpoint_id: attempt.endpointId ?? attempt.tag,
    provider_name: providerName(attempt.provider, catalogue),
    model_permaslug: permanentSlug(attempt.model, catalogue),
    is_byok: attempt.isByok ?? false,
    latency: attempt.latency,
    ...(attempt.upstreamId === undefined ? {} : { id: attempt.upstreamId }),
    ...(attempt.servedTier === undefined ? {} : { routed_service_tier: attempt.servedTier }),
  };
}

function orNull<Value>(value: Value | undefined): Value | null {
  return value ?? null;
}
