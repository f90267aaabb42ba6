import { createChecker } from '../../../schema/checker.ts';
import { asList, asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { isObject } from '../../../util/json.ts';
import {
  anyObject,
  anyOf,
  byKind,
  byType,
  choice,
  flag,
  handled,
  integer,
  list,
  map,
  number,
  optional,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { CustomToolSchema, customTool } from './custom-tool.ts';
import { NamespaceFunctionSchema, namespaceFunction } from './function-tool.ts';
import { hostedTool } from './hosted-tool.ts';
import type { ReadClientTool, ToolKind } from './tool-kind.ts';
import { ToolNames } from './tool-names.ts';

/** The container that commands run in: one of the gateway's choice, or one that an earlier answer named. */
export const EnvironmentSchema = byKind('type', {
  container_auto: Type.Object({ type: choice('container_auto') }),
  container_reference: Type.Object({
    type: choice('container_reference'),
    container_id: text({ pattern: '^[\\w-]{1,20}$' }),
  }),
});

/** `namespace`: tools of the client under one name, which their calls carry. */
const NamespaceToolSchema = Type.Object({
  type: choice('namespace'),
  name: text({ minLength: 1 }),
  description: text(),
  tools: list(handled(anyOf(NamespaceFunctionSchema, CustomToolSchema))),
});

const checkNamespace = createChecker(NamespaceToolSchema);

const memberKinds: KindTable<ToolKind<ReadClientTool>> = {
  key: 'type',
  rows: new Map([
    ['function', namespaceFunction],
    ['custom', customTool],
  ]),
};

/** How namespaces are read; names are unique inside one. */
export const namespaceTool: ToolKind = {
  schema: NamespaceToolSchema,
  read(raw, path) {
    const { name, description, tools } = checkNamespace(raw, path);
    const names = new ToolNames();
    const members = tools.map((entry, index) => {
      const place = `${path}.tools[${index}]`;
      const member = asObject(entry, place);
      const read = rowFor(memberKinds, member, place).read(member, place);
      names.take(read.tool, place);
      return read;
    });
    return {
      tool: { kind: 'namespace', name, description, tools: members.map(({ tool }) => tool) },
      echo: { type: 'namespace', name, description, tools: members.map(({ echo }) => echo) },
    };
  },
};

const names = list(text());
const SomeToolsSchema = Type.Object({ tool_names: optional(names), read_only: optional(flag()) });
const ApprovalSchema = Type.Object({
  always: optional(Type.Object({ tool_names: optional(names) })),
  never: optional(Type.Object({ tool_names: optional(names) })),
});

/** `mcp`: an MCP server the provider talks to; its credentials are passed on and never shown. */
export const mcpTool = hostedTool(
  'mcp',
  'mcp',
  {
    server_label: text({ minLength: 1 }),
    server_url: optional(text({ minLength: 1 })),
    connector_id: optional(
      choice(
        'connector_dropbox',
        'connector_gmail',
        'connector_googlecalendar',
        'connector_googledrive',
        'connector_microsoftteams',
        'connector_outlookcalendar',
        'connector_outlookemail',
        'connector_sharepoint',
      ),
    ),
    authorization: optional(text()),
    headers: optional(map(text())),
    server_description: optional(text()),
    allowed_tools: optional(byType(names, SomeToolsSchema)),
    require_approval: optional(byType(choice('always', 'never'), ApprovalSchema)),
  },
  { secret: ['authorization', 'headers'], addresses: ['server_url'] },
);

const comparisons = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte'] as const;

const ComparisonSchema = Type.Object({
  key: text({ minLength: 1 }),
  type: choice(...comparisons),
  value: byType(text(), number(), flag(), list(byType(text(), number()))),
});
const CompoundSchema = Type.Object({ type: choice('and', 'or'), filters: list(anyObject()) });

const checkComparison = createChecker(ComparisonSchema);

type FilterChecker = (filter: unknown, path: string) => void;

const filters: KindTable<FilterChecker> = {
  key: 'type',
  rows: new Map<string, FilterChecker>([
    ...comparisons.map((word): [string, FilterChecker] => [word, checkComparison]),
    ['and', checkCompound],
    ['or', checkCompound],
  ]),
};

/** `file_search`: a search in a provider's stores of files; filters may be nested. */
export const fileSearchTool = hostedTool(
  'file_search',
  'file_search',
  {
    vector_store_ids: list(text({ minLength: 1 })),
    max_num_results: optional(integer({ minimum: 1 })),
    filters: Type.Optional(handled(anyOf(ComparisonSchema, CompoundSchema, Type.Null()))),
    ranking_options: optional(
      Type.Object({
        ranker: optional(choice('auto', 'default-2024-11-15')),
        score_threshold: optional(number()),
      }),
    ),
  },
  {
    check(tool, path) {
      if (tool.filters !== undefined && tool.filters !== null) checkFilter(tool.filters, `${path}.filters`);
    },
  },
);

function checkFilter(value: unknown, path: string): void {
  const filter = asObject(value, path);
  rowFor(filters, filter, path)(filter, path);
}

function checkCompound(value: unknown, path: string): void {
  const place = `${path}.filters`;
  const entries = asList(asObject(value, path).filters, place);
  for (const [index, entry] of entries.entries()) checkFilter(entry, `${place}[${index}]`);
}

const checkEnvironment = createChecker(EnvironmentSchema);

const ContainerSchema = Type.Object({
  type: choice('auto'),
  file_ids: optional(list(text())),
  memory_limit: optional(choice('1g', '4g', '16g', '64g')),
});

/** Tools a provider runs, or trained its models for, whose settings are plain (docs/spec/tools.md#kinds). */
export const providerTools = {
  computer_use_preview: hostedTool('computer', 'computer_use_preview', {
    display_width: integer({ minimum: 1 }),
    display_height: integer({ minimum: 1 }),
    environment: choice('windows', 'mac', 'linux', 'ubuntu', 'browser'),
  }),
  code_interpreter: hostedTool('code_interpreter', 'code_interpreter', {
    container: byType(text({ minLength: 1 }), ContainerSchema),
  }),
  image_generation: hostedTool('image_generation', 'image_generation', {
    model: optional(text()),
    quality: optional(choice('low', 'medium', 'high', 'auto')),
    size: optional(text()),
    background: optional(choice('transparent', 'opaque', 'auto')),
    output_format: optional(choice('png', 'webp', 'jpeg')),
    output_compression: optional(integer({ minimum: 0, maximum: 100 })),
    partial_images: optional(integer({ minimum: 0 })),
    moderation: optional(choice('auto', 'low')),
    input_fidelity: optional(choice('high', 'low')),
    input_image_mask: optional(Type.Object({ image_url: optional(text()), file_id: optional(text()) })),
  }),
  local_shell: hostedTool('local_shell', 'local_shell', {}),
  shell: hostedTool(
    'shell',
    'shell',
    {},
    {
      check({ environment }, path) {
        if (isObject(environment) && String(environment.type).startsWith('container_'))
          checkEnvironment(environment, `${path}.environment`);
      },
    },
  ),
  apply_patch: hostedTool('apply_patch', 'apply_patch', {}),
} as const;
