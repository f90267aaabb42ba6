import { clientTools, offeredTools, qualifiedName } from '../core/client-tools.ts';
import type { ModelCall } from '../core/model-call.ts';
import type { CanonicalChat } from '../core/request.ts';
import type { JsonObject } from '../util/json.ts';

/** What can be wrong with a call (docs/spec/routing.md#faulty-calls). */
export type CallFault = 'InvalidJson' | 'UnknownName' | 'SchemaMismatch';

/** Arguments that must fit the schema of the caller's function. */
export interface SchemaCheck {
  readonly schema: JsonObject;
  readonly value: unknown;
}

/** The judgement of an answer's calls: a fault, or what is left to check. Undefined is an answer without calls. */
export type CallJudgement = { readonly fault: CallFault } | { readonly checks: readonly SchemaCheck[] };

/** Judges the calls of an answer as far as that costs next to nothing. */
export function judgeCalls(
  request: Pick<CanonicalChat, 'tools' | 'items'>,
  calls: readonly ModelCall[],
): CallJudgement | undefined {
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
    if (call.form === 'custom' || tool.kind === 'custom') continue;
    try {
      const value: unknown = JSON.parse(call.input);
      if (tool.parameters !== undefined) checks.push({ schema: tool.parameters, value });
    } catch {
      return { fault: 'InvalidJson' };
    }
  }
  return { checks };
}
