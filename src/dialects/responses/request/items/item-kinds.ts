import type { KindTable } from '../../../../schema/kind-table.ts';
import {
  customCallKind,
  customCallOutputKind,
  functionCallKind,
  functionCallOutputKind,
} from './call-items.ts';
import {
  additionalToolsKind,
  agentMessageKind,
  compactionKind,
  configurationUpdateKind,
  contextCompactionKind,
  itemReferenceKind,
  messageKind,
  reasoningKind,
} from './conversation-items.ts';
import { mcpItems, providerToolItems, shellItems } from './hosted-items.ts';
import type { ItemKind } from './item-kind.ts';
import { serviceItems } from './service-items.ts';

/** Every kind of input item (docs/spec/items.md#kinds, docs/spec/items.md#service-items). */
export const itemKinds: KindTable<ItemKind> = {
  key: 'type',
  rows: new Map([
    ['message', messageKind],
    ['reasoning', reasoningKind],
    ['function_call', functionCallKind],
    ['function_call_output', functionCallOutputKind],
    ['custom_tool_call', customCallKind],
    ['custom_tool_call_output', customCallOutputKind],
    ...Object.entries(providerToolItems),
    ...Object.entries(shellItems),
    ...Object.entries(mcpItems),
    ['compaction', compactionKind],
    ['context_compaction', contextCompactionKind],
    ['item_reference', itemReferenceKind],
    ['additional_tools', additionalToolsKind],
    ['agent_message', agentMessageKind],
    ['configuration_update', configurationUpdateKind],
    ...serviceItems,
  ]),
};
