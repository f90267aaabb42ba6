import type { JsonObject } from '../../core/request.ts';

const string = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const nullable = (type: string) => ({ type: [type, 'null'] });
const listOf = (items: JsonObject) => ({ type: 'array', items });
const words = (...values: string[]) => ({ type: 'string', enum: values });
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** An object with these members, all required but the ones whose name ends with a question mark. */
function object(members: Record<string, JsonObject>): JsonObject {
  const names = Object.keys(members);
  return {
    type: 'object',
    required: names.filter((name) => !name.endsWith('?')),
    properties: Object.fromEntries(names.map((name) => [name.replace('?', ''), members[name]])),
  };
}

const itemStatus = words('in_progress', 'completed', 'incomplete');

const outputItems = {
  OutputMessage: object({
    type: words('message'),
    id: string,
    role: words('assistant'),
    status: itemStatus,
    content: listOf({
      oneOf: [
        object({ type: words('output_text'), text: string, annotations: listOf({}), logprobs: listOf({}) }),
        object({ type: words('refusal'), refusal: string }),
      ],
    }),
    'phase?': words('commentary', 'final_answer'),
  }),
  OutputReasoning: object({
    type: words('reasoning'),
    id: string,
    status: itemStatus,
    summary: listOf(object({ type: words('summary_text'), text: string })),
    content: listOf(object({ type: words('reasoning_text'), text: string })),
    'encrypted_content?': string,
    'signature?': string,
    'format?': string,
  }),
  OutputFunctionCall: object({
    type: words('function_call'),
    id: string,
    call_id: string,
    name: string,
    arguments: string,
    status: itemStatus,
  }),
  OutputCustomToolCall: object({
    type: words('custom_tool_call'),
    id: string,
    call_id: string,
    name: string,
    input: string,
    status: itemStatus,
  }),
};

const usage = object({
  input_tokens: integer,
  input_tokens_details: object({ cached_tokens: integer, 'cache_write_tokens?': integer }),
  output_tokens: integer,
  output_tokens_details: object({ reasoning_tokens: integer }),
  total_tokens: integer,
  'cost?': nullable('number'),
  is_byok: { type: 'boolean' },
  'cost_details?': { type: 'object' },
});

const response = object({
  id: string,
  object: words('response'),
  created_at: integer,
  completed_at: nullable('integer'),
  status: words('in_progress', 'completed', 'incomplete', 'failed'),
  error: { oneOf: [object({ code: string, message: string }), { type: 'null' }] },
  'error_type?': string,
  incomplete_details: {
    oneOf: [object({ reason: words('max_output_tokens', 'content_filter') }), { type: 'null' }],
  },
  model: string,
  output: listOf({ oneOf: Object.keys(outputItems).map(ref) }),
  usage: { oneOf: [ref('Usage'), { type: 'null' }] },
  service_tier: nullable('string'),
  'service_metadata?': { type: 'object' },
  instructions: nullable('string'),
  metadata: nullable('object'),
  temperature: nullable('number'),
  top_p: nullable('number'),
  presence_penalty: nullable('number'),
  frequency_penalty: nullable('number'),
  tools: listOf({ type: 'object' }),
  tool_choice: { type: ['string', 'object'] },
  parallel_tool_calls: { type: 'boolean' },
  max_output_tokens: nullable('integer'),
  max_tool_calls: nullable('integer'),
  reasoning: nullable('object'),
  text: { type: 'object' },
  truncation: words('auto', 'disabled'),
  store: { type: 'boolean' },
  background: { type: 'boolean' },
  top_logprobs: integer,
});

const problem = object({
  error: object({ code: integer, message: string, 'metadata?': nullable('object') }),
  'service_metadata?': nullable('object'),
  'user_id?': nullable('string'),
});

const spend = (name: string) =>
  Object.fromEntries(['', '_daily', '_weekly', '_monthly'].map((window) => [name + window, number]));

const key = object({
  label: string,
  limit: nullable('number'),
  limit_reset: nullable('string'),
  limit_remaining: nullable('number'),
  include_byok_in_limit: { type: 'boolean' },
  ...spend('usage'),
  ...spend('byok_usage'),
  is_free_tier: { type: 'boolean' },
  is_management_key: { type: 'boolean' },
  is_provisioning_key: { type: 'boolean' },
  creator_user_id: nullable('string'),
  organization_id: nullable('string'),
  workspace_id: nullable('string'),
  'expires_at?': nullable('string'),
  allowed_data_regions: listOf(string),
  free_model_daily_requests: object({ used: number, limit: number, remaining: number }),
  rate_limit: object({ requests: integer, interval: string, note: string }),
});

const model = object({
  id: string,
  canonical_slug: string,
  name: string,
  description: string,
  created: integer,
  context_length: nullable('integer'),
  architecture: { type: 'object' },
  pricing: object({ prompt: string, completion: string }),
  top_provider: { type: 'object' },
  supported_parameters: listOf(string),
  links: object({ details: string }),
});

/** The bodies the server sends, by name. */
export const responseSchemas: Readonly<Record<string, JsonObject>> = {
  ...outputItems,
  Usage: usage,
  Response: response,
  StreamEvent: object({ type: string, sequence_number: integer }),
  Error: problem,
  KeyInformation: object({ data: key }),
  Model: model,
  ModelList: object({
    data: listOf(ref('Model')),
    total_count: integer,
    links: object({ next: nullable('string') }),
  }),
};
