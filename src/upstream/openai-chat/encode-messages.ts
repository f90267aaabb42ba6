import type * as Wire from 'openai/resources/chat/completions';
import type {
  CallItem,
  CallOutputItem,
  CanonicalChat,
  ContentPart,
  Item,
  MessageItem,
  ReasoningItem,
} from '../../core/request.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { pushAll } from '../../util/push-all.ts';
import { parseArguments } from '../call-arguments.ts';
import { fitCallId } from '../fit-call-id.ts';
import { anyIds, pairToolCalls } from '../pair-tool-calls.ts';
import { alternateTurns } from './alternate-turns.ts';
import { callSignatureFormat, signedCall } from './call-signatures.ts';
import {
  type CacheMark,
  encodeContent,
  encodePart,
  encodeTexts,
  joinText,
  mediaParts,
  shortCallId,
  type WirePart,
  type WireText,
} from './encode-content.ts';
import { reasoningDetails, reasoningText } from './encode-reasoning.ts';
import type { ChatProfile } from './quirks.ts';
import type { AssistantMessage, WireMessage } from './wire-message.ts';

/** Longest id of a call that the dialect's own maker accepts. */
const longestCallId = 40;

/** The conversation in this dialect: each turn's text and calls become one assistant message. */
export function encodeMessages(request: CanonicalChat, profile: ChatProfile): WireMessage[] {
  const writer = new MessageWriter(profile);
  if (request.instructions) writer.instruct([{ kind: 'text', text: request.instructions }]);
  // Where two ids became equal by being shortened, they are told apart afterwards.
  const items = request.items.map((item) => withFittingId(item, profile));
  for (const item of outputsFirst(pairToolCalls(items, anyIds))) {
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
  const messages = writer.finish();
  if (profile.cacheControl) markLast(messages, request.cacheControl !== undefined);
  const placed = profile.system_messages === 'any' ? messages : placeInstructions(messages, profile);
  const turns = profile.alternatingTurns ? alternateTurns(placed) : placed;
  const spoken = profile.speaksAfterTools ? speakAfterTools(turns) : turns;
  if (profile.marksPrefix) markPrefix(spoken);
  return spoken;
}

class MessageWriter {
  readonly #profile: ChatProfile;
  readonly #messages: WireMessage[] = [];
  /** The assistant message that further calls may still join. */
  #turn: AssistantMessage | undefined;
  /** Reasoning that waits for the message it led to. */
  #pending: ReasoningItem[] = [];
  /** Reasoning of the open turn. */
  #attached: ReasoningItem[] = [];
  /** Of the call that follows the reasoning. */
  #signature: string | undefined;
  /** Media in tool outputs, which must wait until all tool messages are written. */
  #media: WirePart[] = [];

  constructor(profile: ChatProfile) {
    this.#profile = profile;
  }

  instruct(content: readonly ContentPart[]): void {
    this.#add({ role: this.#profile.instructionsRole, content: encodeTexts(content, this.#marks) });
  }

  message(item: MessageItem): void {
    this.#signature = undefined;
    if (item.role === 'assistant') {
      this.#addText(item.content);
      return;
    }
    if (item.role === 'user') this.#add({ role: 'user', content: encodeContent(item.content, this.#marks) });
    else this.instruct(item.content);
    this.#pending = [];
  }

  reasoning(item: ReasoningItem): void {
    // Translation has removed them where they are not taken (see `chatSupport`).
    if (item.format === callSignatureFormat) this.#signature = item.signature;
    if (this.#profile.reasoningReplay === undefined) return;
    // A turn whose calls wait for their outputs must stay one message, so its later thoughts join it.
    if (this.#turn?.tool_calls !== undefined) this.#attach(this.#turn, [item]);
    else {
      this.#leaveTurn();
      this.#pending.push(item);
    }
  }

  call(item: CallItem): void {
    const turn = this.#turn ?? this.#openTurn(null);
    turn.tool_calls ??= [];
    const call = encodeCall(item, fitId(item.callId, this.#profile));
    turn.tool_calls.push(this.#signature === undefined ? call : { ...call, ...signedCall(this.#signature) });
    this.#signature = undefined;
  }

  output(item: CallOutputItem): void {
    const id = fitId(item.callId, this.#profile);
    const media = mediaParts(item.output);
    this.#leaveTurn();
    const text = encodeTexts(item.output, this.#marks);
    const content = text === '' && media.length > 0 ? 'See the following message.' : text;
    this.#messages.push({ role: 'tool', tool_call_id: id, content });
    if (media.length === 0) return;
    const parts = media.map((part) => encodePart(part, this.#marks));
    this.#media.push({ type: 'text', text: `Output of tool call ${id}:` });
    pushAll(this.#media, parts);
  }

  finish(): WireMessage[] {
    this.#leaveTurn();
    this.#showMedia();
    return this.#messages;
  }

  get #marks(): boolean {
    return this.#profile.cacheControl === true;
  }

  #addText(content: readonly ContentPart[]): void {
    // Many providers refuse an empty message.
    if (joinText(content, '') === '') return;
    const turn = this.#turn;
    if (turn?.tool_calls === undefined) {
      this.#openTurn(encodeTexts(content, this.#marks, ''));
      return;
    }
    // Text between calls and their outputs would separate them, so it joins the message of the calls.
    const text = joinText(content, '');
    turn.content = Array.isArray(turn.content)
      ? [...turn.content, { type: 'text', text }]
      : `${turn.content ?? ''}${text}`;
  }

  #openTurn(content: string | WireText[] | null): AssistantMessage {
    const turn: AssistantMessage = { role: 'assistant', content };
    this.#add(turn);
    this.#turn = turn;
    if (this.#pending.length > 0) this.#attach(turn, this.#pending);
    this.#pending = [];
    return turn;
  }

  #attach(turn: AssistantMessage, items: readonly ReasoningItem[]): void {
    pushAll(this.#attached, items);
    switch (this.#profile.reasoningReplay) {
      case 'thinking_parts':
        turn.content = withThinkingPart(reasoningText(items), turn.content);
        break;
      case 'think_tags':
        turn.content = `<think>\n${reasoningText(items)}\n</think>\n\n${plainText(turn.content)}`;
        break;
    }
  }

  /** Closes the open turn. Its reasoning is now complete. */
  #leaveTurn(): void {
    const turn = this.#turn;
    const attached = this.#attached;
    this.#turn = undefined;
    this.#attached = [];
    const { reasoningReplay, reasoningRequired } = this.#profile;
    if (turn === undefined || (attached.length === 0 && reasoningRequired !== true)) return;
    if (reasoningReplay === 'reasoning_details')
      turn.reasoning_details = reasoningDetails(attached, this.#profile);
    else if (reasoningReplay === 'reasoning' || reasoningReplay === 'reasoning_content') {
      const text = reasoningText(attached) || (reasoningRequired === true ? ' ' : '');
      if (text !== '') turn[reasoningReplay] = text;
    }
  }

  #add(message: WireMessage): void {
    this.#leaveTurn();
    this.#showMedia();
    this.#messages.push(message);
  }

  #showMedia(): void {
    if (this.#media.length === 0) return;
    this.#messages.push({ role: 'user', content: this.#media });
    this.#media = [];
  }
}

/** Moves outputs directly after their calls, before other items of that side. */
function outputsFirst(items: readonly Item[]): readonly Item[] {
  const ordered: Item[] = [];
  let heard: Item[] = [];
  for (const item of items) {
    if (item.kind === 'message' && item.role !== 'assistant') heard.push(item);
    else if (item.kind === 'call_output') ordered.push(item);
    else {
      pushAll(ordered, heard);
      ordered.push(item);
      heard = [];
    }
  }
  return [...ordered, ...heard];
}

function withFittingId(item: Item, profile: ChatProfile): Item {
  if (item.kind !== 'call' && item.kind !== 'call_output') return item;
  return { ...item, callId: fitId(item.callId, profile) };
}

function fitId(id: string, profile: ChatProfile): string {
  return profile.shortCallIds ? shortCallId(id) : fitCallId(id, longestCallId);
}

function withThinkingPart(text: string, content: AssistantMessage['content']): object[] {
  const thinking = { type: 'thinking', thinking: [{ type: 'text', text }] };
  if (content === null || content === '') return [thinking];
  return [thinking, ...(typeof content === 'string' ? [{ type: 'text', text: content }] : content)];
}

function encodeCall(item: CallItem, id: string): Wire.ChatCompletionMessageToolCall {
  const { name, input } = item;
  if (item.form === 'custom') return { id, type: 'custom', custom: { name, input } };
  return { id, type: 'function', function: { name, arguments: objectText(input) } };
}

/** The arguments as they came, where they are an object: providers parse them, and refuse a conversation with others. */
function objectText(input: string): string {
  if (input.trim() === '') return '{}';
  return isObject(parseJson(input)) ? input : JSON.stringify(parseArguments(input));
}

/**
 * Leaves system messages only where the provider accepts them. Later ones become text of the user in their place: at the head
 * they would refer to something else, and a cached prefix would end before them.
 */
function placeInstructions(
  messages: readonly WireMessage[],
  { instructionsRole, system_messages: accepted }: ChatProfile,
): WireMessage[] {
  const isInstruction = ({ role }: WireMessage) => role === 'system' || role === 'developer';
  const found = messages.findIndex((message) => !isInstruction(message));
  const begin = found === -1 ? messages.length : found;
  const [leading, others] = [messages.slice(0, begin), messages.slice(begin)];
  const text = leading.map(({ content }) => plainText(content)).join('\n\n');
  const joined: readonly WireMessage[] =
    accepted === 'first' && leading.length > 1 ? [{ role: instructionsRole, content: text }] : leading;
  return [
    ...joined,
    ...others.map((message): WireMessage => (isInstruction(message) ? asUserText(message) : message)),
  ];
}

function asUserText({ content }: WireMessage): WireMessage {
  if (!Array.isArray(content)) return { role: 'user', content: `<system>\n${content}\n</system>` };
  const mark = (text: string): WireText => ({ type: 'text', text });
  return { role: 'user', content: [mark('<system>'), ...(content as WireText[]), mark('</system>')] };
}

/** Has the model say a word between outputs of tools and the user, as some providers demand. */
function speakAfterTools(messages: readonly WireMessage[]): WireMessage[] {
  return messages.flatMap((message, at): WireMessage[] => {
    const follows = message.role === 'user' && messages[at - 1]?.role === 'tool';
    return follows ? [{ role: 'assistant', content: '(no answer)' }, message] : [message];
  });
}

function markPrefix(messages: readonly WireMessage[]): void {
  const last = messages.at(-1);
  if (last?.role === 'assistant' && last.tool_calls === undefined) last.prefix = true;
}

function plainText(content: WireMessage['content']): string {
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return content.map((part) => ('text' in part ? String(part.text) : '')).join('\n');
}

/** Limit of explicit cache marks in a request; of more, the last count. */
const maxMarks = 4;

interface Markable {
  content: unknown;
}

type MarkedPart = { readonly type?: unknown } & CacheMark;

/**
 * Puts the request's own breakpoint on the last part that can carry one, and removes the oldest marks until providers
 * accept their number (docs/spec/routing.md#cache-directives).
 */
function markLast(messages: readonly Markable[], wanted: boolean): void {
  if (wanted) addMark(messages);
  const marked = messages.flatMap(({ content }) => partsOf(content)).filter((part) => part.cache_control);
  for (const part of marked.slice(0, -maxMarks)) delete part.cache_control;
}

function addMark(messages: readonly Markable[]): void {
  const last = messages.findLast(({ content }) => isMarkable(content));
  if (last === undefined) return;
  if (typeof last.content === 'string') last.content = [{ type: 'text', text: last.content }];
  const part = partsOf(last.content).at(-1);
  if (part) part.cache_control = { type: 'ephemeral' };
}

function isMarkable(content: unknown): boolean {
  return (typeof content === 'string' && content !== '') || partsOf(content).length > 0;
}

function partsOf(content: unknown): MarkedPart[] {
  return Array.isArray(content) ? content : [];
}
