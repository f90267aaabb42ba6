/** Hosted tools, independent of the version that a request names (docs/spec/tools.md#kinds). */
export type HostedKind =
  | 'web_search'
  | 'file_search'
  | 'computer'
  | 'code_interpreter'
  | 'mcp'
  | 'image_generation'
  | 'local_shell'
  | 'shell'
  | 'apply_patch';

/** Items that such tools leave in a conversation (docs/spec/items.md#kinds). */
export type HostedItemType =
  | 'web_search_call'
  | 'file_search_call'
  | 'image_generation_call'
  | 'code_interpreter_call'
  | 'computer_call'
  | 'computer_call_output'
  | 'local_shell_call'
  | 'local_shell_call_output'
  | 'shell_call'
  | 'shell_call_output'
  | 'apply_patch_call'
  | 'apply_patch_call_output'
  | 'mcp_list_tools'
  | 'mcp_approval_request'
  | 'mcp_approval_response'
  | 'mcp_call';

/** The tool an item belongs to. */
export const hostedKindOf: Readonly<Record<HostedItemType, HostedKind>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  image_generation_call: 'image_generation',
  code_interpreter_call: 'code_interpreter',
  computer_call: 'computer',
  computer_call_output: 'computer',
  local_shell_call: 'local_shell',
  local_shell_call_output: 'local_shell',
  shell_call: 'shell',
  shell_call_output: 'shell',
  apply_patch_call: 'apply_patch',
  apply_patch_call_output: 'apply_patch',
  mcp_list_tools: 'mcp',
  mcp_approval_request: 'mcp',
  mcp_approval_response: 'mcp',
  mcp_call: 'mcp',
};
