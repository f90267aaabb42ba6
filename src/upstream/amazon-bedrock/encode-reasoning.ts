import type { Effort } from '../../core/efforts.ts';
import { noRoomForBudget, reasoningBudget, reasoningEffort } from '../../core/reasoning-effort.ts';
import type { ReasoningControl } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { JsonObject } from '../../util/json.ts';
import { supports } from '../call-facts.ts';
import { type ClaudeTraits, claudeTraits } from '../claude-model.ts';
import { claudeReasoningOf } from '../claude-support.ts';
import { familyOf, type ModelFamily } from './model-family.ts';

/** Tokens left for the answer where only the reasoning budget is known. */
const roomForAnswer = 4096;

/** The settings that make a model reason. */
export interface EncodedReasoning {
  /** Members of `additionalModelRequestFields`. */
  readonly fields: JsonObject;
  /** For `outputConfig`. */
  readonly effort?: string;
  /** The output limit, where reasoning requires one. */
  readonly maxTokens?: number;
  readonly thinks: boolean;
}

/** Efforts of families other than Claude; models of other families get no reasoning setting. */
export const effortLevels = {
  'nova-2': ['low', 'medium', 'high', 'none'],
  'gpt-oss': ['low', 'medium', 'high'],
} as const satisfies Partial<Record<ModelFamily, readonly Effort[]>>;

const nothing: EncodedReasoning = { fields: {}, thinks: false };

/**
 * The request's reasoning settings in the form of the model's maker (docs/spec/requests.md#reasoning); models of
 * unknown makers keep their default.
 * @throws HeadgateError `unprocessable` when the output limit leaves no room for a budget.
 */
export function encodeReasoning(call: UpstreamCall): EncodedReasoning {
  const { request, endpoint } = call;
  const control = request.reasoning;
  if (control === undefined || !supports(endpoint, 'reasoning', 'reasoning_effort')) return nothing;
  switch (familyOf(endpoint.upstreamModel)) {
    case 'claude':
      return forClaude(call, control);
    case 'nova-2':
      return forNova(effortFor(call, control, effortLevels['nova-2']), request.maxOutputTokens);
    case 'gpt-oss': {
      const effort = effortFor(call, control, effortLevels['gpt-oss']);
      return effort === undefined ? nothing : { fields: { reasoning_effort: effort }, thinks: false };
    }
    default:
      return nothing;
  }
}

function effortFor(
  { request, endpoint, model }: UpstreamCall,
  control: ReasoningControl,
  known: readonly Effort[],
): Effort | undefined {
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  return reasoningEffort(control, limit, model.reasoning?.supportedEfforts ?? known);
}

function forClaude(call: UpstreamCall, control: ReasoningControl): EncodedReasoning {
  const traits = claudeTraits(call.endpoint.upstreamModel);
  const setting = claudeReasoningOf(call, control);
  if (setting === 'stopped') return unthinking(traits);
  if (setting === 'budget') return withBudget(call, control);
  const effort = effortFor(call, control, traits?.efforts ?? []);
  if (effort === undefined || effort === 'none') return nothing;
  const display = control.exclude === true ? 'omitted' : 'summarized';
  const level = effort === 'minimal' ? 'low' : effort;
  return { fields: { thinking: { type: 'adaptive', display } }, effort: level, thinks: true };
}

/** Models that always think get the lowest setting. */
function unthinking(traits: ClaudeTraits | undefined): EncodedReasoning {
  const type = traits?.unthinking;
  if (type === undefined) return { fields: {}, effort: 'low', thinks: true };
  return { fields: { thinking: { type } }, thinks: type !== 'disabled' };
}

function withBudget({ request, endpoint }: UpstreamCall, control: ReasoningControl): EncodedReasoning {
  const limit = request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const budget = reasoningBudget(control, limit ?? 2 * roomForAnswer);
  if (budget === undefined) return nothing;
  const raised = Math.min(budget + roomForAnswer, endpoint.maxCompletionTokens ?? Infinity);
  const maxTokens = request.maxOutputTokens ?? Math.max(limit ?? 0, raised);
  if (maxTokens <= budget) throw noRoomForBudget(maxTokens, budget);
  return { fields: { thinking: { type: 'enabled', budget_tokens: budget } }, maxTokens, thinks: true };
}

/** Whether a Nova effort forbids the caller's output limit: the highest effort accepts none. */
export function excludesLimit(effort: Effort, limit: number | undefined): boolean {
  return effort === 'high' && limit !== undefined;
}

/** The caller's limit takes priority over the highest effort. */
function forNova(requested: Effort | undefined, limit: number | undefined): EncodedReasoning {
  if (requested === undefined) return nothing;
  const effort = excludesLimit(requested, limit) ? 'medium' : requested;
  if (effort === 'none') return { fields: { reasoningConfig: { type: 'disabled' } }, thinks: false };
  return { fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } }, thinks: true };
}
