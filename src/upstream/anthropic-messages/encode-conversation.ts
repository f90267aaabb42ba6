import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CallItem, CallOutputItem, Item, ReasoningItem } from '../../core/request.ts';
import { isObject, parseJson } from '../lenient.ts';
import { type ContentBlock, encodeParts, encodeTexts } from './encode-content.ts';

/** A block of a turn. */
export type TurnBlock =
  | ContentBlock
  | Wire.ThinkingBlockParam
  | Wire.RedactedThinkingBlockParam
  | Wire.ToolUseBlockParam
  | Wire.ToolResultBlockParam;

/** One side's turn; sides alternate. */
export interface Turn {
  readonly role: 'user' | 'assistant';
  content: TurnBlock[];
}

/** The conversation as the dialect divides it. */
export interface Conversation {
  readonly system: Wire.TextBlockParam[];
  readonly messages: Turn[];
}

/**
 * Divides the items into a system prompt and alternating turns. Reasoning goes back only where this
 * dialect's issuer signed it; thoughts of others cannot be verified and are left out.
 */
export function encodeConversation(items: readonly Item[]): Conversation {
  const firstTurn = Math.max(
    0,
    items.findIndex((item) => !isSystem(item)),
  );
  const system = items
    .slice(0, firstTurn)
    .flatMap((item) => (isSystem(item) ? encodeTexts(item.content) : []));
  const messages: Turn[] = [];
  for (const [index, item] of items.entries()) {
    if (index < firstTurn || (item.kind === 'reasoning' && !leadsOn(items, index))) continue;
    append(messages, roleOf(item), encodeItem(item));
  }
  for (const turn of messages) if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  trimPrefill(messages.at(-1));
  return { system, messages };
}

function isSystem(item: Item): item is Extract<Item, { kind: 'message' }> {
  return item.kind === 'message' && (item.role === 'system' || item.role === 'developer');
}

/**
 * System text within the conversation joins the user's turn, in its place: only the newest models know a
 * turn of the system, and moving the text to the front would change what it speaks of.
 */
function roleOf(item: Item): Turn['role'] {
  if (item.kind === 'message') return item.role === 'assistant' ? 'assistant' : 'user';
  return item.kind === 'call_output' ? 'user' : 'assistant';
}

/** A turn may not end in thoughts, so thoughts that led to nothing are not told. */
function leadsOn(items: readonly Item[], index: number): boolean {
  const next = items.find((item, place) => place > index && item.kind !== 'reasoning');
  return next !== undefined && roleOf(next) === 'assistant';
}

function append(messages: Turn[], role: Turn['role'], blocks: readonly TurnBlock[]): void {
  if (blocks.length === 0) return;
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...blocks);
  else messages.push({ role, content: [...blocks] });
}

function encodeItem(item: Item): readonly TurnBlock[] {
  switch (item.kind) {
    case 'message':
      return encodeParts(item.content);
    case 'reasoning':
      return encodeReasoning(item);
    case 'call':
      return [encodeCall(item)];
    case 'call_output':
      return [encodeCallOutput(item)];
  }
}

function encodeReasoning(item: ReasoningItem): readonly TurnBlock[] {
  const { format, signature, encrypted } = item;
  if (signature !== undefined && (format === undefined || format === 'anthropic-claude-v1')) {
    return [{ type: 'thinking', thinking: item.content.join(''), signature }];
  }
  if (encrypted === undefined || format !== 'anthropic-claude-v1') return [];
  return [{ type: 'redacted_thinking', data: encrypted }];
}

function encodeCall(item: CallItem): Wire.ToolUseBlockParam {
  const input = item.form === 'custom' ? { input: item.input } : parseArguments(item.input);
  return { type: 'tool_use', id: encodeCallId(item.callId), name: item.name, input };
}

function parseArguments(text: string): unknown {
  if (text.trim() === '') return {};
  const value = parseJson(text);
  // The dialect takes objects only. Other models' broken arguments stay readable inside one.
  return isObject(value) ? value : { input: value ?? text };
}

function encodeCallOutput(item: CallOutputItem): Wire.ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: encodeCallId(item.callId), content: encodeParts(item.output) };
}

/** Ids made by other providers may hold characters this dialect refuses. */
function encodeCallId(callId: string): string {
  return callId.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** The dialect wants the results of calls before anything else of the turn. */
function resultsFirst(blocks: readonly TurnBlock[]): TurnBlock[] {
  const isResult = (block: TurnBlock) => block.type === 'tool_result';
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

/** A last turn of the assistant is a beginning to go on from, and refused when it ends in white space. */
function trimPrefill(turn: Turn | undefined): void {
  const block = turn?.role === 'assistant' ? turn.content.at(-1) : undefined;
  if (block?.type === 'text') block.text = block.text.trimEnd();
}
