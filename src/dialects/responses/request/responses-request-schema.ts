import {
  choice,
  flag,
  handled,
  integer,
  list,
  optional,
  orNull,
  type Static,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { CacheControlSchema, PromptCacheOptionsSchema } from './cache.ts';
import { InputSchema } from './input.ts';
import { PluginsSchema } from './plugins.ts';
import { PromptSchema } from './prompt.ts';
import { ProviderSchema } from './provider.ts';
import { ReasoningSchema } from './reasoning.ts';
import { samplingMembers } from './sampling.ts';
import { StopConditionsSchema } from './stop-conditions.ts';
import { TextSchema } from './text-format.ts';
import { ToolChoiceSchema } from './tools/tool-choice.ts';
import { ToolsSchema } from './tools/tools.ts';

const MetadataSchema = Type.Unsafe<Record<string, string>>({
  type: 'object',
  maxProperties: 16,
  propertyNames: { maxLength: 64, pattern: '^[^\\[\\]]*$', description: 'without brackets' },
  additionalProperties: { type: 'string', maxLength: 512 },
});

const TraceSchema = Type.Object({
  trace_id: optional(text()),
  trace_name: optional(text()),
  span_name: optional(text()),
  generation_name: optional(text()),
  parent_span_id: optional(text()),
});

const ImageConfigSchema = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: { type: ['string', 'number', 'array'] },
});

/** A member that own code checks, or null, or nothing. */
function part(schema: Parameters<typeof handled>[0]) {
  return Type.Optional(handled(orNull(schema)));
}

const members = {
  input: part(InputSchema),
  model: optional(text({ minLength: 1 })),
  models: optional(list(text({ minLength: 1 }), { maxItems: 100 })),
  instructions: optional(text()),
  stream: optional(flag()),
  store: optional(flag()),
  previous_response_id: Type.Optional(Type.Unknown()),
  conversation: Type.Optional(Type.Unknown()),
  background: optional(flag()),
  ...samplingMembers,
  max_output_tokens: optional(integer({ minimum: 1 })),
  max_tool_calls: optional(integer({ minimum: 1 })),
  parallel_tool_calls: optional(flag()),
  metadata: optional(MetadataSchema),
  modalities: optional(list(choice('text', 'image'))),
  include: optional(
    list(
      choice(
        'file_search_call.results',
        'message.input_image.image_url',
        'computer_call_output.output.image_url',
        'reasoning.encrypted_content',
        'code_interpreter_call.outputs',
      ),
    ),
  ),
  service_tier: optional(choice('auto', 'default', 'fast', 'flex', 'priority', 'scale')),
  session_id: optional(text({ maxLength: 256 })),
  user: optional(text({ maxLength: 256 })),
  safety_identifier: optional(text()),
  prompt_cache_key: optional(text()),
  cache_control: optional(CacheControlSchema),
  prompt_cache_options: optional(PromptCacheOptionsSchema),
  debug: optional(Type.Object({ echo_upstream_body: optional(flag()) })),
  image_config: optional(ImageConfigSchema),
  text: part(TextSchema),
  reasoning: part(ReasoningSchema),
  tools: part(ToolsSchema),
  tool_choice: part(ToolChoiceSchema),
  truncation: optional(choice('auto', 'disabled')),
  prompt: part(PromptSchema),
  stop_server_tools_when: part(StopConditionsSchema),
  trace: optional(TraceSchema),
  plugins: part(PluginsSchema),
  provider: part(ProviderSchema),
  // Deprecated: only two words mean something and no value is an error (docs/spec/routing.md#preferences).
  route: Type.Optional(Type.Unknown()),
};

/**
 * The body of `POST /responses` (docs/spec/requests.md#fields). Unknown members are accepted
 * (docs/spec/requests.md#leniency); members that tell kinds apart are documented here and checked by the files they
 * come from.
 */
export const ResponsesRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type ResponsesRequest = Static<typeof ResponsesRequestSchema>;

/** The members of the body that anybody here knows. */
export const responsesRequestFields = Object.keys(members) as readonly (keyof ResponsesRequest)[];
