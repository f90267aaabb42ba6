import type { JsonObject } from '../../util/json.ts';
import { errorSchemas } from './error-schemas.ts';
import { outputItems } from './output-items.ts';
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
  words,
} from './schema-parts.ts';
import { streamEvents } from './stream-events.ts';

const usage = object({
  input_tokens: integer,
  input_tokens_details: object({ cached_tokens: integer, cache_write_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: object({ reasoning_tokens: integer }),
  total_tokens: integer,
  'cost?': nullable('number'),
  is_byok: flag,
  'cost_details?': object({
    upstream_inference_cost: nullable('number'),
    upstream_inference_input_cost: number,
    upstream_inference_output_cost: number,
  }),
  'server_tool_use_details?': object({
    tool_calls_requested: integer,
    tool_calls_executed: integer,
    web_search_requests: integer,
  }),
});

const response = object({
  id: string,
  object: words('response'),
  created_at: integer,
  completed_at: nullable('integer'),
  status: words('in_progress', 'completed', 'incomplete', 'failed'),
  error: { oneOf: [ref('ResponseError'), { type: 'null' }] },
  'error_type?': ref('ErrorType'),
  incomplete_details: {
    oneOf: [object({ reason: words('max_output_tokens', 'content_filter') }), { type: 'null' }],
  },
  model: string,
  output: listOf(ref('OutputItem')),
  usage: { oneOf: [ref('Usage'), { type: 'null' }] },
  service_tier: nullable('string'),
  'service_metadata?': ref('ServiceMetadata'),
  instructions: nullable('string'),
  metadata: { type: ['object', 'null'], additionalProperties: string },
  temperature: nullable('number'),
  top_p: nullable('number'),
  presence_penalty: nullable('number'),
  frequency_penalty: nullable('number'),
  tools: listOf({ type: 'object' }),
  tool_choice: { type: ['string', 'object'] },
  parallel_tool_calls: flag,
  max_output_tokens: nullable('integer'),
  max_tool_calls: nullable('integer'),
  reasoning: nullable('object'),
  text: { type: 'object' },
  truncation: words('auto', 'disabled'),
  store: flag,
  background: flag,
  top_logprobs: integer,
  previous_response_id: { type: 'null' },
  safety_identifier: nullable('string'),
  prompt_cache_key: nullable('string'),
  user: nullable('string'),
  'prompt?': { type: 'object' },
  'prompt_cache_options?': { type: 'object' },
});

const key = object({
  label: string,
  limit: nullable('number'),
  limit_reset: nullable('string'),
  limit_remaining: nullable('number'),
  include_byok_in_limit: flag,
  ...spendWindows('usage'),
  ...spendWindows('byok_usage'),
  is_free_tier: flag,
  is_management_key: flag,
  is_provisioning_key: flag,
  creator_user_id: nullable('string'),
  organization_id: nullable('string'),
  workspace_id: nullable('string'),
  'expires_at?': nullable('string'),
  allowed_data_regions: listOf(string),
  free_model_daily_requests: object({ used: number, limit: number, remaining: number }),
  rate_limit: object({ requests: integer, interval: string, note: string }),
});

/** The bodies the server sends, by name. */
export const responseSchemas: Readonly<Record<string, JsonObject>> = {
  ...outputItems,
  Usage: usage,
  Response: response,
  ...streamEvents,
  ...errorSchemas,
  KeyInformation: object({ data: key }),
};
