import { qualifiedName } from '../core/client-tools.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { Item, Tool, ToolChoice } from '../core/request.ts';
import { featureOfChoice } from './features-used.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Adapts the tool choice to what the endpoint supports (docs/spec/tools.md#tool-choice,
 * docs/spec/tools.md#parallel-calls). The call filter removes calls that it does not allow from the answer in any case.
 */
export function rewriteToolChoice(rewriter: RequestRewriter): void {
  if (rewriter.request.toolChoice.kind === 'none') forbid(rewriter);
  if (rewriter.request.toolChoice.kind === 'allowed') narrow(rewriter, rewriter.request.toolChoice);
  const feature = featureOfChoice(rewriter.request.toolChoice);
  if (feature !== undefined && !rewriter.reaches(feature)) {
    rewriter.change({ toolChoice: { kind: 'auto' } });
    rewriter.noteField(
      'tool_choice',
      'dropped',
      rewriter.dropReasonOf(feature) ?? 'the model is free to choose',
    );
  }
  if (rewriter.emulationOf('parallel_tool_calls') === undefined) return;
  rewriter.change({ parallelToolCalls: undefined });
  rewriter.note('parallel_tool_calls', 'emulated', 'calls after the first are taken out of the answer');
}

/** If the dialect cannot forbid calls, the tools are left out; but calls in the history need their tools. */
function forbid(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('tool_choice.none') === undefined) return;
  const hides = !rewriter.request.items.some(isCall);
  rewriter.change({ toolChoice: { kind: 'auto' }, parallelToolCalls: undefined });
  if (hides) rewriter.change({ tools: [] });
  const how = hides ? 'no tools are offered' : 'calls are taken out of the answer';
  rewriter.note('tool_choice.none', 'emulated', how);
}

function isCall(item: Item): boolean {
  return item.kind === 'call' || item.kind === 'hosted';
}

type AllowedChoice = Extract<ToolChoice, { kind: 'allowed' }>;

function narrow(rewriter: RequestRewriter, choice: AllowedChoice): void {
  if (rewriter.emulationOf('tool_choice.allowed') === undefined) return;
  if (choice.mode === 'auto') {
    rewriter.change({ toolChoice: { kind: 'auto' } });
    rewriter.note('tool_choice.allowed', 'emulated', 'calls of other tools are taken out of the answer');
    return;
  }
  // A forced call to another tool would be filtered out and leave nothing, so the other tools are left out.
  const names = new Set(choice.names);
  rewriter.mapTools((tool) => allowedOf(tool, names, choice.hosted ?? []));
  rewriter.change({ toolChoice: { kind: 'required' } });
  rewriter.note('tool_choice.allowed', 'emulated', 'only the allowed tools are offered');
}

function allowedOf(
  tool: Tool,
  names: ReadonlySet<string>,
  hosted: readonly HostedKind[],
): Tool | readonly Tool[] {
  if (tool.kind === 'hosted') return hosted.includes(tool.tool) ? tool : [];
  if (tool.kind !== 'namespace') return names.has(tool.name) ? tool : [];
  const members = tool.tools.filter(({ name }) => names.has(qualifiedName(name, tool.name)));
  return members.length > 0 ? { ...tool, tools: members } : [];
}
