import { parsed } from './malformed-values.ts';

/** A bad entry of `tools`; the message must begin with its place and `path`. */
export interface ToolFault {
  readonly path: string;
  readonly tool: unknown;
}

function bad(path: string, type: string, members: object): ToolFault {
  return { path, tool: { type, ...members } };
}

const namespace = { name: 'n', description: 'd' };
const f = { type: 'function', name: 'f' };
const mcp = { server_label: 'wiki' };
const stores = { vector_store_ids: ['vs_1'] };

/** One bad tool each (docs/spec/tools.md#kinds). */
export const toolFaults: readonly ToolFault[] = [
  ...['service:hammer', 'web_search_2020'].map((type) => bad('.type', type, {})),
  bad('.name', 'namespace', { description: 'd', tools: [] }),
  bad('.description', 'namespace', { name: 'n', tools: [] }),
  bad('.tools', 'namespace', { ...namespace, tools: {} }),
  bad('.tools[0]', 'namespace', { ...namespace, tools: [5] }),
  bad('.tools[0].type', 'namespace', { ...namespace, tools: [{ type: 'mcp', server_label: 'x' }] }),
  bad('.tools[0].type', 'namespace', { ...namespace, tools: [{ type: 'namespace', ...namespace }] }),
  bad('.tools[1].name', 'namespace', { ...namespace, tools: [f, { type: 'custom', name: 'f' }] }),
  bad('.tools[0].allowed_callers[0]', 'namespace', {
    ...namespace,
    tools: [{ ...f, allowed_callers: ['remote'] }],
  }),
  bad('.tools[0].defer_loading', 'namespace', { ...namespace, tools: [{ ...f, defer_loading: true }] }),
  ...['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'].flatMap(
    (type) => [
      bad('.engine', type, { engine: 'gopher' }),
      bad('.mode', type, { mode: 'slow' }),
      bad('.max_results', type, { max_results: 26 }),
      bad('.max_uses', type, { max_uses: 0 }),
      bad('.filters.allowed_domains[0]', type, { filters: { allowed_domains: [5] } }),
      bad('.search_context_size', type, { search_context_size: 'huge' }),
      bad('.user_location.type', type, { user_location: { type: 'exact' } }),
    ],
  ),
  bad('.user_location.type', 'web_search_preview', { user_location: { city: 'Brest' } }),
  bad('.vector_store_ids', 'file_search', {}),
  bad('.max_num_results', 'file_search', { ...stores, max_num_results: 0 }),
  bad('.filters.type', 'file_search', { ...stores, filters: { key: 'a', type: 'like', value: 'b' } }),
  bad('.filters.value', 'file_search', { ...stores, filters: { key: 'a', type: 'eq', value: {} } }),
  bad('.filters.value[0]', 'file_search', { ...stores, filters: { key: 'a', type: 'eq', value: [true] } }),
  bad('.filters.filters', 'file_search', { ...stores, filters: { type: 'and' } }),
  bad('.filters.filters[0].filters[1].key', 'file_search', {
    ...stores,
    filters: {
      type: 'or',
      filters: [
        {
          type: 'and',
          filters: [
            { key: 'a', type: 'eq', value: 1 },
            { type: 'ne', value: 1 },
          ],
        },
      ],
    },
  }),
  bad('.ranking_options.ranker', 'file_search', { ...stores, ranking_options: { ranker: 'best' } }),
  bad('.display_width', 'computer_use_preview', { display_height: 1, environment: 'mac' }),
  bad('.environment', 'computer_use_preview', { display_width: 1, display_height: 1, environment: 'amiga' }),
  bad('.container', 'code_interpreter', {}),
  bad('.container', 'code_interpreter', { container: 5 }),
  bad('.container.type', 'code_interpreter', { container: { type: 'manual' } }),
  bad('.container.memory_limit', 'code_interpreter', { container: { type: 'auto', memory_limit: '2g' } }),
  bad('.server_label', 'mcp', { server_url: 'https://127.0.0.1/' }),
  bad('.connector_id', 'mcp', { ...mcp, connector_id: 'connector_fax' }),
  bad('.authorization', 'mcp', { ...mcp, authorization: { token: 'x' } }),
  bad('.headers', 'mcp', { ...mcp, headers: ['x'] }),
  bad('.headers.a', 'mcp', { ...mcp, headers: { a: 5 } }),
  bad('.allowed_tools', 'mcp', { ...mcp, allowed_tools: 'all' }),
  bad('.allowed_tools.read_only', 'mcp', { ...mcp, allowed_tools: { read_only: 'yes' } }),
  bad('.require_approval', 'mcp', { ...mcp, require_approval: 'sometimes' }),
  bad('.require_approval', 'mcp', { ...mcp, require_approval: [] }),
  bad('.require_approval.never.tool_names', 'mcp', {
    ...mcp,
    require_approval: { never: { tool_names: 'f' } },
  }),
  bad('.quality', 'image_generation', { quality: 'best' }),
  bad('.output_compression', 'image_generation', { output_compression: 101 }),
  bad('.input_image_mask', 'image_generation', { input_image_mask: 'data:,' }),
  { path: '', tool: parsed(`{"type":"shell","deep":${'['.repeat(800)}${']'.repeat(800)}}`) },
];
