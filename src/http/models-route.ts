import type { Catalogue, Endpoint, Model, Price } from '../core/catalogue.ts';
import { formatPrice, type PicoUsd } from '../core/money.ts';
import type { JsonObject } from '../core/request.ts';

/** `GET /models`: the whole catalogue as clients see it (routing.md 1.2, 1.5). */
export function listModels(catalogue: Catalogue): JsonObject {
  const data = [...catalogue.models.values()].map(describeModel);
  return { data, total_count: data.length, links: { next: null } };
}

/** One model as clients see it; price and limits are those of its first endpoint. */
export function describeModel(model: Model): JsonObject {
  const lead = model.endpoints[0];
  const contextLength = lead?.contextLength ?? model.contextLength ?? null;
  const inputs = model.inputModalities;
  const outputs = model.outputModalities;
  return {
    id: model.id,
    canonical_slug: model.canonicalSlug,
    name: model.name,
    description: model.description,
    created: model.created,
    context_length: contextLength,
    architecture: {
      modality: `${inputs.join('+')}->${outputs.join('+')}`,
      input_modalities: inputs,
      output_modalities: outputs,
      tokenizer: 'Other',
      instruct_type: null,
    },
    pricing: describePrice(lead?.price),
    top_provider: {
      context_length: contextLength,
      max_completion_tokens: lead?.maxCompletionTokens ?? null,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: supportedParameters(model.endpoints),
    default_parameters: null,
    supported_voices: null,
    knowledge_cutoff: model.knowledgeCutoff ?? null,
    expiration_date: null,
    hugging_face_id: null,
    ...(model.reasoning === undefined ? {} : { reasoning: describeReasoning(model.reasoning) }),
    links: { details: `/api/v1/models/${model.id}/endpoints` },
  };
}

/** Prices as decimal text in USD per token or unit (accounts-and-limits 13). */
export function describePrice(price: Price | undefined): JsonObject {
  if (price === undefined) return { prompt: '-1', completion: '-1' };
  const optional: Record<string, PicoUsd | undefined> = {
    request: price.request,
    image: price.image,
    image_token: price.imageToken,
    image_output: price.imageOutput,
    web_search: price.webSearch,
    internal_reasoning: price.reasoning,
    input_cache_read: price.cacheRead,
    input_cache_write: price.cacheWrite,
    input_cache_write_1h: price.cacheWriteLong,
    audio: price.audioInput,
    input_audio_cache: price.audioCacheRead,
  };
  const known = Object.entries(optional).flatMap(([name, amount]) =>
    amount === undefined ? [] : [[name, formatPrice(amount)] as const],
  );
  return {
    prompt: formatPrice(price.prompt),
    completion: formatPrice(price.completion),
    ...Object.fromEntries(known),
  };
}

function supportedParameters(endpoints: readonly Endpoint[]): readonly string[] {
  const names = new Set(endpoints.flatMap((endpoint) => [...(endpoint.supportedParameters ?? [])]));
  return [...names].toSorted();
}

function describeReasoning(reasoning: NonNullable<Model['reasoning']>): JsonObject {
  return {
    mandatory: reasoning.mandatory,
    supported_efforts: reasoning.supportedEfforts ?? null,
    ...(reasoning.supportsMaxTokens === undefined
      ? {}
      : { supports_max_tokens: reasoning.supportsMaxTokens }),
  };
}
