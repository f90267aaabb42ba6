import type { ReadAlteration } from '../../../core/inference-request.ts';
import type {
  CallItem,
  CallOutputItem,
  ContentPart,
  HostedItem,
  Item,
  MessageItem,
  ReasoningItem,
  ServiceItem,
} from '../../../core/request.ts';
import { contradictory, malformed, quote } from '../../../schema/fault.ts';
import { refuseDeep } from '../../../schema/refuse-deep.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import { isCarrier, openCarrier } from '../../gateway/carrier.ts';
import { restoreCitations } from '../../gateway/content/replayed-citations.ts';
import { readReasoningItem } from '../../gateway/reasoning-item.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { objectMember, optionalText, textMember } from './block-path.ts';
import { readCacheControl } from './cache-control.ts';
import { blocksOf, readContentBlock } from './read-content.ts';

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

/**
 * Reads `thinking` and `redacted_thinking` (docs/spec/messages.md#thoughts): seals without the gateway's mark are
 * Claude's own, carriers become the reasoning they were made of. Undefined for a carrier that cannot be opened.
 * @throws HeadgateError `invalid_request`.
 */
function readReasoningBlock(
  block: JsonObject,
  path: string,
  seal: CarrierSeal | undefined,
): ReasoningItem | undefined {
  if (block.type === 'redacted_thinking') {
    const data = textMember(block, 'data', path);
    if (isCarrier(data)) return opened(data, '', path, seal);
    return reasoning(path, { encrypted: data, format: 'anthropic-claude-v1' });
  }
  const text = textMember(block, 'thinking', path);
  const signature = optionalText(block, 'signature', path);
  if (signature !== undefined && isCarrier(signature)) return opened(signature, text, path, seal);
  if (signature === undefined || signature === '') return reasoning(path, { content: [text] });
  return reasoning(path, { content: [text], signature, format: 'anthropic-claude-v1' });
}

function opened(
  carrier: string,
  text: string,
  path: string,
  seal: CarrierSeal | undefined,
): ReasoningItem | undefined {
  const carried = openCarrier(carrier, seal);
  if (carried === undefined) return undefined;
  const { kind, ...members } = carried;
  if (text === '') return reasoning(path, members);
  return reasoning(path, { ...members, ...(kind === 'summary' ? { summary: [text] } : { content: [text] }) });
}

function reasoning(path: string, members: Partial<ReasoningItem>): ReasoningItem {
  return { kind: 'reasoning', summary: [], content: [], path, ...members };
}

/** What ids of calls begin with that the gateway ran itself. */
const ownCallPrefix = 'srvtoolu_hg';

/** What ids of searches begin with that a provider of another format ran. */
const foreignPrefix = 'srvtoolu_hs';

/** The gateway's tools by the names they have in blocks. */
const serviceToolNames: Readonly<Record<string, `service:${string}`>> = {
  web_search: 'service:web_search',
  web_fetch: 'service:web_fetch',
  advisor: 'service:advisor',
  tool_search_tool_regex: 'service:tool_search',
  shell: 'service:shell',
  bash: 'service:bash',
};

/** Whether a block is the result of the server call with this id. */
function isServerResult(block: JsonObject | undefined, id: unknown): block is JsonObject {
  return block !== undefined && block.tool_use_id === id && String(block.type).endsWith('_tool_result');
}

/**
 * Reads a server call and its result as one item (docs/spec/messages.md#server-tools). A call of the gateway's own
 * becomes a `service:*` item, others go back to the provider that ran them; undefined where no provider could read it.
 * @throws HeadgateError `invalid_request`.
 */
function readServerUse(use: JsonObject, result: JsonObject | undefined, path: string): Item | undefined {
  const id = textMember(use, 'id', path);
  const name = textMember(use, 'name', path);
  const input = isObject(use.input) ? use.input : {};
  const blocks = result === undefined ? [use] : [use, result];
  refuseDeep(blocks, path);
  const type = id.startsWith(ownCallPrefix) ? serviceToolNames[name] : undefined;
  if (type !== undefined) {
    const item: ServiceItem = {
      kind: 'service',
      type,
      fields: serviceFields(type, input, shownResult(result)),
      path,
    };
    return item;
  }
  const item: HostedItem = {
    kind: 'hosted',
    type: /code_execution/.test(name) ? 'code_interpreter_call' : 'web_search_call',
    status: 'completed',
    fields: {
      ...hostedFields(name, input, result),
      ...(id.startsWith(foreignPrefix)
        ? {}
        : { format: 'anthropic-claude-v1', signature: JSON.stringify(blocks.map(withoutMark)) }),
    },
    path,
  };
  return item;
}

/** Commands get the members of the gateway's own items; other tools keep their whole result in one member. */
function serviceFields(type: string, input: JsonObject, result: unknown): JsonObject {
  if ((type === 'service:shell' || type === 'service:bash') && isObject(result))
    return { ...result, arguments: JSON.stringify(input) };
  return { ...input, status: 'completed', result };
}

function hostedFields(name: string, input: JsonObject, result: JsonObject | undefined): JsonObject {
  if (/code_execution/.test(name)) return { code: textOf(input.code) ?? '', container_id: '', outputs: [] };
  if (name === 'web_fetch') return { action: { type: 'open_page', url: textOf(input.url) ?? '' } };
  const query = textOf(input.query) ?? '';
  const found = Array.isArray(result?.content) ? result.content.filter(isObject) : [];
  const sources = found.flatMap(({ url }) => (typeof url === 'string' ? { type: 'url', url } : []));
  return { action: { type: 'search', query, queries: [query], sources } };
}

function withoutMark({ cache_control: _mark, ...block }: JsonObject): JsonObject {
  return block;
}

function shownResult(result: JsonObject | undefined): unknown {
  return result?.content ?? '';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
