import type { ServiceTool, ServiceType } from '../../../core/tool.ts';
import { createChecker } from '../../../schema/checker.ts';
import { malformed, quoteAll } from '../../../schema/fault.ts';
import { asObject } from '../../../schema/kind-table.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  anyObject,
  choice,
  flag,
  integer,
  list,
  number,
  optional,
  type TProperties,
  type TSchema,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { CacheControlSchema } from '../common-settings.ts';
import { withoutNullsDeep } from '../without-nulls.ts';
import { EnvironmentSchema } from './hosted-tools.ts';
import type { ReadTool, ToolKind } from './tool-kind.ts';
import { domains, searchMembers } from './web-search-tools.ts';

const searchModels = { max_results: optional(integer()) };
const inner = {
  name: optional(text()),
  model: optional(text({ minLength: 1 })),
  instructions: optional(text()),
  max_completion_tokens: optional(integer({ minimum: 1 })),
  temperature: optional(number({ minimum: 0, maximum: 2 })),
  reasoning: optional(
    Type.Object({
      effort: optional(choice('max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none')),
      max_tokens: optional(integer({ minimum: 1 })),
    }),
  ),
};

const toolSearchMembers = { max_results: optional(integer()) };

const imageMembers = {
  model: optional(text({ minLength: 1 })),
  quality: optional(text()),
  size: optional(text()),
  aspect_ratio: optional(text()),
  background: optional(text()),
  output_format: optional(choice('png', 'jpeg', 'webp')),
  output_compression: optional(integer({ minimum: 0, maximum: 100 })),
  partial_images: optional(integer({ minimum: 0, maximum: 3 })),
  moderation: optional(choice('auto', 'low')),
};

const fusionMembers = {
  analysis_models: optional(list(text({ minLength: 1 }), { minItems: 1, maxItems: 8 })),
  model: inner.model,
  tools: optional(list(anyObject(), { maxItems: 8 })),
  max_tool_calls: optional(integer({ minimum: 1, maximum: 16 })),
  max_completion_tokens: inner.max_completion_tokens,
  temperature: inner.temperature,
  reasoning: inner.reasoning,
  cache_control: optional(CacheControlSchema),
};

/** Where commands run. */
const container = {
  environment: optional(EnvironmentSchema),
  sleep_after_seconds: optional(integer({ minimum: 1 })),
};

/** The tools of the gateway that are built (docs/spec/server-tools.md#kinds). */
export const builtServiceTools: Readonly<Record<string, ToolKind<ReadTool<ServiceTool>>>> = {
  'service:web_search': serviceTool('service:web_search', {
    ...searchMembers,
    engine: optional(
      choice('auto', 'native', 'exa', 'parallel', 'firecrawl', 'perplexity', 'searxng', 'brave', 'tavily'),
    ),
    max_total_results: optional(integer({ minimum: 1 })),
    max_characters: optional(integer({ minimum: 1, maximum: 100_000 })),
    allowed_domains: domains,
    excluded_domains: domains,
  }),
  'service:web_fetch': serviceTool('service:web_fetch', {
    engine: optional(choice('auto', 'native', 'exa', 'service', 'firecrawl', 'parallel')),
    max_uses: optional(integer({ minimum: 1 })),
    max_content_tokens: optional(integer({ minimum: 1 })),
    allowed_domains: domains,
    blocked_domains: domains,
  }),
  'service:experimental__search_models': serviceTool('service:experimental__search_models', searchModels),
  'service:search_models': serviceTool('service:search_models', searchModels, {
    as: 'service:experimental__search_models',
  }),
  'service:advisor': serviceTool('service:advisor', {
    ...inner,
    forward_transcript: optional(flag()),
    stream: optional(flag()),
  }),
  'service:subagent': serviceTool(
    'service:subagent',
    {
      ...inner,
      tools: optional(list(anyObject(), { maxItems: 32 })),
      inherit_functions: optional(flag()),
      inherited_function_names: optional(list(text(), { maxItems: 128 })),
      max_tool_calls: optional(integer({ minimum: 1, maximum: 25 })),
    },
    { settle: settleSubagent },
  ),
  'service:fusion': serviceTool('service:fusion', fusionMembers, { settle: settleInnerTools }),
  'service:apply_patch': serviceTool('service:apply_patch', {
    engine: optional(choice('auto', 'native', 'service')),
  }),
  'service:image_generation': serviceTool('service:image_generation', imageMembers),
  'service:tool_search': serviceTool('service:tool_search', toolSearchMembers),
  tool_search: serviceTool('service:tool_search', toolSearchMembers, { spelled: 'tool_search' }),
  'service:files': serviceTool('service:files', {}),
  'service:shell': serviceTool('service:shell', {
    ...container,
    engine: optional(choice('auto', 'service')),
  }),
  'service:bash': serviceTool('service:bash', {
    ...container,
    engine: optional(choice('auto', 'native', 'service')),
  }),
  'service:datetime': serviceTool('service:datetime', { timezone: optional(text()) }),
};

/** Tools that a model may have that is asked on behalf of another one. */
const innerTools: readonly string[] = [
  'service:datetime',
  'service:web_search',
  'service:web_fetch',
  'service:experimental__search_models',
  'service:search_models',
];

/** Reads the tools of a worker; whether the request has the functions that it inherits is found out later. */
function settleSubagent(settings: JsonObject, path: string): JsonObject {
  const { inherited_function_names: names } = settings;
  const blank = Array.isArray(names) ? names.findIndex((name) => String(name).trim() === '') : -1;
  if (blank !== -1 && settings.inherit_functions !== true)
    throw malformed(`${path}.inherited_function_names[${blank}]`, 'must not be blank');
  return settleInnerTools(settings, path);
}

/**
 * Reads the tools that settings name for models that are asked on behalf of another one.
 * @throws HeadgateError `invalid_request` for a tool that they cannot have.
 */
export function settleInnerTools(settings: JsonObject, path: string): JsonObject {
  const { tools } = settings;
  if (!Array.isArray(tools)) return settings;
  const read = tools.map((entry: unknown, index) => {
    const place = `${path}.tools[${index}]`;
    const raw = asObject(entry, place);
    const name = String(raw.type);
    const row = innerTools.includes(name) ? builtServiceTools[name] : undefined;
    if (row === undefined) throw malformed(`${place}.type`, `must be one of ${quoteAll(innerTools)}`);
    return row.read(raw, place).tool;
  });
  return { ...settings, tools: read };
}

/** What one tool of the gateway has besides its members. */
interface ServiceRules {
  /** The type id it is read as, where the name is another word for it. */
  readonly as?: ServiceType;
  /** Another word that clients list it by. */
  readonly spelled?: string;
  /** Checks what a schema cannot say, and returns the settings as the tool gets them. @throws HeadgateError `invalid_request`. */
  readonly settle?: (settings: JsonObject, path: string) => JsonObject;
}

/** How a tool of the gateway is read: its settings stand in `parameters` (docs/spec/server-tools.md#kinds). */
function serviceTool(
  type: ServiceType,
  members: TProperties,
  { as = type, spelled: word = type, settle }: ServiceRules = {},
): ToolKind<ReadTool<ServiceTool>> {
  const parameters = optional(Type.Object(members));
  const schema = Type.Object({ type: choice(word), parameters });
  // An operator may configure another prefix. The kind is already known here, so any text is accepted as the type.
  const checkTool = createChecker<TSchema>(Type.Object({ type: text(), parameters }));
  return {
    schema,
    read(raw, path) {
      checkTool(raw, path);
      // A search that is hidden itself could never find anything.
      if (raw.defer_loading === true) throw malformed(`${path}.defer_loading`, 'is for functions only');
      const { type: spelled, parameters: given } = withoutNullsDeep(raw);
      const written = isObject(given) ? given : {};
      const settings = settle?.(written, `${path}.parameters`) ?? written;
      return {
        tool: { kind: 'service', type: as, spelled: String(spelled), settings },
        echo: { type: word, ...(given !== undefined && { parameters: written }) },
      };
    },
  };
}
