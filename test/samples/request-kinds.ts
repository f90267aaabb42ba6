import type { JsonItem } from '../generators/valid-values.ts';

/** A whole and a least sample of each kind, as somebody who reads docs/spec/items.md#kinds would write it. */
export interface KindSamples {
  readonly [type: string]: readonly [whole: JsonItem, least: JsonItem];
}

const call = { call_id: 'call_1' };
const done = { id: 'x_1', status: 'completed' };
const source = { type: 'url', url: 'https://127.0.0.1/a' };
const exec = { type: 'exec', command: ['ls'], env: { A: 'b' } };
const commands = { commands: ['ls'], timeout_ms: 1000, max_output_length: null };
const ran = { stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } };
const timedOut = { stdout: '', stderr: '', outcome: { type: 'timeout' } };
const mcp = { server_label: 'wiki', name: 'search', arguments: '{}' };
const toolEntry = {
  type: 'function',
  name: 'f',
  parameters: { type: 'object' },
  description: 'D',
  strict: true,
};

/** Samples of the kinds of items (docs/spec/items.md#kinds). */
export const itemSamples: KindSamples = {
  web_search_call: [
    {
      type: 'web_search_call',
      ...done,
      action: { type: 'search', query: 'tide', queries: ['tide', 'Brest'], sources: [source] },
    },
    { type: 'web_search_call', id: 'x_1', status: 'searching', action: { type: 'open_page', url: null } },
  ],
  file_search_call: [
    { type: 'file_search_call', ...done, queries: ['tide'], results: [{ file_id: 'f', text: 'T' }] },
    { type: 'file_search_call', id: 'x_1', status: 'failed', queries: [] },
  ],
  image_generation_call: [
    { type: 'image_generation_call', ...done, result: 'AAAA', prompt: 'a boat' },
    { type: 'image_generation_call', id: 'x_1', status: 'generating', result: null },
  ],
  code_interpreter_call: [
    {
      type: 'code_interpreter_call',
      ...done,
      code: '1 + 1',
      container_id: 'c_1',
      outputs: [
        { type: 'logs', logs: '2' },
        { type: 'image', url: 'https://127.0.0.1/a.png' },
        {
          type: 'file',
          id: 'f',
          filename: 'a.csv',
          media_type: 'text/csv',
          size_bytes: 2,
          sha256: 'ab',
          download_url: 'https://127.0.0.1/f',
          expires_at: '2026-11-21T12:00:00Z',
          status: 'ready',
          error_code: null,
        },
      ],
    },
    {
      type: 'code_interpreter_call',
      id: 'x_1',
      status: 'interpreting',
      code: null,
      container_id: 'c',
      outputs: null,
    },
  ],
  computer_call: [
    {
      type: 'computer_call',
      ...done,
      ...call,
      action: { type: 'click', x: 1, y: 2, button: 'left' },
      pending_safety_checks: [{ id: 's', code: 'c', message: 'm' }],
    },
    { type: 'computer_call', status: 'completed', ...call, pending_safety_checks: [] },
  ],
  computer_call_output: [
    {
      type: 'computer_call_output',
      ...done,
      ...call,
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' },
    },
    { type: 'computer_call_output', ...call, output: {} },
  ],
  local_shell_call: [
    {
      type: 'local_shell_call',
      ...done,
      ...call,
      action: { ...exec, timeout_ms: 1000, user: 'ann', working_directory: '/tmp' },
    },
    { type: 'local_shell_call', ...done, ...call, action: exec },
  ],
  local_shell_call_output: [
    { type: 'local_shell_call_output', ...done, output: 'a' },
    { type: 'local_shell_call_output', id: 'x_1', output: '', status: null },
  ],
  shell_call: [
    {
      type: 'shell_call',
      ...done,
      ...call,
      action: commands,
      arguments: '{"raw":1}',
      environment: { type: 'local' },
    },
    { type: 'shell_call', ...call, action: { commands: [] } },
  ],
  shell_call_output: [
    {
      type: 'shell_call_output',
      ...done,
      ...call,
      output: [ran, timedOut],
      max_output_length: 10,
      container_id: 'c_1',
      files: [{ id: 'f' }],
      error: 'E',
    },
    { type: 'shell_call_output', ...call, output: [] },
  ],
  apply_patch_call: [
    { type: 'apply_patch_call', ...done, ...call, operation: { type: 'create_file', path: 'a', diff: '+a' } },
    {
      type: 'apply_patch_call',
      status: 'in_progress',
      ...call,
      operation: { type: 'delete_file', path: 'a' },
    },
  ],
  apply_patch_call_output: [
    { type: 'apply_patch_call_output', ...done, ...call, output: 'ok' },
    { type: 'apply_patch_call_output', status: 'failed', ...call },
  ],
  mcp_list_tools: [
    {
      type: 'mcp_list_tools',
      id: 'x_1',
      server_label: 'wiki',
      error: 'E',
      tools: [{ name: 'n', input_schema: { type: 'object' }, description: 'D', annotations: { a: 1 } }],
    },
    { type: 'mcp_list_tools', id: 'x_1', server_label: 'wiki', tools: [] },
  ],
  mcp_approval_request: [
    { type: 'mcp_approval_request', id: 'x_1', ...mcp },
    { type: 'mcp_approval_request', id: 'x_1', ...mcp },
  ],
  mcp_approval_response: [
    { type: 'mcp_approval_response', id: 'x_1', approval_request_id: 'x_0', approve: false, reason: 'R' },
    { type: 'mcp_approval_response', approval_request_id: 'x_0', approve: true },
  ],
  mcp_call: [
    { type: 'mcp_call', id: 'x_1', ...mcp, output: 'O', error: null },
    { type: 'mcp_call', id: 'x_1', ...mcp },
  ],
  compaction: [
    { type: 'compaction', id: 'x_1', encrypted_content: 'QQ==', created_by: 'p', any: { deep: [1] } },
    { type: 'compaction', encrypted_content: 'QQ==' },
  ],
  context_compaction: [
    { type: 'context_compaction', id: 'x_1', encrypted_content: 'QQ==', any: 1 },
    { type: 'context_compaction' },
  ],
  additional_tools: [
    {
      type: 'additional_tools',
      id: 'x_1',
      role: 'critic',
      tools: [toolEntry, { type: 'web_search' }, { type: 'a_later_kind', setting: 1 }],
    },
    { type: 'additional_tools', role: 'tool', tools: [] },
  ],
  agent_message: [
    {
      type: 'agent_message',
      id: 'x_1',
      author: 'planner',
      recipient: 'writer',
      content: [
        { type: 'input_text', text: 'Go.' },
        { type: 'input_image', image_url: 'https://127.0.0.1/a.png', detail: 'low' },
        { type: 'encrypted_content', encrypted_content: 'QQ==' },
      ],
      agent: { agent_name: 'planner-1' },
      trace: 't',
    },
    { type: 'agent_message', author: 'a', recipient: 'b', content: [{ type: 'input_text', text: 'x' }] },
  ],
  configuration_update: [
    { type: 'configuration_update', id: 'x_1', reasoning: { effort: 'high' } },
    { type: 'configuration_update', reasoning: { effort: 'none' } },
  ],
};

/** Samples of the kinds of tools (docs/spec/tools.md#kinds). */
export const toolSamples: KindSamples = {
  function: [
    { ...toolEntry, async: true },
    { type: 'function', name: 'f', parameters: null },
  ],
  custom: [
    {
      type: 'custom',
      name: 'sql',
      description: 'D',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
    },
    { type: 'custom', name: 'free' },
  ],
  namespace: [
    {
      type: 'namespace',
      name: 'crm',
      description: 'D',
      tools: [
        { ...toolEntry, output_schema: { type: 'object' }, allowed_callers: ['direct', 'programmatic'] },
        { type: 'custom', name: 'note', format: { type: 'text' } },
      ],
    },
    { type: 'namespace', name: 'crm', description: '', tools: [] },
  ],
  ...searchSamples(),
  file_search: [
    {
      type: 'file_search',
      vector_store_ids: ['vs_1'],
      max_num_results: 5,
      filters: {
        type: 'and',
        filters: [
          { key: 'year', type: 'gte', value: 2020 },
          { type: 'or', filters: [{ key: 'tag', type: 'eq', value: ['a', 1] }] },
        ],
      },
      ranking_options: { ranker: 'default-2024-11-15', score_threshold: 0.5 },
    },
    { type: 'file_search', vector_store_ids: [] },
  ],
  computer_use_preview: [
    { type: 'computer_use_preview', display_width: 1024, display_height: 768, environment: 'browser' },
    { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'linux' },
  ],
  code_interpreter: [
    { type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'], memory_limit: '4g' } },
    { type: 'code_interpreter', container: 'c_1' },
  ],
  mcp: [
    {
      type: 'mcp',
      server_label: 'wiki',
      server_url: 'https://127.0.0.1/mcp',
      connector_id: 'connector_gmail',
      server_description: 'D',
      authorization: 'mcp-secret-token',
      headers: { 'X-Key': 'mcp-secret-header' },
      allowed_tools: { tool_names: ['a'], read_only: true },
      require_approval: { always: { tool_names: ['a'] }, never: { tool_names: ['b'] } },
    },
    { type: 'mcp', server_label: 'wiki' },
  ],
  image_generation: [
    {
      type: 'image_generation',
      model: 'm',
      quality: 'high',
      size: '1024x1024',
      background: 'transparent',
      output_format: 'png',
      output_compression: 90,
      partial_images: 2,
      moderation: 'low',
      input_fidelity: 'high',
      input_image_mask: { image_url: 'data:image/png;base64,AA', file_id: 'f' },
    },
    { type: 'image_generation' },
  ],
  local_shell: [{ type: 'local_shell' }, { type: 'local_shell' }],
  shell: [{ type: 'shell' }, { type: 'shell' }],
  apply_patch: [{ type: 'apply_patch' }, { type: 'apply_patch' }],
};

function searchSamples(): KindSamples {
  const types = [
    'web_search',
    'web_search_2025_08_26',
    'web_search_preview',
    'web_search_preview_2025_03_11',
  ];
  return Object.fromEntries(
    types.map((type) => [
      type,
      [
        {
          type,
          engine: 'exa',
          mode: 'deep',
          filters: { allowed_domains: ['a.test'], blocked_domains: null, excluded_domains: ['b.test'] },
          max_results: 25,
          max_uses: 2,
          search_context_size: 'high',
          user_location: {
            type: 'approximate',
            city: 'Brest',
            country: 'FR',
            region: null,
            timezone: 'Europe/Paris',
          },
        },
        { type },
      ],
    ]),
  );
}
