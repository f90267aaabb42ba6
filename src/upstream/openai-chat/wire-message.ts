import type * as Wire from 'openai/resources/chat/completions';
import type { WirePart, WireText } from './encode-content.ts';

/** A message as it goes out. */
export type WireMessage =
  | { readonly role: 'system' | 'developer'; content: string | WireText[] }
  | { readonly role: 'user'; content: string | WirePart[] }
  | { readonly role: 'tool'; readonly tool_call_id: string; content: string | WireText[] }
  | AssistantMessage;

/** What the model said and called in one turn. */
export interface AssistantMessage {
  readonly role: 'assistant';
  content: string | readonly object[] | null;
  tool_calls?: Wire.ChatCompletionMessageToolCall[];
  /** Reasoning handed back, under whatever name the provider takes it. */
  [reasoningField: string]: unknown;
}
