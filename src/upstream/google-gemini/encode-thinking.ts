import type { Effort } from '../../core/efforts.ts';
import { noRoomForBudget, reasoningBudget, reasoningEffort } from '../../core/reasoning-effort.ts';
import type { ReasoningControl } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { generationOf, modelTraits } from './model-traits.ts';
import type { ThinkingConfig } from './wire.ts';

/** What decides the thinking settings. */
type ThinkingCall = Pick<UpstreamCall, 'request' | 'model' | 'endpoint'>;

/** The output limit in tokens where neither caller nor endpoint states one, as documented for the family. */
const usualOutputLimit = 65_536;

const levels: Readonly<Record<Effort, NonNullable<ThinkingConfig['thinkingLevel']>>> = {
  none: 'MINIMAL',
  minimal: 'MINIMAL',
  low: 'LOW',
  medium: 'MEDIUM',
  high: 'HIGH',
  xhigh: 'HIGH',
  max: 'HIGH',
};

/**
 * How the model should think (docs/spec/requests.md#reasoning): a budget up to generation 2.5, a level from generation
 * 3. Thoughts are requested as summaries whenever the caller sets reasoning and does not exclude them. Undefined when
 * the caller sets nothing or the model does not think.
 * @throws HeadgateError `unprocessable` for an output limit that leaves no room beside the budget.
 */
export function encodeThinking(call: ThinkingCall): ThinkingConfig | undefined {
  const control = call.request.reasoning;
  const style = modelTraits(call).thinking;
  if (control === undefined || style === undefined) return undefined;
  const off = control.effort === 'none' && control.maxTokens === undefined;
  const includeThoughts = off || control.exclude === true ? undefined : true;
  if (style === 'level') return { thinkingLevel: levelOf(call, control), includeThoughts };
  const thinkingBudget = budgetOf(call, control);
  const limit = call.request.maxOutputTokens;
  // The limit is of thoughts and answer together, so nothing would be left to say.
  if (limit !== undefined && thinkingBudget !== undefined && thinkingBudget >= limit) {
    throw noRoomForBudget(limit, thinkingBudget);
  }
  return { thinkingBudget, includeThoughts };
}

/**
 * Whether the model gets a different effort, or none. For a budget model, an effort is a share of the output limit.
 */
export function movesEffort(call: ThinkingCall): boolean {
  const control = call.request.reasoning;
  const style = modelTraits(call).thinking;
  if (control?.effort === undefined) return false;
  if (style === undefined) return true;
  if (style === 'level') return levelOf(call, control) !== control.effort.toUpperCase();
  return budgetOf(call, control) !== reasoningBudget(control, outputLimit(call));
}

/** Whether the model gets a different budget, or none. */
export function movesBudget(call: ThinkingCall): boolean {
  const control = call.request.reasoning;
  if (control?.maxTokens === undefined) return false;
  return modelTraits(call).thinking !== 'budget' || budgetOf(call, control) !== control.maxTokens;
}

function levelOf(call: ThinkingCall, control: ReasoningControl): ThinkingConfig['thinkingLevel'] {
  const { model, endpoint } = call;
  const supported = model.reasoning?.supportedEfforts ?? documentedEfforts(endpoint.upstreamModel);
  const effort = reasoningEffort(control, outputLimit(call), supported);
  return effort === undefined ? undefined : levels[effort];
}

/**
 * Generation 3 always thinks. Its larger models, and all but the smallest since 3.7, have no minimal level either.
 */
function documentedEfforts(upstreamModel: string): readonly Effort[] {
  const generation = generationOf(upstreamModel) ?? 3;
  const isLatest = upstreamModel.includes('latest');
  if (upstreamModel.includes('pro')) return generation === 3 && !isLatest ? ['low', 'high'] : larger;
  if (upstreamModel.includes('flash-image')) return ['minimal', 'high'];
  const hasMinimal = upstreamModel.includes('lite') || (generation < 3.7 && !isLatest);
  return hasMinimal ? ['minimal', ...larger] : larger;
}

const larger = ['low', 'medium', 'high'] as const;

function budgetOf(call: ThinkingCall, control: ReasoningControl): number | undefined {
  const wanted = reasoningBudget(control, outputLimit(call));
  if (wanted === undefined) return undefined;
  const { lowest, highest, off } = budgetRange(call.endpoint.upstreamModel);
  if (wanted === 0 && off) return 0;
  return Math.min(Math.max(wanted, lowest), highest);
}

/** The range of budgets that models of generation 2.5 accept, as documented. */
function budgetRange(upstreamModel: string): { lowest: number; highest: number; off: boolean } {
  if (upstreamModel.includes('pro')) return { lowest: 128, highest: 32_768, off: false };
  return { lowest: upstreamModel.includes('lite') ? 512 : 1, highest: 24_576, off: true };
}

function outputLimit({ request, endpoint }: ThinkingCall): number {
  return request.maxOutputTokens ?? endpoint.maxCompletionTokens ?? usualOutputLimit;
}
