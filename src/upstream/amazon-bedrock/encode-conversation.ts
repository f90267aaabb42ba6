import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem } from '../../core/request.ts';
import { parseArguments } from '../call-arguments.ts';
import { divideTurns, splitSystem } from '../divide-turns.ts';
import { refusal } from '../refusal.ts';
import type { PartEncoder } from './encode-content.ts';
import type { ContentBlock, ResultBlock, SystemBlock, Turn } from './wire-types.ts';

/** The conversation in the dialect's division. */
export interface Conversation {
  readonly system: SystemBlock[];
  readonly messages: Turn[];
}

/** Whose sealed reasoning may go back to this model. */
export type ReasoningMaker = 'claude' | 'other';

/**
 * Divides the items into a system prompt and alternating turns, starting with the user. System text inside the
 * conversation joins the user's turn at its place; so does the system text of a conversation without other items.
 * @param prefill whether the model continues a turn of its own.
 * @throws HeadgateError `upstream_invalid_request` for a part for which the dialect has no block.
 */
export function encodeConversation(
  items: readonly Item[],
  parts: PartEncoder,
  maker: ReasoningMaker,
  prefill: boolean,
): Conversation {
  const [leading, conversation] = splitSystem(items);
  const system = leading.flatMap((item) => systemBlocks(item, parts));
  const rules = { blank: { text: '(empty)' }, systemTurns: false };
  const messages = divideTurns<ContentBlock>(conversation, rules, (item) => encodeItem(item, parts, maker));
  for (const turn of messages) if (turn.role === 'user') turn.content = arrange(turn.content);
  // The dialect refuses a conversation that begins with the model; newer Claude models also refuse one that ends with
  // the model.
  if (messages[0]?.role === 'assistant') {
    messages.unshift({ role: 'user', content: [{ text: '(the assistant begins)' }] });
  }
  if (!prefill && messages.at(-1)?.role === 'assistant') {
    messages.push({ role: 'user', content: [{ text: '(go on)' }] });
  }
  return { system, messages };
}

function systemBlocks(item: MessageItem, parts: PartEncoder): SystemBlock[] {
  return parts
    .encode(item.content)
    .filter((block): block is Extract<ContentBlock, SystemBlock> => 'text' in block || 'cachePoint' in block);
}

function encodeItem(item: Item, parts: PartEncoder, maker: ReasoningMaker): readonly ContentBlock[] {
  switch (item.kind) {
    case 'message':
      return parts.encode(item.content);
    case 'reasoning':
      return encodeReasoning(item, maker);
    case 'call':
      return [encodeCall(item), ...parts.pointAfter(item.cacheControl)];
    case 'call_output':
      return encodeCallOutput(item, parts);
    default:
      // Translation has rewritten or removed all other items before.
      return [];
  }
}

/**
 * Only thoughts signed by this model's maker go back. Signed thoughts without a stated maker are tried with Claude.
 */
function encodeReasoning(item: ReasoningItem, maker: ReasoningMaker): readonly ContentBlock[] {
  const { format, signature, encrypted } = item;
  const own = format === (maker === 'claude' ? 'anthropic-claude-v1' : 'unknown');
  if (signature !== undefined && (own || (maker === 'claude' && format === undefined))) {
    return [{ reasoningContent: { reasoningText: { text: item.content.join(''), signature } } }];
  }
  return own && encrypted !== undefined ? [{ reasoningContent: { redactedContent: encrypted } }] : [];
}

function encodeCall(item: CallItem): ContentBlock {
  return { toolUse: { toolUseId: item.callId, name: item.name, input: parseArguments(item.input) } };
}

/** A cache point must not be inside a result, so it follows the result. */
function encodeCallOutput(
  { callId, output, isError }: CallOutputItem,
  parts: PartEncoder,
): readonly ContentBlock[] {
  const blocks = parts.encode(output);
  const status = isError === true ? { status: 'error' as const } : {};
  const content = blocks.filter((block) => !('cachePoint' in block)).map(toResultBlock);
  const points = blocks.filter((block) => 'cachePoint' in block);
  return [
    {
      toolResult: {
        toolUseId: callId,
        content: content.length > 0 ? content : [{ text: '(empty)' }],
        ...status,
      },
    },
    ...points.slice(-1),
  ];
}

function toResultBlock(block: ContentBlock): ResultBlock {
  if ('text' in block || 'image' in block || 'document' in block || 'video' in block)
    return block as ResultBlock;
  throw refusal('no sound in tool outputs');
}

/** The dialect wants results first in a turn, and text beside every document. */
function arrange(content: readonly ContentBlock[]): ContentBlock[] {
  const isResult = isOfResults(content);
  const results = content.filter(isResult);
  const others = content.filter((block, index) => !isResult(block, index));
  const wordless = others.some((block) => 'document' in block) && !others.some((block) => 'text' in block);
  return [...results, ...others, ...(wordless ? [{ text: '(see the document)' }] : [])];
}

/** Whether a block is a result or the cache point after one. */
function isOfResults(content: readonly ContentBlock[]): (block: ContentBlock, index: number) => boolean {
  return (block, index) => {
    const marked = 'cachePoint' in block ? content[index - 1] : block;
    return marked !== undefined && 'toolResult' in marked;
  };
}
