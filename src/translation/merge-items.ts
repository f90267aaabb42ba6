import { offeredTools } from '../core/client-tools.ts';
import type { Effort, Item, Tool } from '../core/request.ts';
import type { Draft } from './draft.ts';

/**
 * Applies items that change the request from their place on to all of it (docs/spec/items.md#additional-tools,
 * docs/spec/items.md#configuration-updates).
 */
export function mergeItems(draft: Draft): void {
  if (draft.emulationOf('item.additional_tools') !== undefined) mergeTools(draft);
  if (draft.emulationOf('item.configuration_update') !== undefined) mergeUpdates(draft);
}

function mergeTools(draft: Draft): void {
  const { items } = draft.request;
  const unknown = items.some((item) => item.kind === 'additional_tools' && item.others !== undefined);
  draft.change({
    tools: withoutRepeats(offeredTools(draft.request)),
    items: items.filter((item) => item.kind !== 'additional_tools'),
  });
  const lost = unknown ? '; tools of unknown kinds are left out' : '';
  draft.note(
    'item.additional_tools',
    'emulated',
    `the tools are offered from the beginning, the last of one name${lost}`,
  );
}

/**
 * Of tools with the same name keeps the last, at the place of the first, so that cached prefixes stay valid.
 */
function withoutRepeats(tools: readonly Tool[]): readonly Tool[] {
  const byName = new Map<string, Tool>();
  for (const tool of tools) {
    const { server_label: server = '' } = tool.kind === 'hosted' ? tool.settings : {};
    byName.set(tool.kind === 'hosted' ? `hosted ${tool.tool} ${server}` : tool.name, tool);
  }
  return [...byName.values()];
}

function mergeUpdates(draft: Draft): void {
  let effort: Effort | undefined;
  const items: Item[] = [];
  for (const item of draft.request.items) {
    if (item.kind === 'configuration_update') effort = item.effort;
    else items.push(item);
  }
  // The budget was stated before the effort and would override it.
  const { maxTokens: _budget, ...control } = draft.request.reasoning ?? {};
  draft.change({ items, reasoning: { ...control, effort } });
  draft.note('item.configuration_update', 'emulated', 'the last effort holds for the whole request');
}
