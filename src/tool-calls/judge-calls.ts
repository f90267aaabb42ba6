import { clientTools, offeredTools, qualifiedName } from '../core/client-tools.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { OutputItem } from '../core/response.ts';
import type { JsonObject } from '../util/json.ts';

/** What can be wrong with a call (routing.md 3.9). */
export type CallFault = 'InvalidJson' | 'UnknownName' | 'SchemaMismatch';

/** Arguments that must fit what the caller said of its function. */
export interface SchemaCheck {
  readonly schema: JsonObject;
  readonly value: unknown;
}

/** What a look at an answer's calls says: a fault, or what is left to check. Undefined is an answer without calls. */
export type CallJudgement = { readonly fault: CallFault } | { readonly checks: readonly SchemaCheck[] };

/** Looks at the calls of an answer as far as that costs next to nothing. */
export function judgeCalls(
  request: Pick<CanonicalRequest, 'tools' | 'items'>,
  output: readonly OutputItem[],
): CallJudgement | undefined {
  const calls = output.filter((item) => item.type === 'function_call' || item.type === 'custom_tool_call');
  if (calls.length === 0) return undefined;
  const offered = new Map(
    clientTools(offeredTools(request)).map(({ tool, namespace }) => [
      qualifiedName(tool.name, namespace),
      tool,
    ]),
  );
  const checks: SchemaCheck[] = [];
  for (const call of calls) {
    const tool = offered.get(qualifiedName(call.name, call.namespace));
    if (tool === undefined) return { fault: 'UnknownName' };
    // The input of a custom tool is any text.
    if (call.type === 'custom_tool_call' || tool.kind === 'custom') continue;
    try {
      const value: unknown = JSON.parse(call.arguments);
      if (tool.parameters !== undefined) checks.push({ schema: tool.parameters, value });
    } catch {
      return { fault: 'InvalidJson' };
    }
  }
  return { checks };
}
