import type * as Wire from 'openai/resources/responses/responses';

/** Every kind of output item a provider's own tools make, as the dialect's documentation shows them. */
export const hostedItems: readonly Wire.ResponseOutputItem[] = [
  {
    type: 'web_search_call',
    id: 'ws_6f1',
    status: 'completed',
    action: {
      type: 'search',
      query: 'tide tables Brest',
      queries: ['tide tables Brest'],
      sources: [{ type: 'url', url: 'https://tides.example/brest' }],
    },
  },
  {
    type: 'web_search_call',
    id: 'ws_6f2',
    status: 'completed',
    action: { type: 'open_page', url: 'https://tides.example/brest' },
  },
  {
    type: 'file_search_call',
    id: 'fs_6f3',
    status: 'completed',
    queries: ['harbour rules'],
    results: [
      { file_id: 'file-1', filename: 'rules.pdf', score: 0.9, text: 'No anchoring.', attributes: {} },
    ],
  },
  {
    type: 'code_interpreter_call',
    id: 'ci_6f4',
    status: 'completed',
    code: 'print(6 * 7)',
    container_id: 'cntr_1',
    outputs: [{ type: 'logs', logs: '42\n' }],
  },
  { type: 'image_generation_call', id: 'ig_6f5', status: 'completed', result: 'iVBORw0KGgo=' },
  {
    type: 'mcp_list_tools',
    id: 'mcpl_6f6',
    server_label: 'harbour',
    tools: [
      { name: 'berths', description: 'Free berths', input_schema: { type: 'object' }, annotations: {} },
    ],
  },
  {
    type: 'mcp_call',
    id: 'mcp_6f7',
    status: 'completed',
    server_label: 'harbour',
    name: 'berths',
    arguments: '{"length":12}',
    output: '["A4"]',
  },
  {
    type: 'mcp_approval_request',
    id: 'mcpr_6f8',
    server_label: 'harbour',
    name: 'book',
    arguments: '{"berth":"A4"}',
  },
  {
    type: 'computer_call',
    id: 'cu_6f9',
    status: 'completed',
    call_id: 'call_c1',
    pending_safety_checks: [{ id: 'cu_sc_1', code: 'malicious_instructions', message: 'Look twice.' }],
    action: { type: 'click', button: 'left', x: 10, y: 20 },
  },
  {
    type: 'shell_call',
    id: 'sh_6fa',
    status: 'completed',
    call_id: 'call_s1',
    action: { commands: ['ls -la'], timeout_ms: 1000, max_output_length: null },
    environment: { type: 'container_reference', container_id: 'cntr_1' },
  },
  {
    type: 'shell_call_output',
    id: 'sho_6fb',
    status: 'completed',
    call_id: 'call_s1',
    max_output_length: null,
    output: [{ stdout: 'a.txt\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  },
  {
    type: 'local_shell_call',
    id: 'lsh_6fc',
    status: 'completed',
    call_id: 'call_l1',
    action: { type: 'exec', command: ['cat', 'a b.txt'], env: { LANG: 'C' }, timeout_ms: 500 },
  },
  {
    type: 'apply_patch_call',
    id: 'apc_6fd',
    status: 'completed',
    call_id: 'call_p1',
    operation: { type: 'update_file', path: 'a.txt', diff: '@@\n-old\n+new' },
  },
  {
    type: 'apply_patch_call',
    id: 'apc_6fe',
    status: 'completed',
    call_id: 'call_p2',
    operation: { type: 'delete_file', path: 'b.txt' },
  },
];

/** What models themselves say, in every form of it. */
export const textItems: readonly Wire.ResponseOutputItem[] = [
  {
    type: 'reasoning',
    id: 'rs_6e1',
    summary: [
      { type: 'summary_text', text: 'Looked at the tides.' },
      { type: 'summary_text', text: 'Added them up.' },
    ],
    encrypted_content: 'gAAAAB-sealed',
  },
  {
    type: 'message',
    id: 'msg_6e2',
    role: 'assistant',
    status: 'completed',
    phase: 'final_answer',
    content: [
      {
        type: 'output_text',
        text: 'High tide at 14:05 😀, says the harbour.',
        annotations: [
          {
            type: 'url_citation',
            url: 'https://tides.example/brest',
            title: 'Tides',
            start_index: 0,
            end_index: 18,
          },
          { type: 'file_citation', file_id: 'file-1', filename: 'rules.pdf', index: 24 },
          { type: 'file_path', file_id: 'file-2', index: 30 },
        ],
        logprobs: [],
      },
      { type: 'refusal', refusal: 'More I cannot say.' },
    ],
  },
  {
    type: 'function_call',
    id: 'fc_6e3',
    status: 'completed',
    call_id: 'call_f1',
    name: 'get_tide',
    arguments: '{"port":"Brest"}',
    namespace: 'sea',
  },
  {
    type: 'custom_tool_call',
    id: 'ctc_6e4',
    call_id: 'call_x1',
    name: 'run_sql',
    input: 'select 1',
  },
];
