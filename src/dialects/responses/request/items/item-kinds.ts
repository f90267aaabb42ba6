import type { KindTable } from '../../../../schema/kind-table.ts';
import { additionalToolsKind } from './additional-tools.ts';
import { agentMessageKind } from './agent-message.ts';
import { customCallOutputKind, functionCallOutputKind } from './call-outputs.ts';
import { customCallKind, functionCallKind } from './calls.ts';
import { compactionKind, contextCompactionKind } from './compaction.ts';
import { configurationUpdateKind } from './configuration-update.ts';
import type { ItemKind } from './item-kind.ts';
import { itemReferenceKind } from './item-reference.ts';
import { mcpItems } from './mcp-items.ts';
import { messageKind } from './message.ts';
import { providerToolItems } from './provider-tool-items.ts';
import { reasoningKind } from './reasoning.ts';
import { serviceItems } from './service-items.ts';
import { shellItems } from './shell-items.ts';

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
