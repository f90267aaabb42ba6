import { offeredTools } from '../core/client-tools.ts';
import type { Effort, Item, Tool } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Applies items that change the request from their place on to all of it (docs/spec/items.md#additional-tools,
 * docs/spec/items.md#configuration-updates).
 */
export function mergeItems(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('item.additional_tools') !== undefined) mergeTools(rewriter);
  if (rewriter.emulationOf('item.configuration_update') !== undefined) mergeUpdates(rewriter);
}

function mergeTools(rewriter: RequestRewriter): void {
  const { items } = rewriter.request;
  const unknown = items.some((item) => item.kind === 'additional_tools' && item.others !== undefined);
  rewriter.change({
    tools: withoutRepeats(offeredTools(rewriter.request)),
    items: items.filter((item) => item.kind !== 'additional_tools'),
  });
  const lost = unknown ? '; tools of unknown kinds are left out' : '';
  rewriter.note(
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

function mergeUpdates(rewriter: RequestRewriter): void {
  let effort: Effort | undefined;
  const items: Item[] = [];
  for (const item of rewriter.request.items) {
    if (item.kind === 'configuration_update') effort = item.effort;
    else items.push(item);
  }
  // The budget was stated before the effort and would override it.
  const { maxTokens: _budget, ...control } = rewriter.request.reasoning ?? {};
  rewriter.change({ items, reasoning: { ...control, effort } });
  rewriter.note('item.configuration_update', 'emulated', 'the last effort holds for the whole request');
}
