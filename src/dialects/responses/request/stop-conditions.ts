import { createChecker } from '../../../schema/checker.ts';
import { malformed } from '../../../schema/fault.ts';
import { asList, asObject, type KindTable, rowFor } from '../../../schema/kind-table.ts';
import { anyOf, choice, integer, list, number, type TSchema, Type, text } from '../../../util/json-schema.ts';

const path = 'stop_server_tools_when';

const schemas = {
  step_count_is: Type.Object({ type: choice('step_count_is'), step_count: integer({ minimum: 1 }) }),
  has_tool_call: Type.Object({ type: choice('has_tool_call'), tool_name: text({ minLength: 1 }) }),
  max_tokens_used: Type.Object({ type: choice('max_tokens_used'), max_tokens: integer({ minimum: 1 }) }),
  max_cost: Type.Object({ type: choice('max_cost'), max_cost_in_dollars: number({ minimum: 0 }) }),
  finish_reason_is: Type.Object({ type: choice('finish_reason_is'), reason: text({ minLength: 1 }) }),
};

/** The public schema of `stop_server_tools_when` (docs/spec/requests.md#stop-conditions). */
export const StopConditionsSchema: TSchema = list(anyOf(...Object.values(schemas)), { minItems: 1 });

const conditions: KindTable<(value: unknown, path: string) => unknown> = {
  key: 'type',
  rows: new Map(Object.entries(schemas).map(([type, schema]) => [type, createChecker<TSchema>(schema)])),
};

/**
 * Checks `stop_server_tools_when`. Nothing is kept: there is no tool loop yet that could be stopped.
 * @throws HeadgateError `invalid_request`.
 */
export function checkStopConditions(value: unknown): void {
  if (value === undefined || value === null) return;
  const entries = asList(value, path);
  if (entries.length === 0) throw malformed(path, 'must not be empty');
  for (const [index, entry] of entries.entries()) {
    const place = `${path}[${index}]`;
    rowFor(conditions, asObject(entry, place), place)(entry, place);
  }
}
