import { qualifiedName } from '../core/client-tools.ts';
import type { Delta, FinishReason } from '../core/delta.ts';
import { type HostedItemType, hostedKindOf } from '../core/hosted.ts';
import type { CanonicalRequest, ToolChoice } from '../core/request.ts';
import type { Restorer } from './translation.ts';

/**
 * Enforces limits on calls that the provider may not know. Without parallel calls only the first call passes; with
 * `allowed_tools` or no tools only calls of the named tools pass (docs/spec/tools.md#tool-choice,
 * docs/spec/tools.md#parallel-calls). Undefined when the request sets no such limit.
 * @param request The caller's original request, because the filter reads the restored answer.
 */
export function createCallFilter(request: CanonicalRequest): Restorer | undefined {
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
