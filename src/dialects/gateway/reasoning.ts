import { efforts } from '../../core/efforts.ts';
import type { ReasoningControl } from '../../core/request.ts';
import { createChecker } from '../../schema/checker.ts';
import type { JsonObject } from '../../util/json.ts';
import { choice, flag, integer, optional, Type } from '../../util/json-schema.ts';
import { withoutNulls } from './without-nulls.ts';

/** `reasoning`: how hard the model should think (docs/spec/requests.md#reasoning). */
export const ReasoningSchema = Type.Object(
  {
    effort: optional(choice(...efforts)),
    max_tokens: optional(integer({ minimum: 1 })),
    enabled: optional(flag()),
    summary: optional(choice('auto', 'concise', 'detailed')),
    context: optional(choice('auto', 'all_turns', 'current_turn')),
    mode: optional(choice('standard', 'pro')),
    exclude: optional(flag()),
  },
  { additionalProperties: false },
);

const checkReasoning = createChecker(ReasoningSchema);

/** What `reasoning` asks for, and how the response repeats it. */
export interface ReadReasoning {
  readonly control?: ReasoningControl;
  readonly echo: JsonObject | null;
}

/** Reads `reasoning`; an object without members asks for nothing. @throws HeadgateError `invalid_request`. */
export function readReasoning(value: unknown): ReadReasoning {
  if (value === undefined || value === null) return { echo: null };
  const { enabled, effort, max_tokens, ...others } = withoutNulls(checkReasoning(value, 'reasoning'));
  const control = { effort: effortOf(enabled, effort, max_tokens), maxTokens: max_tokens, ...others };
  const asked = Object.values(control).some((member) => member !== undefined);
  return { ...(asked ? { control } : {}), echo: withoutNulls({ ...value }) };
}

function effortOf(
  enabled: boolean | undefined,
  effort: ReasoningControl['effort'],
  maxTokens: number | undefined,
): ReasoningControl['effort'] {
  if (enabled === false) return 'none';
  if (enabled === true && effort === undefined && maxTokens === undefined) return 'medium';
  return effort;
}
