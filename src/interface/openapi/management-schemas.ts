import type { JsonObject } from '../../util/json.ts';
import { ChangeKeySchema, CreateKeySchema } from '../management/key-bodies.ts';
import { ChangeWorkspaceSchema, CreateWorkspaceSchema } from '../management/workspace-bodies.ts';
import {
  flag,
  integer,
  listOf,
  nullable,
  number,
  object,
  ref,
  spendWindows,
  string,
} from './schema-parts.ts';

const nullableFlag = nullable('boolean');
const nullableList = { type: ['array', 'null'], items: string };
const boundedList = { type: ['array', 'null'], items: { type: 'string', minLength: 1 }, maxItems: 100 };

const key = object({
  hash: string,
  name: string,
  label: string,
  disabled: flag,
  limit: nullable('number'),
  limit_remaining: nullable('number'),
  limit_reset: nullable('string'),
  include_byok_in_limit: flag,
  ...spendWindows('usage'),
  ...spendWindows('byok_usage'),
  created_at: string,
  updated_at: nullable('string'),
  'expires_at?': nullable('string'),
  creator_user_id: nullable('string'),
  external_user: nullable('string'),
  workspace_id: string,
});

const hashes = {
  type: ['array', 'null'],
  items: { type: 'string', pattern: '^[a-f0-9]{64}$' },
  minItems: 1,
  maxItems: 100,
};
const secret = { type: 'string', minLength: 1 };
const closed = (schema: JsonObject) => ({ ...schema, additionalProperties: false });

/** What of a credential its owner says; all of it may be left out. */
const credentialSettings = {
  'name?': { type: ['string', 'null'], maxLength: 255 },
  'disabled?': flag,
  'is_byok_only?': flag,
  'is_fallback?': flag,
  'is_required?': flag,
  'declared_zdr?': nullableFlag,
  'allowed_api_key_hashes?': hashes,
  'allowed_models?': boundedList,
  'allowed_user_ids?': boundedList,
};

const credential = object({
  id: string,
  workspace_id: nullable('string'),
  provider: string,
  name: nullable('string'),
  label: string,
  disabled: flag,
  is_byok_only: flag,
  is_fallback: flag,
  is_required: flag,
  declared_zdr: nullableFlag,
  allowed_models: nullableList,
  allowed_api_key_hashes: nullableList,
  allowed_user_ids: nullableList,
  sort_order: integer,
  created_at: string,
});

const workspace = object({
  id: string,
  default_guardrail_id: string,
  name: string,
  slug: string,
  description: nullable('string'),
  default_text_model: nullable('string'),
  default_image_model: nullable('string'),
  default_provider_sort: nullable('string'),
  'disabled_server_tools?': nullableList,
  is_observability_io_logging_enabled: flag,
  is_observability_broadcast_enabled: flag,
  is_data_discount_logging_enabled: flag,
  io_logging_sampling_rate: number,
  io_logging_api_key_ids: { type: ['array', 'null'], items: integer },
  created_at: string,
  updated_at: nullable('string'),
  created_by: nullable('string'),
});

const activityRow = object({
  date: string,
  model: string,
  model_permaslug: string,
  endpoint_id: string,
  provider_name: string,
  usage: number,
  byok_usage_inference: number,
  requests: integer,
  prompt_tokens: integer,
  completion_tokens: integer,
  reasoning_tokens: integer,
  'workspace_id?': nullable('string'),
});

const attempt = object({
  status: integer,
  endpoint_id: string,
  provider_name: string,
  model_permaslug: string,
  is_byok: flag,
  latency: number,
  'id?': string,
  'routed_service_tier?': string,
});

const counts = Object.fromEntries(
  [
    'tokens_prompt',
    'tokens_completion',
    'native_tokens_prompt',
    'native_tokens_completion',
    'native_tokens_reasoning',
    'native_tokens_cached',
    'native_tokens_completion_images',
    'num_media_prompt',
    'num_media_completion',
    'num_input_audio_prompt',
    'num_search_results',
    'num_fetches',
  ].map((name) => [name, nullable('integer')]),
);

const generation = object({
  id: string,
  request_id: string,
  upstream_id: nullable('string'),
  'session_id?': string,
  'response_cache_source_id?': string,
  workspace_id: nullable('string'),
  app_id: nullable('integer'),
  preset_id: nullable('string'),
  external_user: nullable('string'),
  origin: string,
  http_referer: nullable('string'),
  user_agent: nullable('string'),
  created_at: string,
  model: string,
  router: nullable('string'),
  provider_name: nullable('string'),
  api_type: string,
  service_tier: nullable('string'),
  data_region: string,
  is_byok: flag,
  web_search_engine: nullable('string'),
  streamed: flag,
  cancelled: flag,
  finish_reason: nullable('string'),
  native_finish_reason: nullable('string'),
  latency: nullable('number'),
  moderation_latency: nullable('number'),
  generation_time: nullable('number'),
  ...counts,
  'unpriced?': { const: true },
  total_cost: number,
  usage: number,
  cache_discount: nullable('number'),
  upstream_inference_cost: nullable('number'),
  provider_responses: listOf(attempt),
  'total?': object({
    generations: integer,
    tokens_prompt: nullable('integer'),
    tokens_completion: nullable('integer'),
    native_tokens_reasoning: nullable('integer'),
    native_tokens_cached: nullable('integer'),
    total_cost: number,
    usage: number,
  }),
});

const paged = (name: string) => object({ data: listOf(ref(name)), 'total_count?': integer });
const answer = (name: string) => object({ data: ref(name) });

/** The bodies of the management interface, by name. */
export const managementSchemas: Readonly<Record<string, JsonObject>> = {
  Key: key,
  KeyList: paged('Key'),
  KeyAnswer: answer('Key'),
  CreatedKey: object({ data: ref('Key'), key: string }),
  CreateKey: CreateKeySchema,
  UpdateKey: ChangeKeySchema,
  ProviderCredential: credential,
  ProviderCredentialList: paged('ProviderCredential'),
  ProviderCredentialAnswer: answer('ProviderCredential'),
  CreateProviderCredential: closed(
    object({ provider: string, key: secret, 'workspace_id?': string, ...credentialSettings }),
  ),
  UpdateProviderCredential: closed(
    object({
      'key?': secret,
      'sort_order?': { type: 'integer', minimum: 0 },
      ...credentialSettings,
      // What was read may be sent back whole: these two are ignored.
      'provider?': string,
      'workspace_id?': string,
    }),
  ),
  Workspace: workspace,
  WorkspaceList: paged('Workspace'),
  WorkspaceAnswer: answer('Workspace'),
  CreateWorkspace: CreateWorkspaceSchema,
  UpdateWorkspace: ChangeWorkspaceSchema,
  Deleted: object({ deleted: flag }),
  Credits: object({ data: object({ total_credits: number, total_usage: number }) }),
  Activity: object({ data: listOf(activityRow) }),
  Generation: object({ data: generation }),
};
