import type * as Wire from 'openai/resources/chat/completions';
import type { WirePart, WireText } from './encode-content.ts';

/** A message in its wire form. */
export type WireMessage =
  | { readonly role: 'system' | 'developer'; content: string | WireText[] }
  | { readonly role: 'user'; content: string | WirePart[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; content: string | WireText[] }
  | AssistantMessage;

/** The text and the calls of one model turn. */
export interface AssistantMessage {
  readonly role: 'assistant';
  content: string | readonly object[] | null;
  tool_calls?: Wire.ChatCompletionMessageToolCall[];
  /** Returned reasoning, under the name that the provider accepts. */
  [reasoningField: string]: unknown;
}
