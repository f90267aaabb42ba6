import type * as Wire from 'openai/resources/responses/responses';
import type { ReasoningFormat } from '../../core/delta.ts';
import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem } from '../../core/request.ts';
import { encodeContent, encodeToolOutput, type WirePart } from './encode-content.ts';

/** How this provider treats reasoning that is handed back. */
export interface ReasoningReplay {
  /** The format whose blobs the provider can read again. */
  readonly format: ReasoningFormat;
  /** Whether it takes raw reasoning text. The dialect's own issuer refuses any; open servers want no other. */
  readonly takesContent: boolean;
}

interface WireMessage {
  readonly type: 'message';
  readonly role: MessageItem['role'];
  readonly content: readonly WirePart[];
  readonly phase?: MessageItem['phase'];
}

/** An input item as it is sent: like the dialect's own types, but without ids. */
export type WireItem =
  | WireMessage
  | Omit<Wire.ResponseReasoningItem, 'id'>
  | Wire.ResponseFunctionToolCall
  | Wire.ResponseCustomToolCall
  | Wire.ResponseInputItem.FunctionCallOutput
  | Wire.ResponseCustomToolCallOutput;

/**
 * The conversation in this dialect, in order. Ids are left out of every item (responses.md 3.1.4): with
 * `store: false` the provider keeps nothing, and an id it does not know is answered with 404, even on a
 * reasoning item that carries its whole content in `encrypted_content`. No item needs one.
 */
export function encodeItems(items: readonly Item[], replay: ReasoningReplay): WireItem[] {
  return items.flatMap((item) => encodeItem(item, replay));
}

function encodeItem(item: Item, replay: ReasoningReplay): WireItem | [] {
  switch (item.kind) {
    case 'message':
      return encodeMessage(item);
    case 'reasoning':
      return encodeReasoning(item, replay);
    case 'call':
      return encodeCall(item);
    case 'call_output':
      return encodeCallOutput(item);
  }
}

function encodeMessage(item: MessageItem): WireMessage | [] {
  if (item.content.length === 0) return [];
  return { type: 'message', role: item.role, content: encodeContent(item), phase: item.phase };
}

function encodeReasoning(item: ReasoningItem, replay: ReasoningReplay): WireItem | [] {
  const readable = item.format === undefined || item.format === replay.format;
  const encrypted = readable ? item.encrypted : undefined;
  // Text that cannot go where it came from is better told in the other place than lost.
  const content = replay.takesContent ? firstFilled(item.content, item.summary) : [];
  const summary = replay.takesContent ? [] : firstFilled(item.summary, item.content);
  if (encrypted === undefined && content.length === 0 && summary.length === 0) return [];
  return {
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    content: content.length > 0 ? content.map((text) => ({ type: 'reasoning_text', text })) : undefined,
    encrypted_content: encrypted,
  };
}

function firstFilled(texts: readonly string[], others: readonly string[]): readonly string[] {
  return texts.length > 0 ? texts : others;
}

function encodeCall(item: CallItem): WireItem {
  const { callId: call_id, name, input, namespace } = item;
  if (item.form === 'custom') return { type: 'custom_tool_call', call_id, name, input, namespace };
  return { type: 'function_call', call_id, name, arguments: input, namespace };
}

function encodeCallOutput(item: CallOutputItem): WireItem {
  const type = item.form === 'custom' ? 'custom_tool_call_output' : 'function_call_output';
  return { type, call_id: item.callId, output: encodeToolOutput(item.output) };
}
