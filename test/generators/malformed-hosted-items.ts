import { nested } from './malformed-values.ts';

interface ItemFault {
  readonly path: string;
  readonly item: unknown;
}

function bad(path: string, type: string, members: object): ItemFault {
  return { path, item: { type, ...members } };
}

const call = { call_id: 'c' };
const outcome = { type: 'exit', exit_code: 0 };

/**
 * One bad item each of the kinds that tools have of their own, and of the rarer other kinds (docs/spec/items.md#kinds).
 */
export const hostedItemFaults: readonly ItemFault[] = [
  bad('.status', 'web_search_call', { status: 'generating' }),
  bad('.action.type', 'web_search_call', { action: { type: 'click' } }),
  bad('.action.query', 'web_search_call', { action: { type: 'search' } }),
  bad('.action.sources[0].url', 'web_search_call', {
    action: { type: 'search', query: 'q', sources: [{ type: 'url' }] },
  }),
  bad('.action.pattern', 'web_search_call', { action: { type: 'find_in_page', url: 'x' } }),
  bad('.queries', 'file_search_call', {}),
  bad('.results[0]', 'file_search_call', { queries: [], results: ['x'] }),
  bad('.result', 'image_generation_call', { result: {} }),
  bad('.status', 'image_generation_call', { status: 'searching' }),
  bad('.outputs[0].type', 'code_interpreter_call', { outputs: [{ type: 'video' }] }),
  bad('.outputs[0].logs', 'code_interpreter_call', { outputs: [{ type: 'logs' }] }),
  bad('.code', 'code_interpreter_call', { code: 5 }),
  bad('.call_id', 'computer_call', { pending_safety_checks: [] }),
  bad('.pending_safety_checks', 'computer_call', call),
  bad('.output', 'computer_call_output', call),
  bad('.action.command', 'local_shell_call', { ...call, action: { type: 'exec', env: {} } }),
  bad('.action.env.A', 'local_shell_call', { ...call, action: { type: 'exec', command: [], env: { A: 1 } } }),
  bad('.output', 'local_shell_call_output', {}),
  bad('.action', 'shell_call', call),
  bad('.action.commands', 'shell_call', { ...call, action: {} }),
  bad('.output[0].outcome', 'shell_call_output', { ...call, output: [{ stdout: '', stderr: '' }] }),
  bad('.output[0].outcome.exit_code', 'shell_call_output', {
    ...call,
    output: [{ stdout: '', stderr: '', outcome: { type: 'exit' } }],
  }),
  bad('.output[1].stderr', 'shell_call_output', {
    ...call,
    output: [
      { stdout: '', stderr: '', outcome },
      { stdout: '', outcome },
    ],
  }),
  bad('.operation.type', 'apply_patch_call', { ...call, operation: { type: 'move_file', path: 'a' } }),
  bad('.operation.diff', 'apply_patch_call', { ...call, operation: { type: 'create_file', path: 'a' } }),
  bad('.status', 'apply_patch_call_output', call),
  bad('.status', 'apply_patch_call_output', { ...call, status: 'in_progress' }),
  bad('.tools[0].input_schema', 'mcp_list_tools', { server_label: 's', tools: [{ name: 'n' }] }),
  bad('.id', 'mcp_approval_request', { server_label: 's', name: 'n', arguments: '{}' }),
  bad('.approve', 'mcp_approval_response', { approval_request_id: 'r', approve: 'yes' }),
  bad('.arguments', 'mcp_call', { server_label: 's', name: 'n', arguments: {} }),
  bad('.encrypted_content', 'compaction', { encrypted_content: null }),
  bad('.encrypted_content', 'context_compaction', { encrypted_content: {} }),
  bad('.role', 'additional_tools', { role: 'robot', tools: [] }),
  bad('.tools', 'additional_tools', { role: 'user', tools: null }),
  bad('.tools[0].type', 'additional_tools', { role: 'user', tools: [{ name: 'f' }] }),
  bad('.tools[0].parameters', 'additional_tools', {
    role: 'user',
    tools: [{ type: 'service:datetime', parameters: 3 }],
  }),
  bad('.tools[0].name', 'additional_tools', { role: 'user', tools: [{ type: 'function' }] }),
  bad('.author', 'agent_message', { recipient: 'b', content: [] }),
  bad('.content', 'agent_message', { author: 'a', recipient: 'b', content: 'x' }),
  bad('.content[0].type', 'agent_message', {
    author: 'a',
    recipient: 'b',
    content: [{ type: 'input_file' }],
  }),
  bad('.content[0].encrypted_content', 'agent_message', {
    author: 'a',
    recipient: 'b',
    content: [{ type: 'encrypted_content' }],
  }),
  bad('.reasoning', 'configuration_update', {}),
  bad('.reasoning.effort', 'configuration_update', { reasoning: { effort: null } }),
  bad('.reasoning.summary', 'configuration_update', { reasoning: { effort: 'low', summary: 'auto' } }),
  bad('.datetime', 'service:datetime', { timezone: 'UTC' }),
  bad('.status', 'service:datetime', { datetime: 'x', timezone: 'UTC', status: 'failed' }),
  bad('.action.query', 'service:web_search', { action: { type: 'search' } }),
  bad('.httpStatus', 'service:web_fetch', { httpStatus: '200' }),
  bad('.exitCode', 'service:bash', { exitCode: '0' }),
  bad('.operation.path', 'service:apply_patch', { operation: { type: 'delete_file' } }),
  bad('.responses[0].model', 'service:fusion', { responses: [{ content: 'x' }] }),
  bad('', 'shell_call', { ...call, action: { commands: [] }, environment: nested(800) }),
  { path: '.vendor', item: { role: 'user', content: 'x', vendor: nested(800) } },
  { path: '.status', item: { role: 'assistant', content: 'x', status: 'done' } },
  { path: '.status', item: { type: 'reasoning', summary: [], status: 'failed' } },
];
