import type { JsonObject } from '../../core/json.ts';
import { ChangeKeySchema, CreateKeySchema } from '../management/key-bodies.ts';
import { ChangeWorkspaceSchema, CreateWorkspaceSchema } from '../management/workspace-bodies.ts';
import { integer, listOf, nullable, number, object, ref, string } from './schema-parts.ts';

const flag = { type: 'boolean' };
const nullableFlag = nullable('boolean');
const nullableList = { type: ['array', 'null'], items: string };

const spend = (name: string) =>
  Object.fromEntries(['', '_daily', '_weekly', '_monthly'].map((window) => [name + window, number]));

const key = object({
  hash: string,
  name: string,
  label: string,
  disabled: flag,
  limit: nullable('number'),
  limit_remaining: nullable('number'),
  limit_reset: nullable('string'),
  include_byok_in_limit: flag,
  ...spend('usage'),
  ...spend('byok_usage'),
  created_at: string,
  updated_at: nullable('string'),
  'expires_at?': nullable('string'),
  creator_user_id: nullable('string'),
  'external_user?': string,
  workspace_id: nullable('string'),
});

/** What of a credential its owner says; all of it may be left out. */
const credentialSettings = {
  'name?': nullable('string'),
  'disabled?': flag,
  'is_byok_only?': flag,
  'is_fallback?': flag,
  'is_required?': flag,
  'declared_zdr?': nullableFlag,
  'allowed_api_key_hashes?': nullableList,
  'allowed_models?': nullableList,
  'allowed_user_ids?': nullableList,
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
  name: string,
  slug: string,
  description: nullable('string'),
  default_text_model: nullable('string'),
  default_image_model: nullable('string'),
  default_provider_sort: nullable('string'),
  'disabled_server_tools?': nullableList,
  io_logging_sampling_rate: number,
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

const generation = object({
  id: string,
  request_id: string,
  created_at: string,
  model: string,
  provider_name: nullable('string'),
  is_byok: flag,
  streamed: flag,
  cancelled: flag,
  finish_reason: nullable('string'),
  latency: nullable('number'),
  generation_time: nullable('number'),
  native_tokens_prompt: nullable('integer'),
  native_tokens_completion: nullable('integer'),
  native_tokens_reasoning: nullable('integer'),
  native_tokens_cached: nullable('integer'),
  total_cost: number,
  cache_discount: nullable('number'),
  upstream_inference_cost: nullable('number'),
  provider_responses: listOf({ type: 'object' }),
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
  CreateProviderCredential: object({
    provider: string,
    key: string,
    'workspace_id?': nullable('string'),
    ...credentialSettings,
  }),
  UpdateProviderCredential: object({ 'key?': string, 'sort_order?': integer, ...credentialSettings }),
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
