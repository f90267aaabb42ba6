import type { JsonObject } from '../../../util/json.ts';

/** The status of a hosted tool that can fail. */
export type HostedStatus = 'in_progress' | 'completed' | 'incomplete' | 'failed';

/** All members that the provider adds to a hosted item are kept, so that it can be returned complete. */
interface HostedBase {
  id: string;
  [member: string]: unknown;
}

/** A web search. `action` contains the query, the opened page or the pattern. */
export interface OutputWebSearchCall extends HostedBase {
  type: 'web_search_call';
  status: HostedStatus;
  action?: JsonObject;
}

/** A search of the provider's vector stores; `results` only when `include` asks for them. */
export interface OutputFileSearchCall extends HostedBase {
  type: 'file_search_call';
  status: HostedStatus;
  queries: readonly unknown[];
  results?: readonly unknown[];
}

/** A picture that the model made: base64, null until it is done, empty when it failed. */
export interface OutputImageGenerationCall extends HostedBase {
  type: 'image_generation_call';
  status: HostedStatus;
  result: string | null;
}

/**
 * Code that the provider ran; all three members are always present, `outputs` is filled only when `include` asks.
 */
export interface OutputCodeInterpreterCall extends HostedBase {
  type: 'code_interpreter_call';
  status: HostedStatus;
  code: string | null;
  container_id: string;
  outputs: readonly unknown[] | null;
}

/** An action for the client to carry out on a screen. */
export interface OutputComputerCall extends HostedBase {
  type: 'computer_call';
  status: HostedStatus;
  call_id: string;
  pending_safety_checks: readonly unknown[];
  action?: unknown;
}

/**
 * Commands for a shell; both numbers are always present. `arguments` is the call in the provider's own form.
 */
export interface OutputShellCall extends HostedBase {
  type: 'shell_call';
  status: HostedStatus;
  call_id: string;
  action: {
    commands: readonly string[];
    timeout_ms: number | null;
    max_output_length: number | null;
    [member: string]: unknown;
  };
  arguments?: string;
}

/** The output of a provider's shell. */
export interface OutputShellCallOutput extends HostedBase {
  type: 'shell_call_output';
  status: HostedStatus;
  call_id: string;
  output: readonly unknown[];
}

/** A file change for the client to make. */
export interface OutputApplyPatchCall extends HostedBase {
  type: 'apply_patch_call';
  status: 'in_progress' | 'completed';
  call_id: string;
  operation: JsonObject;
}

/** The tools of an MCP server, as the provider found them. */
export interface OutputMcpListTools extends HostedBase {
  type: 'mcp_list_tools';
  server_label: string;
  tools: readonly unknown[];
}

/** A call of an MCP server that waits for the client's approval. */
export interface OutputMcpApprovalRequest extends HostedBase {
  type: 'mcp_approval_request';
  server_label: string;
  name: string;
  arguments: string;
}

/** A call of an MCP server that the provider made. */
export interface OutputMcpCall extends HostedBase {
  type: 'mcp_call';
  status: HostedStatus;
  server_label: string;
  name: string;
  arguments: string;
}

/** Hosted items of `output` (docs/spec/items.md#kinds). */
export type OutputHostedItem =
  | OutputWebSearchCall
  | OutputFileSearchCall
  | OutputImageGenerationCall
  | OutputCodeInterpreterCall
  | OutputComputerCall
  | OutputShellCall
  | OutputShellCallOutput
  | OutputApplyPatchCall
  | OutputMcpListTools
  | OutputMcpApprovalRequest
  | OutputMcpCall;

/** The item that an event is about. */
export type ItemPlace = { item_id: string; output_index: number };

/**
 * Events that report the progress of a hosted item (docs/spec/answers.md#event-types,
 * docs/spec/answers.md#events-of-items).
 */
export type HostedProgressType =
  | `response.${'web_search_call' | 'file_search_call'}.${'in_progress' | 'searching' | 'completed'}`
  | `response.image_generation_call.${'in_progress' | 'generating' | 'completed'}`
  | `response.code_interpreter_call.${'in_progress' | 'interpreting' | 'completed'}`
  | `response.${'mcp_list_tools' | 'mcp_call'}.${'in_progress' | 'completed' | 'failed'}`;

/** Events with pieces of a hosted item's text. */
export type HostedTextStem =
  | 'response.code_interpreter_call_code'
  | 'response.apply_patch_call_operation_diff'
  | 'response.mcp_call_arguments';

/** The events between a hosted item's `added` and its `done`. */
export type HostedEventBody =
  | ({ type: HostedProgressType } & ItemPlace)
  | ({ type: `${HostedTextStem}.delta`; delta: string } & ItemPlace)
  | ({ type: 'response.code_interpreter_call_code.done'; code: string } & ItemPlace)
  | ({ type: 'response.apply_patch_call_operation_diff.done'; diff: string } & ItemPlace)
  | ({ type: 'response.mcp_call_arguments.done'; arguments: string } & ItemPlace)
  | ({
      type: 'response.image_generation_call.partial_image';
      partial_image_b64: string;
      partial_image_index: number;
    } & ItemPlace);
