import { samplingMembers } from '../../core/parameters.ts';
import { PluginsSchema } from '../../schema/plugin-schemas.ts';
import {
  choice,
  flag,
  handled,
  integer,
  list,
  named,
  optional,
  orNull,
  Type,
  text,
} from '../../util/json-schema.ts';
import { CacheControlSchema, PromptCacheOptionsSchema } from './cache.ts';
import { ProviderSchema } from './provider.ts';
import { ReasoningSchema } from './reasoning.ts';
import { StopConditionsSchema } from './stop-conditions.ts';

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
export function part(schema: Parameters<typeof handled>[0]) {
  return Type.Optional(handled(orNull(schema)));
}

/** The members of a body that have the same name, bounds and effect in several public dialects (docs/spec/requests.md#fields). */
export const commonMembers = {
  model: optional(text({ minLength: 1 })),
  models: optional(list(text({ minLength: 1 }), { maxItems: 100 })),
  stream: optional(flag()),
  store: optional(flag()),
  ...samplingMembers,
  max_tool_calls: optional(integer({ minimum: 1 })),
  parallel_tool_calls: optional(flag()),
  metadata: optional(MetadataSchema),
  service_tier: optional(choice('auto', 'default', 'fast', 'flex', 'priority', 'scale')),
  session_id: optional(text({ maxLength: 256 })),
  user: optional(text({ maxLength: 256 })),
  safety_identifier: optional(text()),
  prompt_cache_key: optional(text()),
  cache_control: optional(CacheControlSchema),
  prompt_cache_options: optional(PromptCacheOptionsSchema),
  debug: optional(Type.Object({ echo_upstream_body: optional(flag()) })),
  image_config: optional(ImageConfigSchema),
  reasoning: part(named('Reasoning', ReasoningSchema)),
  stop_server_tools_when: part(named('StopConditions', StopConditionsSchema)),
  trace: optional(TraceSchema),
  plugins: part(PluginsSchema),
  provider: part(named('ProviderPreferences', ProviderSchema)),
  // Deprecated: only two words mean something and no value is an error (docs/spec/routing.md#preferences).
  route: Type.Optional(Type.Unknown()),
};
