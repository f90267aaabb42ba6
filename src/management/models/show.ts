import type { Endpoint, Model, Price, PriceOverride } from '../../core/catalogue.ts';
import type { ModelListing } from '../../core/listing.ts';
import { formatPrice, type PicoUsd } from '../../core/money.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import {
  flag,
  integer,
  list,
  named,
  nullOr,
  number,
  orNull,
  type Static,
  type TOptional,
  type TUnsafe,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { answerOf } from '../parts.ts';

/** What prices are called in answers, by what they are called in the catalogue. */
const publicPriceNames = {
  prompt: 'prompt',
  completion: 'completion',
  request: 'request',
  image: 'image',
  imageToken: 'image_token',
  imageOutput: 'image_output',
  imageOutputToken: 'image_output_token',
  webSearch: 'web_search',
  reasoning: 'internal_reasoning',
  cacheRead: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  cacheWriteLong: 'input_cache_write_1h',
  audioInput: 'audio',
  audioCacheRead: 'input_audio_cache',
  audioOutput: 'audio_output',
} as const;

/** A name of a price in answers. */
type PriceName = (typeof publicPriceNames)[keyof typeof publicPriceNames];

/** Every name of a price in answers. */
const priceNames: readonly PriceName[] = Object.values(publicPriceNames);

type Prices = Static<typeof Pricing>;
type Unit = Exclude<keyof PriceOverride, 'minPromptTokens' | 'utcStart' | 'utcEnd'>;

const wholeBasis = 10_000;

/**
 * Prices as decimal text in USD per token or unit (docs/spec/catalogue.md#prices): those that hold by default at a
 * moment, and the others under their conditions. An unstated price is `-1`, which no client takes for free.
 * @param at Unix milliseconds.
 */
export function describePrice(price: Price | undefined, at: number): Prices {
  if (price === undefined) return { prompt: '-1', completion: '-1' };
  const { discountBasisPoints: discount, overrides } = price;
  const { prompt = '-1', completion = '-1', ...others } = describeUnits(priceInEffect(price, 0, at));
  return {
    prompt,
    completion,
    ...others,
    ...(discount === undefined ? {} : { discount: discount / wholeBasis }),
    ...(overrides === undefined ? {} : { overrides: overrides.map(describeOverride) }),
  };
}

function describeOverride({ minPromptTokens, utcStart, utcEnd, ...units }: PriceOverride) {
  return {
    ...(minPromptTokens === undefined ? {} : { min_prompt_tokens: minPromptTokens }),
    ...(utcStart === undefined ? {} : { utc_start: Number(utcStart) }),
    ...(utcEnd === undefined ? {} : { utc_end: Number(utcEnd) }),
    ...describeUnits(units),
  };
}

/** Prices that are stated, as decimal text in USD per token or unit. */
export function describeUnits(
  units: Partial<Record<Unit, PicoUsd | undefined>>,
): Partial<Record<PriceName, string>> {
  const stated = Object.entries(publicPriceNames).flatMap(([unit, name]) => {
    const amount = units[unit as Unit];
    return amount === undefined ? [] : [[name, formatPrice(amount)] as const];
  });
  return Object.fromEntries(stated);
}

const maybe = Type.Optional;

const prices = Object.fromEntries(priceNames.map((name) => [name, maybe(text())])) as Readonly<
  Record<PriceName, TOptional<TUnsafe<string>>>
>;

/** Prices as decimal text. */
export const Pricing = named(
  'Pricing',
  Type.Object({
    ...prices,
    prompt: text(),
    completion: text(),
    discount: maybe(number()),
    overrides: maybe(
      list(
        Type.Object({
          min_prompt_tokens: maybe(integer()),
          utc_start: maybe(integer()),
          utc_end: maybe(integer()),
          ...prices,
        }),
      ),
    ),
  }),
);

/** What a model reads and writes. */
export const Architecture = named(
  'Architecture',
  Type.Object({
    modality: text(),
    input_modalities: list(text()),
    output_modalities: list(text()),
    tokenizer: text(),
    instruct_type: orNull(text()),
  }),
);

/** A model as lists show it. */
export const ModelSchema = named(
  'Model',
  Type.Object({
    id: text(),
    object: word(['model']),
    owned_by: text(),
    canonical_slug: text(),
    name: text(),
    description: text(),
    created: integer(),
    context_length: orNull(integer()),
    architecture: Architecture,
    pricing: Pricing,
    top_provider: Type.Object({
      context_length: orNull(integer()),
      max_completion_tokens: orNull(integer()),
      is_moderated: flag(),
    }),
    per_request_limits: Type.Null(),
    supported_parameters: list(text()),
    default_parameters: Type.Unsafe<object | null>({ type: ['object', 'null'] }),
    supported_voices: Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'] }),
    knowledge_cutoff: orNull(text()),
    expiration_date: orNull(text()),
    hugging_face_id: orNull(text()),
    reasoning: maybe(
      Type.Object({
        mandatory: flag(),
        default_enabled: maybe(flag()),
        default_effort: maybe(text()),
        supported_efforts: Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'] }),
        supports_max_tokens: maybe(flag()),
      }),
    ),
    benchmarks: maybe(
      Type.Object({
        artificial_analysis: maybe(
          Type.Object({
            intelligence_index: orNull(number()),
            coding_index: orNull(number()),
            agentic_index: orNull(number()),
          }),
        ),
        design_arena: list(Type.Unsafe<object>({ type: 'object' })),
      }),
    ),
    alias_target: maybe(Type.Object({ slug: text(), name: text() })),
    links: Type.Object({ details: text() }),
  }),
);

const percentiles = nullOr(Type.Object({ p50: number(), p75: number(), p90: number(), p99: number() }));

/** Who serves a model, at which price and how well. */
export const EndpointSchema = named(
  'Endpoint',
  Type.Object({
    name: text(),
    model_id: text(),
    model_name: text(),
    provider_name: text(),
    tag: text(),
    context_length: integer(),
    max_completion_tokens: orNull(integer()),
    max_prompt_tokens: orNull(integer()),
    quantization: orNull(text()),
    pricing: Pricing,
    supported_parameters: list(text()),
    supports_tool_choice: Type.Object({ none: flag(), auto: flag(), required: flag(), function: flag() }),
    supports_implicit_caching: flag(),
    supports_voice_cloning: flag(),
    supports_diarization: flag(),
    native_tools: Type.Unsafe<Readonly<Record<string, { readonly type: string }>>>({
      type: 'object',
      additionalProperties: { type: 'object', properties: { type: { type: 'string' } }, required: ['type'] },
      description:
        'Tools of the gateway that the provider runs itself with `engine: native`, each with the tool that asks for that',
    }),
    service_tier: orNull(text()),
    status: integer(),
    uptime_last_5m: orNull(number()),
    uptime_last_30m: orNull(number()),
    uptime_last_1d: orNull(number()),
    latency_last_30m: percentiles,
    throughput_last_30m: percentiles,
  }),
);

/** A provider in service. */
export const ProviderSchema = Type.Object({
  name: text(),
  slug: text(),
  privacy_policy_url: orNull(text()),
  terms_of_service_url: orNull(text()),
  status_page_url: orNull(text()),
  headquarters: orNull(text()),
  datacenters: Type.Unsafe<readonly string[] | null>({ type: ['array', 'null'] }),
});

/** A page of models. */
export const ModelList = named(
  'ModelList',
  Type.Object({
    object: word(['list']),
    data: list(ModelSchema),
    total_count: integer(),
    links: Type.Object({ next: orNull(text()) }),
  }),
);

/** How many models there are. */
export const ModelCount = answerOf('ModelCount', Type.Object({ count: integer() }));

/** One model. */
export const ModelAnswer = named(
  'ModelAnswer',
  Type.Object({
    // Libraries that know the bare object read these beside `data`.
    id: text(),
    object: word(['model']),
    created: integer(),
    owned_by: text(),
    data: ModelSchema,
  }),
);

/** One model with those who serve it. */
export const ModelEndpoints = answerOf(
  'ModelEndpoints',
  Type.Object({
    id: text(),
    name: text(),
    created: integer(),
    description: text(),
    architecture: Architecture,
    endpoints: list(EndpointSchema),
  }),
);

/** Endpoints of any model. */
export const EndpointList = answerOf('EndpointList', list(EndpointSchema));

/** The providers in service. */
export const ProviderList = answerOf('ProviderList', list(ProviderSchema));

/** A model as lists show it; a latest alias shows what it stands for under its own slug. */
export interface ListedModel {
  readonly model: Model;
  /** Those the caller may know of, the one that stands for the model first. */
  readonly endpoints: readonly Endpoint[];
  /** Every parameter some endpoint takes. */
  readonly parameters: readonly string[];
  /** The name of an alias row. */
  readonly alias?: string;
  /** Whether the alias is of the newest model of a family, rather than a name the operator gave. */
  readonly isLatest?: boolean;
}

/**
 * One model as clients see it (docs/spec/catalogue.md#models); price and limits are those of its first endpoint in
 * service.
 * @param at Unix milliseconds; decides which prices hold.
 */
export function describeModel(
  { model, alias, isLatest, endpoints, parameters }: ListedModel,
  at: number,
): Static<typeof ModelSchema> {
  const lead = endpoints[0];
  const contextLength = lead?.contextLength ?? model.contextLength ?? null;
  const { listing = {} } = model;
  return {
    id: alias ?? model.id,
    // Libraries that read every list of models alike require these two, and `object` of the list.
    object: 'model',
    owned_by: model.id.split('/')[0] ?? '',
    canonical_slug: model.canonicalSlug,
    name: isLatest ? `${model.name} (latest)` : model.name,
    description: model.description,
    created: model.created,
    context_length: contextLength,
    architecture: describeArchitecture(model),
    pricing: describePrice(lead?.price, at),
    top_provider: {
      context_length: contextLength,
      max_completion_tokens: lead?.maxCompletionTokens ?? null,
      is_moderated: lead?.isModerated ?? false,
    },
    per_request_limits: null,
    supported_parameters: parameters,
    default_parameters: listing.defaultParameters ?? null,
    supported_voices: listing.supportedVoices ?? null,
    knowledge_cutoff: model.knowledgeCutoff ?? null,
    expiration_date: model.expirationDate ?? null,
    hugging_face_id: listing.huggingFaceId ?? null,
    ...(model.reasoning === undefined ? {} : { reasoning: describeReasoning(model.reasoning) }),
    ...describeBenchmarks(listing),
    ...(alias === undefined ? {} : { alias_target: { slug: model.id, name: model.name } }),
    links: { details: `/api/v1/models/${alias ?? model.id}/endpoints` },
  };
}

/** What a model reads and writes, and how it takes text apart. */
export function describeArchitecture({
  inputModalities,
  outputModalities,
  listing,
}: Model): Static<typeof Architecture> {
  return {
    modality: `${inputModalities.join('+')}->${outputModalities.join('+')}`,
    input_modalities: inputModalities,
    output_modalities: outputModalities,
    tokenizer: listing?.tokenizer ?? 'Other',
    instruct_type: listing?.instructType ?? null,
  };
}

function describeReasoning(reasoning: NonNullable<Model['reasoning']>) {
  const { mandatory, defaultEnabled, defaultEffort, supportedEfforts, supportsMaxTokens } = reasoning;
  return {
    mandatory,
    ...(defaultEnabled === undefined ? {} : { default_enabled: defaultEnabled }),
    ...(defaultEffort === undefined ? {} : { default_effort: defaultEffort }),
    supported_efforts: supportedEfforts ?? null,
    ...(supportsMaxTokens === undefined ? {} : { supports_max_tokens: supportsMaxTokens }),
  };
}

function describeBenchmarks({ benchmarks }: ModelListing) {
  if (benchmarks === undefined) return {};
  const { intelligence, coding, agentic, arenas = [] } = benchmarks;
  const scored = [intelligence, coding, agentic].some((score) => score !== undefined);
  const indices = {
    intelligence_index: intelligence ?? null,
    coding_index: coding ?? null,
    agentic_index: agentic ?? null,
  };
  return {
    benchmarks: {
      ...(scored ? { artificial_analysis: indices } : {}),
      design_arena: arenas.map(({ winRate, ...row }) => ({ ...row, win_rate: winRate })),
    },
  };
}
