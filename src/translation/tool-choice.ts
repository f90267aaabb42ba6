import { qualifiedName } from '../core/client-tools.ts';
import type { Delta, FinishReason } from '../core/delta.ts';
import { type HostedItemType, type HostedKind, hostedKindOf } from '../core/hosted.ts';
import type { CanonicalChat, Item, Tool, ToolChoice } from '../core/request.ts';
import { featureOfChoice } from './features-used.ts';
import type { RequestRewriter } from './request-rewriter.ts';
import type { Restorer } from './translation.ts';

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

/**
 * Enforces limits on calls that the provider may not know. Without parallel calls only the first call passes; with
 * `allowed_tools` or no tools only calls of the named tools pass (docs/spec/tools.md#tool-choice,
 * docs/spec/tools.md#parallel-calls). Undefined when the request sets no such limit.
 * @param request The caller's original request, because the filter reads the restored answer.
 */
export function createCallFilter(request: CanonicalChat): Restorer | undefined {
  const onlyOne = request.parallelToolCalls === false;
  const { toolChoice } = request;
  if (toolChoice.kind !== 'allowed' && toolChoice.kind !== 'none' && !onlyOne) return undefined;

  const allowed = allowedBy(toolChoice);
  const dropped = new Set<number>();
  let passed = 0;

  const passes = (delta: Delta): boolean => {
    if (delta.kind === 'call' || (delta.kind === 'hosted' && answeredByClient.has(delta.type))) {
      const fits = allowed(delta) && !(onlyOne && passed > 0);
      if (fits) passed += 1;
      else dropped.add(delta.block);
      return fits;
    }
    return !('block' in delta) || !dropped.has(delta.block);
  };

  return (delta, emit) => {
    if (!passes(delta)) return;
    emit(delta.kind === 'finish' ? { ...delta, reason: withoutCalls(delta.reason, passed) } : delta);
  };
}

/** Calls of hosted kinds that end the turn, as function calls do; the others have already been run. */
const answeredByClient: ReadonlySet<HostedItemType> = new Set([
  'computer_call',
  'local_shell_call',
  'shell_call',
  'apply_patch_call',
]);

function allowedBy(choice: ToolChoice): (delta: Extract<Delta, { kind: 'call' | 'hosted' }>) => boolean {
  if (choice.kind === 'none') return () => false;
  if (choice.kind !== 'allowed') return () => true;
  const names = new Set(choice.names);
  return (delta) =>
    delta.kind === 'hosted'
      ? isHostedAllowed(delta.type, choice.hosted ?? [])
      : names.has(qualifiedName(delta.name, delta.namespace));
}

/** The two shells share their items. */
function isHostedAllowed(type: HostedItemType, kinds: readonly string[]): boolean {
  const kind = hostedKindOf[type];
  return kinds.includes(kind) || (kind === 'shell' && kinds.includes('local_shell'));
}

function withoutCalls(reason: FinishReason, passed: number): FinishReason {
  return reason === 'tool_calls' && passed === 0 ? 'stop' : reason;
}
