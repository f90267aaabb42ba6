import type { ReadAlteration } from '../../../core/inference-request.ts';
import type { CallItem, CallOutputItem, ContentPart, Item, MessageItem } from '../../../core/request.ts';
import { contradictory, malformed, quote } from '../../../schema/fault.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import type { JsonObject } from '../../../util/json.ts';
import { restoreCitations } from '../../gateway/content/replayed-citations.ts';
import { readReasoningItem } from '../../gateway/reasoning-item.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { objectMember, textMember } from './block-path.ts';
import { readCacheControl } from './cache-control.ts';
import { blocksOf, readContentBlock } from './read-content.ts';
import { readReasoningBlock } from './read-reasoning-block.ts';
import { isServerResult, readServerUse } from './read-server-use.ts';

type Role = 'user' | 'assistant' | 'system';

/** The conversation, and what was left out of it because nobody can read it. */
export interface ReadMessages {
  readonly items: readonly Item[];
  readonly altered: readonly ReadAlteration[];
}

interface CheckedMessage {
  readonly role: Role;
  readonly content: unknown;
}

/**
 * Reads `messages` as items, in the caller's order (docs/spec/messages.md#blocks).
 * @throws HeadgateError `invalid_request`, and `unprocessable` for a result without its call.
 */
export function readMessages(
  messages: readonly CheckedMessage[],
  seal: CarrierSeal | undefined,
): ReadMessages {
  const conversation = new Conversation(seal);
  for (const [index, message] of messages.entries()) {
    conversation.add(message, `messages[${index}]`);
  }
  const { items, altered } = conversation;
  return { items, altered };
}

/** Turns blocks into items: neighbouring parts of a message are one item, everything else stands on its own. */
class Conversation {
  readonly items: Item[] = [];
  readonly altered: ReadAlteration[] = [];
  readonly #seal: CarrierSeal | undefined;
  readonly #calls = new Set<string>();
  #parts: ContentPart[] = [];

  constructor(seal: CarrierSeal | undefined) {
    this.#seal = seal;
  }

  add({ role, content }: CheckedMessage, path: string): void {
    const blocks = blocksOf(content, `${path}.content`);
    for (let at = 0; at < blocks.length; at += 1) {
      const [block, place] = blocks[at] ?? [{}, ''];
      if (role !== 'system' && block.type === 'server_tool_use') {
        const next = blocks[at + 1]?.[0];
        const result = isServerResult(next, block.id) ? next : undefined;
        this.#push(role, path, readServerUse(block, result, place));
        if (result !== undefined) at += 1;
      } else this.#addBlock(role, block, place, path);
    }
    this.#flush(role, path);
  }

  #addBlock(role: Role, block: JsonObject, place: string, path: string): void {
    switch (block.type) {
      case 'tool_use':
        this.#push(role, path, this.#readCall(block, place));
        return;
      case 'tool_result':
        this.#push(role, path, this.#readOutput(block, place));
        return;
      case 'thinking':
      case 'redacted_thinking':
        this.#pushReasoning(role, path, readReasoningBlock(block, place, this.#seal), place);
        return;
      case 'reasoning':
        this.#push(role, path, { ...readReasoningItem(block, place, this.#seal), path: place });
        return;
      default:
        this.#parts.push(readContentBlock(block, place));
    }
  }

  #pushReasoning(role: Role, path: string, item: Item | undefined, place: string): void {
    this.#push(role, path, item);
    if (item !== undefined) return;
    this.altered.push({ field: place, action: 'dropped', how: 'its seal cannot be opened here' });
  }

  #push(role: Role, path: string, item: Item | undefined): void {
    this.#flush(role, path);
    if (item !== undefined) this.items.push(item);
  }

  /** Ends the message that was being gathered. Empty text is nothing anybody said. */
  #flush(role: Role, path: string): void {
    const parts = this.#parts;
    if (parts.length === 0) return;
    this.#parts = [];
    const content = role === 'assistant' ? restoreCitations(parts, this.#seal) : parts;
    const item: MessageItem = { kind: 'message', role, content, path };
    this.items.push(item);
  }

  #readCall(block: JsonObject, path: string): CallItem {
    const callId = textMember(block, 'id', path);
    const input = objectMember(block, 'input', path);
    refuseDeep(input, `${path}.input`);
    this.#calls.add(callId);
    const name = textMember(block, 'name', path);
    // Arguments that were no object came out under this name, and go back as they were.
    const raw = input._raw_arguments;
    const text = typeof raw === 'string' && Object.keys(input).length === 1 ? raw : JSON.stringify(input);
    const cacheControl = readCacheControl(block, path);
    const call: CallItem = { kind: 'call', form: 'function', callId, name, input: text, path };
    return cacheControl === undefined ? call : { ...call, cacheControl };
  }

  #readOutput(block: JsonObject, path: string): CallOutputItem {
    const callId = textMember(block, 'tool_use_id', path);
    if (!this.#calls.has(callId)) {
      throw contradictory(`${path}.tool_use_id`, `no earlier tool_use block has the id ${quote(callId)}`);
    }
    const { content, is_error } = block;
    if (is_error !== undefined && is_error !== null && typeof is_error !== 'boolean') {
      throw malformed(`${path}.is_error`, 'expected a boolean');
    }
    const parts =
      content === undefined || content === null
        ? []
        : blocksOf(content, `${path}.content`).map(([part, at]) => readContentBlock(part, at));
    return {
      kind: 'call_output',
      form: 'function',
      callId,
      output: marked(parts, block, path),
      ...(is_error === true && { isError: true }),
      path,
    };
  }
}

/** The mark of a result stands on its last part, because parts are what canonical requests mark. */
function marked(parts: readonly ContentPart[], block: JsonObject, path: string): readonly ContentPart[] {
  const cacheControl = readCacheControl(block, path);
  if (cacheControl === undefined) return parts;
  const last = parts.at(-1) ?? { kind: 'text', text: '' };
  if (!('cacheControl' in last) && last.kind !== 'text') return parts;
  return [...parts.slice(0, -1), { ...last, cacheControl } as ContentPart];
}
