import type { FinishReason } from '../../../core/delta.ts';
import type { StopReason } from './message.ts';

/** Reasons of providers of this format that have no word among the gateway's own. */
const natives: ReadonlySet<string | undefined> = new Set([
  'stop_sequence',
  'pause_turn',
  'compaction',
  'model_context_window_exceeded',
]);

/** Why an answer ended (docs/spec/messages.md#endings). */
export function stopReasonOf({
  finish,
  native,
  refusal,
  calls,
}: {
  readonly finish: FinishReason;
  /** The provider's own reason. */
  readonly native: string | undefined;
  /** What the model said when it refused; empty when it did not. */
  readonly refusal: string;
  /** Whether it called tools of the client. */
  readonly calls: boolean;
}): StopReason {
  if (finish === 'content_filter') return 'refusal';
  if (finish === 'length') return native === 'model_context_window_exceeded' ? native : 'max_tokens';
  // Agents branch on it, whatever the provider said.
  if (calls) return 'tool_use';
  if (refusal !== '') return 'refusal';
  return natives.has(native) ? (native as StopReason) : 'end_turn';
}
