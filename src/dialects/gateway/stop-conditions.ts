import type { StopCondition } from '../../core/stop-condition.ts';
import { createChecker } from '../../schema/checker.ts';
import { malformed } from '../../schema/fault.ts';
import { asList, asObject, type KindTable, rowFor } from '../../schema/kind-table.ts';
import { anyOf, choice, integer, list, number, type TSchema, Type, text } from '../../util/json-schema.ts';

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

type Reader = (value: unknown, path: string) => StopCondition;

const checkSteps = createChecker(schemas.step_count_is);
const checkCall = createChecker(schemas.has_tool_call);
const checkTokens = createChecker(schemas.max_tokens_used);
const checkCost = createChecker(schemas.max_cost);
const checkReason = createChecker(schemas.finish_reason_is);

const conditions: KindTable<Reader> = {
  key: 'type',
  rows: new Map<string, Reader>([
    [
      'step_count_is',
      (value, at) => ({ type: 'step_count_is', stepCount: checkSteps(value, at).step_count }),
    ],
    ['has_tool_call', (value, at) => ({ type: 'has_tool_call', toolName: checkCall(value, at).tool_name })],
    [
      'max_tokens_used',
      (value, at) => ({ type: 'max_tokens_used', maxTokens: checkTokens(value, at).max_tokens }),
    ],
    ['max_cost', (value, at) => ({ type: 'max_cost', maxCost: checkCost(value, at).max_cost_in_dollars })],
    [
      'finish_reason_is',
      (value, at) => ({ type: 'finish_reason_is', reason: checkReason(value, at).reason }),
    ],
  ]),
};

/**
 * Reads `stop_server_tools_when`; undefined where it is unset.
 * @throws HeadgateError `invalid_request`.
 */
export function readStopConditions(value: unknown): readonly StopCondition[] | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = asList(value, path);
  if (entries.length === 0) throw malformed(path, 'must not be empty');
  return entries.map((entry, index) => {
    const place = `${path}[${index}]`;
    return rowFor(conditions, asObject(entry, place), place)(entry, place);
  });
}
