import { PluginsSchema } from '../../../schema/plugin-schemas.ts';
import {
  anyObject,
  anyOf,
  choice,
  flag,
  handled,
  integer,
  list,
  named,
  number,
  optional,
  orNull,
  type Static,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { StopConditionsSchema } from '../../gateway/common-settings.ts';
import { ProviderSchema } from '../../gateway/provider.ts';

/** `cache_control`: where a cacheable prefix ends. */
export const CacheControlSchema = Type.Object({
  type: choice('ephemeral'),
  ttl: optional(choice('5m', '1h')),
});

const blocks = list(anyObject());
const TextBlockSchema = Type.Object({
  type: choice('text'),
  text: text(),
  cache_control: optional(CacheControlSchema),
});

const MessageSchema = Type.Object({
  role: choice('user', 'assistant', 'system'),
  content: handled(anyOf(text(), blocks)),
});

const ThinkingSchema = Type.Object({
  type: choice('enabled', 'disabled', 'adaptive'),
  budget_tokens: optional(integer({ minimum: 1 })),
  display: optional(choice('summarized', 'omitted')),
});

const FormatSchema = Type.Object({ type: choice('json_schema'), schema: anyObject() });

const OutputConfigSchema = Type.Object({
  effort: optional(choice('low', 'medium', 'high', 'xhigh', 'max')),
  format: optional(FormatSchema),
  task_budget: optional(anyObject()),
});

const ToolChoiceSchema = Type.Object({
  type: choice('auto', 'any', 'none', 'tool'),
  name: optional(text()),
  disable_parallel_tool_use: optional(flag()),
});

/** A member that own code checks, or null, or nothing. */
function part(schema: Parameters<typeof handled>[0]) {
  return Type.Optional(handled(orNull(schema)));
}

const members = {
  model: text({ minLength: 1 }),
  messages: list(MessageSchema, { minItems: 1 }),
  max_tokens: optional(integer({ minimum: 0 })),
  system: part(anyOf(text(), list(TextBlockSchema))),
  stream: optional(flag()),
  cache_control: optional(CacheControlSchema),
  temperature: optional(number({ minimum: 0, maximum: 2 })),
  top_p: optional(number({ minimum: 0, maximum: 1 })),
  top_k: optional(integer({ minimum: 0 })),
  stop_sequences: optional(list(text())),
  thinking: optional(ThinkingSchema),
  output_config: optional(OutputConfigSchema),
  output_format: optional(FormatSchema),
  tools: part(list(anyObject())),
  tool_choice: optional(ToolChoiceSchema),
  context_management: optional(anyObject()),
  fallbacks: Type.Optional(Type.Unknown()),
  models: optional(list(text({ minLength: 1 }), { maxItems: 100 })),
  provider: part(named('ProviderPreferences', ProviderSchema)),
  plugins: part(PluginsSchema),
  route: Type.Optional(Type.Unknown()),
  session_id: optional(text({ maxLength: 256 })),
  trace: optional(anyObject()),
  stop_server_tools_when: part(named('StopConditions', StopConditionsSchema)),
  metadata: optional(Type.Object({ user_id: optional(text({ maxLength: 4096 })) })),
  user: optional(text({ maxLength: 256 })),
  service_tier: optional(choice('auto', 'standard_only', 'default', 'fast', 'flex', 'priority', 'scale')),
  speed: optional(choice('fast', 'standard')),
  mcp_servers: optional(list(Type.Unknown())),
  thread: optional(Type.Unknown()),
};

/**
 * The body of `POST /messages` (docs/spec/messages.md#request). Unknown members are accepted and go on to providers of
 * the same format.
 */
export const MessagesRequestSchema = Type.Object(members);

/** A body whose plain members were checked. */
export type MessagesRequest = Static<typeof MessagesRequestSchema>;

/** The members that the reader knows; all others are extras. */
export const messagesRequestFields = Object.keys(members) as readonly (keyof MessagesRequest)[];
