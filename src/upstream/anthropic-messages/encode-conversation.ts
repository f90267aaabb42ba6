import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { CallItem, CallOutputItem, Item, ReasoningItem } from '../../core/request.ts';
import { parseArguments } from '../call-arguments.ts';
import type { ClaudeTraits } from '../claude-model.ts';
import { divideTurns, splitSystem, type TurnRules } from '../divide-turns.ts';
import { encodeCacheControl, encodeParts, encodeTexts } from './encode-content.ts';
import { encodeHostedItem, isHostedBlock, toClientItems } from './encode-hosted-item.ts';
import type { Turn, TurnBlock } from './turn.ts';

/** The conversation in the dialect's division. */
export interface Conversation {
  readonly system: Wire.TextBlockParam[];
  readonly messages: Turn[];
}

/**
 * Divides the items into a system prompt and alternating turns. Reasoning goes back only where this dialect's issuer
 * signed it; other thoughts cannot be verified and are left out.
 * @param cites Whether the answer should cite the documents of the conversation.
 * @param traits Whether the model continues a turn of its own, and accepts system messages after the first item.
 */
export function encodeConversation(
  items: readonly Item[],
  cites: boolean,
  { prefill, systemTurns }: Pick<ClaudeTraits, 'prefill' | 'systemTurns'>,
): Conversation {
  const [leading, conversation] = splitSystem(items);
  const system = leading.flatMap(({ content }) => encodeTexts(content));
  const rules: TurnRules<TurnBlock> = { blank: { type: 'text', text: '(empty)' }, systemTurns };
  const messages = divideTurns(conversation.flatMap(toClientItems), rules, (item) => encodeItem(item, cites));
  for (const turn of messages) if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  if (prefill) trimPrefill(messages.at(-1));
  else if (endsInWords(messages.at(-1))) {
    messages.push({ role: 'user', content: [{ type: 'text', text: '(go on)' }] });
  }
  return { system, messages };
}

function encodeItem(item: Item, cites: boolean): readonly TurnBlock[] {
  switch (item.kind) {
    case 'message':
      return encodeParts(item.content, cites);
    case 'reasoning':
      return encodeReasoning(item);
    case 'call':
      return [encodeCall(item)];
    case 'call_output':
      return [encodeCallOutput(item, cites)];
    case 'hosted':
      return encodeHostedItem(item);
    default:
      // Translation has rewritten or removed all other items before.
      return [];
  }
}

function encodeReasoning(item: ReasoningItem): TurnBlock[] {
  const { format, signature, encrypted } = item;
  if (signature !== undefined && (format === undefined || format === 'anthropic-claude-v1')) {
    return [{ type: 'thinking', thinking: item.content.join(''), signature }];
  }
  if (encrypted === undefined || format !== 'anthropic-claude-v1') return [];
  return [{ type: 'redacted_thinking', data: encrypted }];
}

function encodeCall(item: CallItem): Wire.ToolUseBlockParam {
  return {
    type: 'tool_use',
    id: item.callId,
    name: item.name,
    input: parseArguments(item.input),
    cache_control: encodeCacheControl(item.cacheControl),
  };
}

/** A cache breakpoint inside a result moves to its end, because parts of results cannot be marked. */
function encodeCallOutput(
  { callId, output, isError }: CallOutputItem,
  cites: boolean,
): Wire.ToolResultBlockParam {
  const parts = encodeParts(output, cites);
  const marked = parts.findLast((part) => part.cache_control)?.cache_control;
  for (const part of parts) delete part.cache_control;
  const result = { type: 'tool_result', tool_use_id: callId, content: parts, cache_control: marked } as const;
  return isError === undefined ? result : { ...result, is_error: isError };
}

/** The dialect wants the results of calls first in a turn. */
function resultsFirst(blocks: readonly TurnBlock[]): TurnBlock[] {
  const isResult = (block: TurnBlock) => block.type === 'tool_result';
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

/** Whether an assistant turn is over. A turn whose hosted tool still runs is continued by the provider. */
function endsInWords(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && !isHostedBlock(turn.content.at(-1));
}

/** A final assistant turn is a prefill, which the dialect refuses when it ends in white space. */
function trimPrefill(turn: Turn | undefined): void {
  const block = turn?.role === 'assistant' ? turn.content.at(-1) : undefined;
  if (block?.type === 'text') block.text = block.text.trimEnd();
}
