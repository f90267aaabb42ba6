import type { ReasoningControl } from '../../../core/request.ts';
import { contradictory, malformed } from '../../../schema/fault.ts';
import type { WithoutNulls } from '../../gateway/without-nulls.ts';
import type { MessagesRequest } from './messages-request-schema.ts';

/** How the model should reason, and whether its thoughts are shown. */
export interface ReadReasoning {
  readonly control?: ReasoningControl;
  readonly hidden: boolean;
}

/**
 * Reads `thinking` and `output_config.effort` (docs/spec/messages.md#reasoning). An adaptive model without an effort
 * gets `high`.
 * @param interleaved Whether a beta word lets the budget exceed the output limit.
 * @throws HeadgateError `invalid_request`, or `unprocessable` for a budget that leaves no room for an answer.
 */
export function readReasoning(body: WithoutNulls<MessagesRequest>, interleaved: boolean): ReadReasoning {
  const effort = body.output_config?.effort ?? undefined;
  const { thinking } = body;
  if (thinking === undefined) return { hidden: false, ...(effort && { control: { effort } }) };
  // Who does not want thoughts left out sees them, which some providers show only as a summary that was asked for.
  const shown = thinking.display === 'omitted' ? { exclude: true } : { summary: 'auto' as const };
  switch (thinking.type) {
    case 'disabled':
      return { control: { effort: 'none' }, hidden: true };
    case 'adaptive':
      return { control: { effort: effort ?? 'high', ...shown }, hidden: false };
    case 'enabled':
      return { control: { maxTokens: budgetOf(body, interleaved), effort, ...shown }, hidden: false };
  }
}

function budgetOf({ thinking, max_tokens }: WithoutNulls<MessagesRequest>, interleaved: boolean): number {
  const budget = thinking?.budget_tokens ?? undefined;
  if (budget === undefined) {
    throw malformed('thinking.budget_tokens', 'is required when thinking is enabled, expected an integer');
  }
  if (!interleaved && max_tokens !== undefined && budget >= max_tokens) {
    throw contradictory('thinking.budget_tokens', `must be below max_tokens (${max_tokens}), got ${budget}`);
  }
  return budget;
}
