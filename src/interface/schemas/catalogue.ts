import {
  flag,
  integer,
  list,
  named,
  nullOr,
  number,
  orNull,
  type TOptional,
  type TUnsafe,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { type PriceName, priceNames } from '../models/price-names.ts';
import { answerOf } from './parts.ts';

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
