import {
  anyObject,
  byKind,
  byType,
  choice,
  flag,
  integer,
  list,
  map,
  optional,
  Type,
  text,
} from '../../../../util/json-schema.ts';
import { hostedItem } from './hosted-item.ts';
import { statusOf, usualStatuses } from './status.ts';

const callId = text({ minLength: 1 });
const usual = statusOf(...usualStatuses);

const LocalCommandSchema = Type.Object({
  type: choice('exec'),
  command: list(text()),
  env: map(text()),
  timeout_ms: optional(integer()),
  user: optional(text()),
  working_directory: optional(text()),
});

/** `action` of a shell call, wherever it runs. */
export const CommandsSchema = Type.Object({
  commands: list(text()),
  timeout_ms: optional(integer()),
  max_output_length: optional(integer()),
});

/** What one command of a shell call wrote, and how it ended. */
export const CommandOutputSchema = Type.Object({
  stdout: text(),
  stderr: text(),
  outcome: byKind('type', {
    exit: Type.Object({ type: choice('exit'), exit_code: integer() }),
    timeout: Type.Object({ type: choice('timeout') }),
  }),
});

/** `operation` of a patch. */
export const PatchSchema = byKind('type', {
  create_file: Type.Object({ type: choice('create_file'), path: text(), diff: text() }),
  update_file: Type.Object({ type: choice('update_file'), path: text(), diff: text() }),
  delete_file: Type.Object({ type: choice('delete_file'), path: text() }),
});

/** Items of shells and patches; outputs without their call are plain context (docs/spec/items.md#pairing). */
export const shellItems = {
  local_shell_call: hostedItem('local_shell_call', { call_id: callId, action: LocalCommandSchema }, usual),
  local_shell_call_output: hostedItem('local_shell_call_output', { output: text() }, usual),
  shell_call: hostedItem(
    'shell_call',
    {
      call_id: callId,
      action: CommandsSchema,
      arguments: optional(text()),
      environment: Type.Optional(Type.Unknown()),
    },
    usual,
  ),
  shell_call_output: hostedItem(
    'shell_call_output',
    {
      call_id: callId,
      output: list(CommandOutputSchema),
      max_output_length: optional(integer()),
      container_id: optional(text()),
      files: Type.Optional(Type.Unknown()),
      error: Type.Optional(Type.Unknown()),
    },
    usual,
  ),
  apply_patch_call: hostedItem(
    'apply_patch_call',
    { call_id: callId, operation: PatchSchema },
    statusOf('in_progress', 'completed'),
  ),
  apply_patch_call_output: hostedItem(
    'apply_patch_call_output',
    { call_id: callId, output: optional(text()) },
    choice('completed', 'failed'),
  ),
} as const;

// Some providers tell an error as an object; what they sent must be accepted back.
const error = optional(byType(text(), anyObject()));
const call = { server_label: text(), name: text(), arguments: text() };

const ListedToolSchema = Type.Object({
  name: text(),
  input_schema: anyObject(),
  description: optional(text()),
  annotations: Type.Optional(Type.Unknown()),
});

/** Items of MCP servers that a provider talks to (docs/spec/items.md#kinds). */
export const mcpItems = {
  mcp_list_tools: hostedItem('mcp_list_tools', {
    server_label: text(),
    tools: list(ListedToolSchema),
    error,
  }),
  // The response to it names the id, so here one is needed.
  mcp_approval_request: hostedItem('mcp_approval_request', { id: text(), ...call }),
  mcp_approval_response: hostedItem('mcp_approval_response', {
    approval_request_id: text(),
    approve: flag(),
    reason: optional(text()),
  }),
  mcp_call: hostedItem(
    'mcp_call',
    { ...call, output: optional(text()), error, approval_request_id: optional(text()) },
    statusOf(...usualStatuses, 'failed'),
  ),
} as const;

const searchStatus = statusOf('in_progress', 'searching', 'completed', 'failed');
const Source = Type.Object({ type: choice('url'), url: text() });

/** What a web search did: searched, opened a page, or looked for something in one. */
const SearchActionSchema = byKind('type', {
  search: Type.Object({
    type: choice('search'),
    query: text(),
    queries: optional(list(text())),
    sources: optional(list(Source)),
  }),
  open_page: Type.Object({ type: choice('open_page'), url: optional(text()) }),
  find_in_page: Type.Object({ type: choice('find_in_page'), pattern: text(), url: text() }),
});

const InterpreterOutputSchema = byKind('type', {
  logs: Type.Object({ type: choice('logs'), logs: text() }),
  image: Type.Object({ type: choice('image'), url: text() }),
  file: Type.Object({
    type: choice('file'),
    id: optional(text()),
    filename: optional(text()),
    media_type: optional(text()),
    size_bytes: optional(integer()),
    sha256: optional(text()),
    download_url: optional(text()),
    expires_at: optional(text()),
    status: optional(text()),
    error_code: optional(text()),
  }),
});

const SafetyCheckSchema = Type.Object({ id: text(), code: optional(text()), message: optional(text()) });

/** Items of the tools providers run (docs/spec/items.md#kinds). */
export const providerToolItems = {
  web_search_call: hostedItem('web_search_call', { action: optional(SearchActionSchema) }, searchStatus),
  file_search_call: hostedItem(
    'file_search_call',
    { queries: list(text()), results: optional(list(anyObject())) },
    searchStatus,
  ),
  image_generation_call: hostedItem(
    'image_generation_call',
    { result: optional(text()), prompt: optional(text()) },
    statusOf('in_progress', 'generating', 'completed', 'failed'),
  ),
  code_interpreter_call: hostedItem(
    'code_interpreter_call',
    {
      code: optional(text()),
      container_id: optional(text()),
      outputs: optional(list(InterpreterOutputSchema)),
    },
    statusOf(...usualStatuses, 'interpreting', 'failed'),
  ),
  computer_call: hostedItem(
    'computer_call',
    {
      call_id: text({ minLength: 1 }),
      pending_safety_checks: list(SafetyCheckSchema),
      action: optional(anyObject()),
    },
    statusOf(...usualStatuses),
  ),
  // Named by `include` only: its output is passed on as it is (docs/spec/items.md#kinds).
  computer_call_output: hostedItem(
    'computer_call_output',
    { call_id: text({ minLength: 1 }), output: Type.Unknown() },
    statusOf(...usualStatuses),
  ),
} as const;
