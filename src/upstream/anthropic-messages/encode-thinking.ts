import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import { noRoomForBudget, reasoningBudget, reasoningEffort } from '../../core/reasoning-effort.ts';
import type { Effort, ReasoningControl } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { claudeTraits } from '../claude-model.ts';
import { claudeReasoningOf } from '../claude-support.ts';
import { supports } from '../supported-parameters.ts';

const defaultMaxTokens = 4096;

/** The output limit and the reasoning settings. */
export interface EncodedThinking {
  readonly max_tokens: number;
  readonly thinking?: Wire.ThinkingConfigParam;
  /** For `output_config`. */
  readonly effort?: Wire.OutputConfig['effort'];
}

/**
 * The output limit, which the dialect requires, and the reasoning within it (docs/spec/requests.md#reasoning). Models
 * without budgets (`supportsMaxTokens` false, or known by name) get an effort; models that accept both get what the
 * caller set. A turn that another model began continues without a budget.
 * @throws HeadgateError `unprocessable` when the caller's output limit leaves no room for the reasoning.
 */
export function encodeThinking(call: UpstreamCall): EncodedThinking {
  const { request, endpoint } = call;
  if (request.warmsCache === true) return { max_tokens: 0 };
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens ?? fallbackLimit(call);
  const control = supports(endpoint, 'reasoning', 'reasoning_effort') ? request.reasoning : undefined;
  if (control === undefined) return { max_tokens: limit };
  const setting = claudeReasoningOf(call, control);
  if (setting === 'stopped') return unthinking(call, limit);
  if (setting === 'budget') return withBudget(call, control, limit);
  const effort = reasoningEffort(control, limit, effortsOf(call));
  if (effort === undefined || effort === 'none') return { max_tokens: limit };
  // By default, models with efforts hide their thoughts.
  const display = control.exclude === true ? 'omitted' : 'summarized';
  return { max_tokens: limit, thinking: { type: 'adaptive', display }, effort: encodeEffort(effort) };
}

/** Models that always think get the lowest setting. */
function unthinking({ endpoint }: UpstreamCall, max_tokens: number): EncodedThinking {
  const traits = claudeTraits(endpoint.upstreamModel);
  const type = traits === undefined ? 'disabled' : traits.unthinking;
  return type === undefined ? { max_tokens, effort: 'low' } : { max_tokens, thinking: { type } };
}

function effortsOf({ model, endpoint }: UpstreamCall): readonly Effort[] | undefined {
  return model.reasoning?.supportedEfforts ?? claudeTraits(endpoint.upstreamModel)?.efforts;
}

function withBudget(call: UpstreamCall, control: ReasoningControl, limit: number): EncodedThinking {
  const budget = reasoningBudget(control, limit);
  if (budget === undefined) return { max_tokens: limit };
  const max_tokens = roomFor(budget, limit, call);
  const display = control.exclude === true ? 'omitted' : undefined;
  return { max_tokens, thinking: { type: 'enabled', budget_tokens: budget, display } };
}

/** The output limit, raised above the budget where the caller set none. */
function roomFor(budget: number, limit: number, call: UpstreamCall): number {
  if (budget < limit) return limit;
  const { request, endpoint } = call;
  const raised = Math.min(budget + fallbackLimit(call), endpoint.maxCompletionTokens ?? Infinity);
  if (request.maxOutputTokens === undefined && raised > budget) return raised;
  throw noRoomForBudget(limit, budget);
}

function fallbackLimit({ endpoint }: UpstreamCall): number {
  const stated = endpoint.provider.quirks.defaultMaxTokens;
  return typeof stated === 'number' ? stated : defaultMaxTokens;
}

function encodeEffort(effort: Exclude<Effort, 'none'>): Wire.OutputConfig['effort'] {
  return effort === 'minimal' ? 'low' : effort;
}
