import type { Delta, FinishReason } from '../core/delta.ts';
import type { CanonicalRequest } from '../core/request.ts';

/**
 * Holds a provider to limits on calls it may not know itself: with parallel calls off only the first call
 * passes, and with `allowed_tools` only calls of the tools named (responses.md 6.1, 6.2). Undefined when the
 * request sets no such limit.
 */
export function createCallFilter(
  request: CanonicalRequest,
): ((deltas: readonly Delta[]) => readonly Delta[]) | undefined {
  const allowed = request.toolChoice.kind === 'allowed' ? new Set(request.toolChoice.names) : undefined;
  const onlyOne = request.parallelToolCalls === false;
  if (allowed === undefined && !onlyOne) return undefined;

  const dropped = new Set<number>();
  let passed = 0;

  const passes = (delta: Delta): boolean => {
    if (delta.kind === 'call') {
      const fits = (allowed === undefined || allowed.has(delta.name)) && !(onlyOne && passed > 0);
      if (fits) passed += 1;
      else dropped.add(delta.block);
      return fits;
    }
    return !('block' in delta) || !dropped.has(delta.block);
  };

  return (deltas) =>
    deltas
      .filter(passes)
      .map((delta) =>
        delta.kind === 'finish' ? { ...delta, reason: withoutCalls(delta.reason, passed) } : delta,
      );
}

function withoutCalls(reason: FinishReason, passed: number): FinishReason {
  return reason === 'tool_calls' && passed === 0 ? 'stop' : reason;
}
