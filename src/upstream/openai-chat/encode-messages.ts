import type * as Wire from 'openai/resources/chat/completions';
import type {
  CallItem,
  CallOutputItem,
  CanonicalRequest,
  ContentPart,
  MessageItem,
  ReasoningItem,
} from '../../core/request.ts';
import { encodeContent, encodePart, joinText, mediaParts, type WirePart } from './encode-content.ts';
import type { ChatQuirks } from './quirks.ts';

/** A message as it goes out. */
export type WireMessage =
  | Wire.ChatCompletionSystemMessageParam
  | Wire.ChatCompletionDeveloperMessageParam
  | Wire.ChatCompletionToolMessageParam
  | AssistantMessage
  | { readonly role: 'user'; readonly content: string | WirePart[] };

interface AssistantMessage extends Wire.ChatCompletionAssistantMessageParam {
  /** Reasoning handed back, under whatever name the provider takes it. */
  [reasoningField: string]: unknown;
}

/** The conversation in this dialect: what the model said before and called becomes one message each turn. */
export function encodeMessages(request: CanonicalRequest, quirks: ChatQuirks): WireMessage[] {
  const writer = new MessageWriter(quirks);
  if (request.instructions) writer.instruct(request.instructions);
  for (const item of request.items) {
    switch (item.kind) {
      case 'message':
        writer.message(item);
        break;
      case 'reasoning':
        writer.reasoning(item);
        break;
      case 'call':
        writer.call(item);
        break;
      case 'call_output':
        writer.output(item);
        break;
    }
  }
  return writer.finish();
}

class MessageWriter {
  readonly #quirks: ChatQuirks;
  readonly #messages: WireMessage[] = [];
  /** The assistant message that calls may still join. */
  #turn: AssistantMessage | undefined;
  #reasoning: string[] = [];
  /** What tools answered besides text; it has to wait until all their messages stand. */
  #media: WirePart[] = [];

  constructor(quirks: ChatQuirks) {
    this.#quirks = quirks;
  }

  instruct(text: string): void {
    this.#add({ role: this.#quirks.instructionsRole, content: text });
  }

  message(item: MessageItem): void {
    if (item.role === 'assistant') {
      this.#openTurn(joinAssistantText(item.content));
      return;
    }
    if (item.role === 'user') this.#add({ role: 'user', content: encodeContent(item.content) });
    else this.instruct(joinText(item.content));
    this.#reasoning = [];
  }

  reasoning(item: ReasoningItem): void {
    if (this.#quirks.reasoningField === undefined) return;
    this.#turn = undefined;
    this.#reasoning.push(...(item.content.length > 0 ? item.content : item.summary));
  }

  call(item: CallItem): void {
    const turn = this.#turn ?? this.#openTurn(null);
    turn.tool_calls ??= [];
    turn.tool_calls.push(encodeCall(item, this.#quirks.customTools));
  }

  output(item: CallOutputItem): void {
    this.#turn = undefined;
    const text = joinText(item.output);
    const media = mediaParts(item.output);
    const content = text === '' && media.length > 0 ? 'See the following message.' : text;
    this.#messages.push({ role: 'tool', tool_call_id: item.callId, content });
    if (media.length === 0) return;
    this.#media.push({ type: 'text', text: `Output of tool call ${item.callId}:` }, ...media.map(encodePart));
  }

  finish(): WireMessage[] {
    this.#placeMedia();
    return this.#messages;
  }

  #openTurn(content: string | null): AssistantMessage {
    const turn: AssistantMessage = { role: 'assistant', content };
    if (this.#quirks.reasoningField !== undefined && this.#reasoning.length > 0) {
      turn[this.#quirks.reasoningField] = this.#reasoning.join('\n');
    }
    this.#reasoning = [];
    this.#add(turn);
    this.#turn = turn;
    return turn;
  }

  #add(message: WireMessage): void {
    this.#placeMedia();
    this.#turn = undefined;
    this.#messages.push(message);
  }

  #placeMedia(): void {
    if (this.#media.length === 0) return;
    this.#messages.push({ role: 'user', content: this.#media });
    this.#media = [];
  }
}

/** Parts of a model's message run on without a break, as the model wrote them. */
function joinAssistantText(parts: readonly ContentPart[]): string {
  return parts.map((part) => ('text' in part ? part.text : '')).join('');
}

function encodeCall(item: CallItem, customTools: boolean): Wire.ChatCompletionMessageToolCall {
  const { callId: id, name, input } = item;
  if (item.form === 'function') return { id, type: 'function', function: { name, arguments: input || '{}' } };
  if (customTools) return { id, type: 'custom', custom: { name, input } };
  return { id, type: 'function', function: { name, arguments: JSON.stringify({ input }) } };
}
