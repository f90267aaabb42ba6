import type { JsonObject } from '../../../util/json.ts';

/** A content block of an answer, complete. Ours never have a member that is undefined. */
export type Block = JsonObject & { readonly type: string };

/** Why an answer ended, in the words of this format (docs/spec/messages.md#endings). */
export type StopReason =
  | 'end_turn'
  | 'stop_sequence'
  | 'tool_use'
  | 'max_tokens'
  | 'model_context_window_exceeded'
  | 'refusal'
  | 'pause_turn'
  | 'compaction';

/** Receives the events of blocks; the data of one event each. */
export type Emit = (event: JsonObject & { readonly type: string }) => void;
