import fc from 'fast-check';
import { id, type JsonItem, kind, object, said, several, usualStatus, words } from './valid-values.ts';

const searchStatus = fc.constantFrom('in_progress', 'searching', 'completed', 'failed');
const source = kind('url', { url: fc.webUrl() });

const searchAction = fc.oneof(
  kind('search', { query: said }, { queries: several(said), sources: several(source) }),
  kind('open_page', {}, { url: fc.webUrl() }),
  kind('find_in_page', { pattern: said, url: fc.webUrl() }),
);
const interpreterOutput = fc.oneof(
  kind('logs', { logs: said }),
  kind('image', { url: fc.webUrl() }),
  kind(
    'file',
    {},
    { id, filename: words, media_type: words, size_bytes: fc.nat(), sha256: words, error_code: words },
  ),
);
const command = object({ commands: several(said) }, { timeout_ms: fc.nat(), max_output_length: fc.nat() });
const commandOutput = object({
  stdout: said,
  stderr: said,
  outcome: fc.oneof(kind('exit', { exit_code: fc.nat(255) }), kind('timeout')),
});
const patch = fc.oneof(
  ...['create_file', 'update_file'].map((type) => kind(type, { path: words, diff: said })),
  kind('delete_file', { path: words }),
);
const mcpCall = { server_label: words, name: words, arguments: fc.json() };
const listed = object({ name: words, input_schema: fc.constant({ type: 'object' }) }, { description: said });
const status = usualStatus;

/** Items of hosted tools that a model makes: they may stand in an answer and come back unchanged. */
export const hostedCalls: readonly fc.Arbitrary<JsonItem>[] = [
  kind('web_search_call', { id, status: searchStatus, action: searchAction }),
  kind(
    'file_search_call',
    { id, status: searchStatus, queries: several(said) },
    { results: several(object({ file_id: id }, { text: said, score: fc.double({ noNaN: true }) })) },
  ),
  kind(
    'image_generation_call',
    { id, status: fc.constantFrom('in_progress', 'generating', 'completed', 'failed') },
    { result: fc.base64String(), prompt: said },
  ),
  kind(
    'code_interpreter_call',
    { id, status: fc.constantFrom('in_progress', 'completed', 'incomplete', 'interpreting', 'failed') },
    { code: said, container_id: id, outputs: several(interpreterOutput) },
  ),
  kind(
    'computer_call',
    {
      id,
      status,
      call_id: id,
      pending_safety_checks: several(object({ id }, { code: words, message: said })),
    },
    { action: kind('click', { x: fc.nat(), y: fc.nat() }) },
  ),
  kind('local_shell_call', {
    id,
    status,
    call_id: id,
    action: kind(
      'exec',
      { command: several(said), env: fc.dictionary(words, words, { noNullPrototype: true }) },
      { timeout_ms: fc.nat(), user: words, working_directory: words },
    ),
  }),
  kind(
    'shell_call',
    { id, status, call_id: id, action: command },
    { arguments: fc.json(), environment: kind('local') },
  ),
  kind('apply_patch_call', {
    id,
    status: fc.constantFrom('in_progress', 'completed'),
    call_id: id,
    operation: patch,
  }),
  kind('mcp_list_tools', { id, server_label: words, tools: several(listed) }, { error: said }),
  kind('mcp_approval_request', { id, ...mcpCall }),
  kind(
    'mcp_call',
    { id, ...mcpCall },
    {
      output: said,
      error: said,
      status: fc.constantFrom('in_progress', 'completed', 'incomplete', 'failed'),
    },
  ),
];

/** Items of hosted tools that answer them; orphans are plain context. */
export const hostedOutputs: readonly fc.Arbitrary<JsonItem>[] = [
  kind(
    'computer_call_output',
    { call_id: id, output: kind('computer_screenshot', { image_url: fc.webUrl() }) },
    { id, status },
  ),
  kind('local_shell_call_output', { output: said }, { id, status }),
  kind(
    'shell_call_output',
    { call_id: id, output: several(commandOutput) },
    { id, status, max_output_length: fc.nat(), container_id: id, error: said },
  ),
  kind(
    'apply_patch_call_output',
    { call_id: id, status: fc.constantFrom('completed', 'failed') },
    { id, output: said },
  ),
  kind('mcp_approval_response', { approval_request_id: id, approve: fc.boolean() }, { id, reason: said }),
];

const failable = fc.constantFrom('in_progress', 'completed', 'incomplete', 'failed');
const base = { id, status: usualStatus };

/** Items of the service's own tools, every kind of docs/spec/items.md#service-items. */
export const serviceItems: readonly fc.Arbitrary<JsonItem>[] = [
  kind('service:datetime', {
    ...base,
    datetime: fc.constant('2026-11-21T12:00:00Z'),
    timezone: fc.constant('Europe/Paris'),
  }),
  kind('service:web_search', base, { action: kind('search', { query: said }, { sources: several(source) }) }),
  kind('service:web_fetch', base, {
    url: fc.webUrl(),
    title: said,
    content: said,
    httpStatus: fc.nat(599),
    error: said,
  }),
  kind('service:image_generation', base, {
    prompt: said,
    revisedPrompt: said,
    imageB64: fc.base64String(),
    imageUrl: fc.webUrl(),
    result: words,
  }),
  kind('service:code_interpreter', base, {
    code: said,
    language: words,
    stdout: said,
    stderr: said,
    exitCode: fc.nat(255),
  }),
  kind('service:file_search', base, { queries: several(said) }),
  kind('service:tool_search', base, { query: said }),
  kind('service:browser_use', base, { action: said, screenshotB64: fc.base64String() }),
  kind('service:bash', base, {
    command: said,
    stdout: said,
    stderr: said,
    exitCode: fc.nat(255),
    call_id: id,
    arguments: fc.json(),
  }),
  kind('service:shell', base, {
    action: command,
    output: several(commandOutput),
    call_id: id,
    arguments: fc.json(),
    container_id: id,
    error: said,
  }),
  kind('service:text_editor', base, {
    command: fc.constantFrom('view', 'create', 'str_replace', 'insert'),
    filePath: words,
  }),
  kind('service:apply_patch', base, { call_id: id, operation: patch }),
  kind('service:memory', base, {
    action: fc.constantFrom('read', 'write', 'delete'),
    key: words,
    value: fc.jsonValue(),
  }),
  kind('service:mcp', base, { serverLabel: words, toolName: words }),
  kind('service:experimental__search_models', base, { query: said, arguments: fc.json() }),
  kind('service:files', base, {
    operation: words,
    file_id: id,
    filename: words,
    result: fc.json(),
    error: said,
    call_id: id,
    arguments: fc.json(),
  }),
  kind('service:fusion', base, {
    responses: several(object({ model: words }, { content: said })),
    sources: several(object({ title: said, url: fc.webUrl() })),
    failed_models: several(object({ model: words, error: said }, { status_code: fc.nat(599) })),
    failure_reason: words,
    error: said,
  }),
  kind(
    'service:advisor',
    { ...base, status: failable },
    { prompt: said, advice: said, model: words, instance_name: words, error: said },
  ),
  kind(
    'service:subagent',
    { ...base, status: failable },
    {
      call_id: id,
      task_name: words,
      task_description: said,
      outcome: said,
      model: words,
      name: words,
      instance_name: words,
      error: said,
    },
  ),
];
