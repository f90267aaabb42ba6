import type { KindTable } from '../kind-table.ts';
import { customCallOutputKind, functionCallOutputKind } from './call-outputs.ts';
import { customCallKind, functionCallKind } from './calls.ts';
import type { ItemKind } from './item-kind.ts';
import { itemReferenceKind } from './item-reference.ts';
import { messageKind } from './message.ts';
import { reasoningKind } from './reasoning.ts';

/**
 * Every kind of input item (responses.md 3.2 and 3.3). To serve a kind, write its file and move its name
 * from `later` to a row.
 */
export const itemKinds: KindTable<ItemKind> = {
  key: 'type',
  rows: new Map([
    ['message', messageKind],
    ['reasoning', reasoningKind],
    ['function_call', functionCallKind],
    ['function_call_output', functionCallOutputKind],
    ['custom_tool_call', customCallKind],
    ['custom_tool_call_output', customCallOutputKind],
    ['item_reference', itemReferenceKind],
  ]),
  later: new Set([
    'web_search_call',
    'file_search_call',
    'image_generation_call',
    'code_interpreter_call',
    'computer_call',
    'computer_call_output',
    'local_shell_call',
    'local_shell_call_output',
    'shell_call',
    'shell_call_output',
    'apply_patch_call',
    'apply_patch_call_output',
    'mcp_list_tools',
    'mcp_approval_request',
    'mcp_approval_response',
    'mcp_call',
    'compaction',
    'context_compaction',
    'additional_tools',
    'agent_message',
    'configuration_update',
    'service:datetime',
    'service:web_search',
    'service:web_fetch',
    'service:image_generation',
    'service:code_interpreter',
    'service:file_search',
    'service:tool_search',
    'service:browser_use',
    'service:bash',
    'service:shell',
    'service:text_editor',
    'service:apply_patch',
    'service:memory',
    'service:mcp',
    'service:experimental__search_models',
    'service:files',
    'service:fusion',
    'service:advisor',
    'service:subagent',
  ]),
};
