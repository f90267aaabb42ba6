import { nearestEffort, reasoningEffort } from '../core/reasoning-effort.ts';
import type { ReasoningControl } from '../core/request.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Leaves out reasoning controls that the endpoint does not support, and maps an effort to one that the model has.
 */
export function adjustReasoning(rewriter: RequestRewriter): void {
  const control = rewriter.request.reasoning;
  if (control === undefined) return;
  const kept = moveEffort(rewriter, budgetAsEffort(rewriter, withoutUnsupported(rewriter, control)));
  if (kept === control) return;
  const empty = Object.values(kept).every((value) => value === undefined);
  rewriter.change({ reasoning: empty ? undefined : kept });
}

function withoutUnsupported(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  let kept = control;
  for (const [member, feature] of members) {
    if (control[member] === undefined) continue;
    const reason = rewriter.dropReasonOf(feature);
    if (reason === undefined) continue;
    kept = { ...kept, [member]: undefined };
    rewriter.note(feature, 'dropped', reason);
  }
  return kept;
}

const members = [
  ['effort', 'reasoning.effort'],
  ['maxTokens', 'reasoning.max_tokens'],
  ['summary', 'reasoning.summary'],
  ['context', 'reasoning.context'],
] as const;

/** A budget that the model does not accept still implies an effort (docs/spec/requests.md#reasoning). */
function budgetAsEffort(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  const requested = rewriter.request.reasoning?.maxTokens;
  const lost = requested !== undefined && control.maxTokens === undefined;
  if (!lost || control.effort !== undefined || !rewriter.reaches('reasoning.effort')) return control;
  const { endpoint } = rewriter.destination;
  const limit = rewriter.request.maxOutputTokens ?? endpoint.maxCompletionTokens;
  const effort = reasoningEffort({ maxTokens: requested }, limit);
  rewriter.noteField('reasoning.max_tokens', 'adapted', `asked for as effort "${effort}"`);
  return { ...control, effort };
}

function moveEffort(rewriter: RequestRewriter, control: ReasoningControl): ReasoningControl {
  if (control.effort === undefined) return control;
  const { mandatory, supportedEfforts } = rewriter.destination.model.reasoning ?? {};
  const isStopped = control.effort === 'none';
  if (isStopped && mandatory !== true && rewriter.destination.support.stopsReasoning === true) return control;
  // A model that always reasons cannot stop, so it gets the lowest effort.
  const wanted = isStopped && mandatory === true ? 'minimal' : control.effort;
  const effort = nearestEffort(wanted, supportedEfforts);
  if (effort === control.effort) return control;
  rewriter.noteField('reasoning.effort', 'adapted', `"${effort}" is the nearest effort the model has`);
  return { ...control, effort };
}
