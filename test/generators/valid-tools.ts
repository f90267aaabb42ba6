import fc from 'fast-check';
import { type JsonItem, kind, object, several, words } from './valid-values.ts';

const flag = fc.boolean();
const toolName = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const schema = fc.constant({ type: 'object', properties: {} });

const functionMembers = {
  description: words,
  parameters: schema,
  strict: flag,
  async: flag,
  defer_loading: fc.constant(false),
  vendor_extra: words,
};

const functionTool = kind('function', { name: toolName }, functionMembers);
const customTool = kind(
  'custom',
  { name: toolName },
  {
    description: words,
    async: flag,
    format: fc.oneof(
      kind('text'),
      kind('grammar', { syntax: fc.constantFrom('lark', 'regex'), definition: fc.constant('[a-z]+') }),
    ),
  },
);
const memberFunction = kind(
  'function',
  { name: toolName },
  {
    ...functionMembers,
    output_schema: schema,
    allowed_callers: fc.subarray(['direct', 'programmatic']),
  },
);
const namespaceTool = kind('namespace', {
  name: toolName,
  description: words,
  tools: fc.uniqueArray(fc.oneof(memberFunction, customTool), { selector: ({ name }) => name, maxLength: 3 }),
});

const place = {
  city: words,
  country: fc.constant('FR'),
  region: words,
  timezone: fc.constant('Europe/Paris'),
};
const domains = several(fc.domain());
const searchMembers = {
  engine: fc.constantFrom('auto', 'native', 'exa', 'parallel', 'firecrawl', 'perplexity'),
  mode: fc.constantFrom(
    'instant',
    'fast',
    'auto',
    'deep-lite',
    'deep',
    'deep-reasoning',
    'turbo',
    'basic',
    'advanced',
  ),
  filters: object({}, { allowed_domains: domains, blocked_domains: domains, excluded_domains: domains }),
  max_results: fc.integer({ min: 1, max: 25 }),
  max_uses: fc.integer({ min: 1, max: 9 }),
  search_context_size: fc.constantFrom('low', 'medium', 'high'),
};
const previewMembers = { ...searchMembers, user_location: kind('approximate', {}, place) };
const currentMembers = {
  ...searchMembers,
  user_location: object({}, { type: fc.constant('approximate'), ...place }),
};

const comparison = object({
  key: words,
  type: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'),
  value: fc.oneof(words, fc.integer(), flag, several(words)),
});
const { filter } = fc.letrec<{ filter: unknown; compound: unknown }>((tie) => ({
  filter: fc.oneof({ depthSize: 'small' }, comparison, tie('compound')),
  compound: object({ type: fc.constantFrom('and', 'or'), filters: several(tie('filter')) }),
}));
const toolNames = object({}, { tool_names: several(words) });

/** Hosted tools, every kind of docs/spec/tools.md#kinds. */
const hostedTools: readonly fc.Arbitrary<JsonItem>[] = [
  kind('web_search', {}, currentMembers),
  kind('web_search_2025_08_26', {}, currentMembers),
  kind('web_search_preview', {}, previewMembers),
  kind('web_search_preview_2025_03_11', {}, previewMembers),
  kind(
    'file_search',
    { vector_store_ids: several(words) },
    {
      max_num_results: fc.integer({ min: 1, max: 50 }),
      filters: filter,
      ranking_options: object(
        {},
        {
          ranker: fc.constantFrom('auto', 'default-2024-11-15'),
          score_threshold: fc.double({ min: 0, max: 1, noNaN: true }),
        },
      ),
    },
  ),
  kind('computer_use_preview', {
    display_width: fc.integer({ min: 1, max: 4000 }),
    display_height: fc.integer({ min: 1, max: 4000 }),
    environment: fc.constantFrom('windows', 'mac', 'linux', 'ubuntu', 'browser'),
  }),
  kind('code_interpreter', {
    container: fc.oneof(
      words,
      kind('auto', {}, { file_ids: several(words), memory_limit: fc.constantFrom('1g', '4g', '16g', '64g') }),
    ),
  }),
  kind(
    'mcp',
    { server_label: toolName },
    {
      server_url: fc.webUrl(),
      connector_id: fc.constantFrom('connector_dropbox', 'connector_gmail', 'connector_sharepoint'),
      authorization: fc.constant('mcp-secret-token'),
      headers: fc.dictionary(toolName, fc.constant('mcp-secret-header'), { noNullPrototype: true }),
      server_description: words,
      allowed_tools: fc.oneof(several(words), object({}, { tool_names: several(words), read_only: flag })),
      require_approval: fc.oneof(
        fc.constantFrom('always', 'never'),
        object({}, { always: toolNames, never: toolNames }),
      ),
    },
  ),
  kind(
    'image_generation',
    {},
    {
      model: words,
      quality: fc.constantFrom('low', 'medium', 'high', 'auto'),
      size: fc.constantFrom('1024x1024', 'auto'),
      background: fc.constantFrom('transparent', 'opaque', 'auto'),
      output_format: fc.constantFrom('png', 'webp', 'jpeg'),
      output_compression: fc.integer({ min: 0, max: 100 }),
      partial_images: fc.integer({ min: 0, max: 3 }),
      moderation: fc.constantFrom('auto', 'low'),
      input_fidelity: fc.constantFrom('high', 'low'),
      input_image_mask: object({}, { image_url: fc.webUrl(), file_id: words }),
    },
  ),
  kind('local_shell'),
  kind('shell'),
  kind('apply_patch'),
];

/** Tools the client runs. */
const clientTools: readonly fc.Arbitrary<JsonItem>[] = [functionTool, customTool, namespaceTool];

/** Tools of one request: every kind, no name twice. */
export const tools: fc.Arbitrary<JsonItem[]> = fc.uniqueArray(
  fc.oneof(...clientTools, fc.oneof(...hostedTools)),
  { selector: ({ name, server_label, type }) => name ?? server_label ?? type, maxLength: 6 },
);

/** Tools with a choice that agrees with them. */
export const toolMembers: fc.Arbitrary<JsonItem> = tools.chain((entries) => {
  const named = entries.map(({ type, name, server_label }) => ({
    type,
    ...(name === undefined ? {} : { name }),
    ...(server_label === undefined ? {} : { server_label }),
  }));
  const choices: unknown[] = ['auto', 'none', null, { type: 'allowed_tools', mode: 'auto', tools: named }];
  if (named.length > 0) choices.push('required');
  choices.push(...named.filter(({ type }) => choosable.has(String(type))));
  return object({ tools: fc.constant(entries) }, { tool_choice: fc.constantFrom(...choices) });
});

const choosable = new Set([
  'function',
  'custom',
  'web_search_preview',
  'web_search_preview_2025_03_11',
  'shell',
  'apply_patch',
]);
