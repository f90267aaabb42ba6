import type * as Wire from 'openai/resources/responses/responses';
import { wordTable } from '../../util/word-table.ts';
import type { Lenient } from '../lenient.ts';
import type { TextKind } from './output-progress.ts';

/** Every member of the stream's events that is read; which of them an event has depends on its type. */
export type StreamEvent = Lenient<{
  type: Wire.ResponseStreamEvent['type'];
  response: Wire.Response;
  item: Wire.ResponseOutputItem;
  part: Wire.ResponseContentPartDoneEvent['part'];
  item_id: string;
  output_index: number;
  content_index: number;
  summary_index: number;
  delta: string;
  text: string;
  refusal: string;
  arguments: string;
  input: string;
  code: string;
  diff: string;
  partial_image_b64: string;
  partial_image_index: number;
  logprobs: Wire.ResponseTextDeltaEvent['logprobs'];
  annotation: Wire.ResponseOutputText['annotations'][number];
  error: unknown;
}>;

type EventType =
  | Wire.ResponseStreamEvent['type']
  | `response.apply_patch_call_operation_diff.${'delta' | 'done'}`;

interface TextEvent {
  readonly kind: TextKind;
  /** The member that contains the text. */
  readonly member: 'delta' | 'text' | 'refusal' | 'arguments' | 'input' | 'code' | 'diff';
  /** Whether it repeats the complete text instead of adding a piece. */
  readonly whole: boolean;
}

/** The events with text, by type. */
export const textEvents = wordTable<TextEvent>({
  'response.output_text.delta': { kind: 'text', member: 'delta', whole: false },
  'response.output_text.done': { kind: 'text', member: 'text', whole: true },
  'response.refusal.delta': { kind: 'refusal', member: 'delta', whole: false },
  'response.refusal.done': { kind: 'refusal', member: 'refusal', whole: true },
  'response.reasoning_text.delta': { kind: 'thinking', member: 'delta', whole: false },
  'response.reasoning_text.done': { kind: 'thinking', member: 'text', whole: true },
  'response.reasoning_summary_text.delta': { kind: 'summary', member: 'delta', whole: false },
  'response.reasoning_summary_text.done': { kind: 'summary', member: 'text', whole: true },
  'response.function_call_arguments.delta': { kind: 'arguments', member: 'delta', whole: false },
  'response.function_call_arguments.done': { kind: 'arguments', member: 'arguments', whole: true },
  'response.custom_tool_call_input.delta': { kind: 'arguments', member: 'delta', whole: false },
  'response.custom_tool_call_input.done': { kind: 'arguments', member: 'input', whole: true },
  'response.code_interpreter_call_code.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.code_interpreter_call_code.done': { kind: 'fragment', member: 'code', whole: true },
  'response.mcp_call_arguments.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.mcp_call_arguments.done': { kind: 'fragment', member: 'arguments', whole: true },
  // The vendor's types lack these two.
  'response.apply_patch_call_operation_diff.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.apply_patch_call_operation_diff.done': { kind: 'fragment', member: 'diff', whole: true },
} satisfies { readonly [Type in EventType]?: TextEvent });
