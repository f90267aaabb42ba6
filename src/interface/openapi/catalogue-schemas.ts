import type { JsonObject } from '../../util/json.ts';
import { priceNames } from '../models/describe-price.ts';
import { flag, integer, listOf, nullable, number, object, ref, string, words } from './schema-parts.ts';

const prices = Object.fromEntries(priceNames.map((name) => [name, string]));

const override = object({ min_prompt_tokens: integer, utc_start: integer, utc_end: integer, ...prices }, []);

const percentiles = {
  oneOf: [object({ p50: number, p75: number, p90: number, p99: number }), { type: 'null' }],
};

const model = object({
  id: string,
  object: words('model'),
  owned_by: string,
  canonical_slug: string,
  name: string,
  description: string,
  created: integer,
  context_length: nullable('integer'),
  architecture: ref('Architecture'),
  pricing: ref('Pricing'),
  top_provider: object({
    context_length: nullable('integer'),
    max_completion_tokens: nullable('integer'),
    is_moderated: flag,
  }),
  per_request_limits: { type: 'null' },
  supported_parameters: listOf(string),
  default_parameters: nullable('object'),
  supported_voices: nullable('array'),
  knowledge_cutoff: nullable('string'),
  expiration_date: nullable('string'),
  hugging_face_id: nullable('string'),
  'reasoning?': object({
    mandatory: flag,
    'default_enabled?': flag,
    'default_effort?': string,
    supported_efforts: nullable('array'),
    'supports_max_tokens?': flag,
  }),
  'benchmarks?': object({
    'artificial_analysis?': object({
      intelligence_index: nullable('number'),
      coding_index: nullable('number'),
      agentic_index: nullable('number'),
    }),
    design_arena: listOf({ type: 'object' }),
  }),
  'alias_target?': object({ slug: string, name: string }),
  links: object({ details: string }),
});

const endpoint = object({
  name: string,
  model_id: string,
  model_name: string,
  provider_name: string,
  tag: string,
  context_length: integer,
  max_completion_tokens: nullable('integer'),
  max_prompt_tokens: nullable('integer'),
  quantization: nullable('string'),
  pricing: ref('Pricing'),
  supported_parameters: listOf(string),
  supports_implicit_caching: flag,
  supports_voice_cloning: flag,
  status: integer,
  uptime_last_5m: nullable('number'),
  uptime_last_30m: nullable('number'),
  uptime_last_1d: nullable('number'),
  latency_last_30m: percentiles,
  throughput_last_30m: percentiles,
});

const provider = object({
  name: string,
  slug: string,
  privacy_policy_url: nullable('string'),
  terms_of_service_url: nullable('string'),
  status_page_url: nullable('string'),
  headquarters: nullable('string'),
  datacenters: nullable('array'),
});

const problem = { oneOf: [{ $ref: '#/components/schemas/Error/properties/error' }, { type: 'null' }] };

const routePlan = object({
  object: words('route_plan'),
  requested: listOf(string),
  region: nullable('string'),
  models: listOf(
    object({
      requested: string,
      id: string,
      named_by: words('name', 'legacy', 'latest'),
      variant: nullable('string'),
    }),
  ),
  prompt_tokens: integer,
  max_output_tokens: nullable('integer'),
  plan: listOf(
    object({
      position: integer,
      provider: string,
      provider_slug: string,
      tag: string,
      tier: string,
      model: string,
      credential: words('own', 'shared', 'own_fallback'),
      credential_label: nullable('string'),
      is_byok: flag,
      pricing: nullable('object'),
      list_cost_ceiling: nullable('number'),
      alterations: listOf(
        object({ field: string, action: words('emulated', 'dropped', 'adapted'), how: string }),
      ),
    }),
  ),
  excluded: listOf(
    object({ provider: string, provider_slug: string, tag: string, model: string, reason: string }),
  ),
  cost_ceiling: nullable('number'),
  refusal: problem,
  verdict: object({ admitted: flag, error: problem }),
});

/** The bodies of the catalogue and of route plans, by name. */
export const catalogueSchemas: Readonly<Record<string, JsonObject>> = {
  Architecture: object({
    modality: string,
    input_modalities: listOf(string),
    output_modalities: listOf(string),
    tokenizer: string,
    instruct_type: nullable('string'),
  }),
  Pricing: object({ ...prices, discount: number, overrides: listOf(override) }, ['prompt', 'completion']),
  Model: model,
  ModelList: object({
    object: words('list'),
    data: listOf(ref('Model')),
    total_count: integer,
    links: object({ next: nullable('string') }),
  }),
  ModelCount: object({ data: object({ count: integer }) }),
  ModelAnswer: object({ data: ref('Model') }),
  Endpoint: endpoint,
  ModelEndpoints: object({
    data: object({
      id: string,
      name: string,
      created: integer,
      description: string,
      architecture: ref('Architecture'),
      endpoints: listOf(ref('Endpoint')),
    }),
  }),
  EndpointList: object({ data: listOf(ref('Endpoint')) }),
  ProviderList: object({ data: listOf(provider) }),
  RoutePlan: routePlan,
};
