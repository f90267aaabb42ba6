import { hash } from 'node:crypto';
import type { ContentPart, EncryptedPart } from '../core/content.ts';
import type { CanonicalRequest, Item, MessageItem } from '../core/request.ts';
import type { TracedTool } from '../ports/request-trace.ts';
import type { JsonObject } from '../util/json.ts';
import type { AnswerContent } from './answer-content.ts';

/** A part of a message, in the form of the conventions for generative AI. */
type Part = JsonObject;

/** One message of a conversation, in the same form. */
interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

/** What a model was asked, in one form for every door (docs/spec/destinations.md#what-was-said). */
export interface Conversation {
  readonly system: readonly Part[];
  readonly messages: readonly Message[];
  readonly tools: readonly JsonObject[];
  /** Characters that were left out; 0 where nothing was. */
  readonly cut: number;
}

/** Characters that are kept of what a model was asked: the latest count. */
const mostCharacters = 512 * 1024;
/** Bytes of media of which a digest is made: it takes the time of the thread. */
const mostHashed = 2 * 1024 * 1024;

/** The conversation of a request. Media are named by type, size and digest, never given. @param most Characters of it. */
export function conversationOf(canonical: CanonicalRequest, most = mostCharacters): Conversation {
  const room = new Room(Math.min(most, mostCharacters));
  if (canonical.kind === 'embedding') {
    const parts = canonical.inputs.map((input) =>
      typeof input === 'string'
        ? { type: 'text', content: room.fitted(input) }
        : { type: 'tokens', count: input.length },
    );
    return { system: [], messages: [{ role: 'user', parts }], tools: [], cut: room.cut };
  }
  const { instructions, items, tools } = canonical;
  const system = instructions === undefined ? [] : [{ type: 'text', content: room.fitted(instructions) }];
  // The latest first, for what is oldest is left out.
  const messages = items
    .toReversed()
    .flatMap((item) => messageOf(item, room) ?? [])
    .reverse();
  return {
    system,
    messages: joined(messages),
    tools: tools.flatMap((tool) =>
      tool.kind === 'function' || tool.kind === 'custom' ? [{ type: tool.kind, name: tool.name }] : [],
    ),
    cut: room.cut,
  };
}

/**
 * What a model said in a turn, calls of tools that the gateway ran among it; undefined where it is not known.
 * @param turn.index Which of the turns it is.
 */
export function saidMessage(
  content: AnswerContent,
  { generationId, index, finish = 'error' }: { generationId?: string; index: number; finish?: string },
  tools: readonly Pick<TracedTool, 'callId' | 'name'>[],
): Message | undefined {
  const byId = content.turns.find((turn) => turn.generationId === generationId);
  const turn = generationId === undefined ? content.turns[index] : (byId ?? content.turns[index]);
  if (turn === undefined) return undefined;
  const parts = turn.parts.map(({ kind, text, name, id }): Part => {
    const called = name ?? tools.find(({ callId }) => callId === id)?.name;
    if (kind === 'call')
      return { type: 'tool_call', ...(id !== undefined && { id }), name: called, arguments: text };
    return { type: kind, content: text };
  });
  return { role: 'assistant', parts, finish_reason: finish };
}

/** Counts what is left for texts. */
class Room {
  cut = 0;
  #left: number;

  constructor(left: number) {
    this.#left = left;
  }

  fitted(text: string): string {
    const fitted = text.length <= this.#left ? text : text.slice(0, this.#left);
    this.#left -= fitted.length;
    this.cut += text.length - fitted.length;
    return fitted;
  }
}

const roles: Readonly<Record<MessageItem['role'], Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

function messageOf(item: Item, room: Room): Message | undefined {
  switch (item.kind) {
    case 'message':
      return { role: roles[item.role], parts: partsOf(item.content, room) };
    case 'agent_message':
      return { role: 'user', parts: partsOf(item.content, room) };
    case 'reasoning': {
      const texts = [...item.summary, ...item.content];
      if (texts.length === 0) return undefined;
      const parts = texts.map((text) => ({ type: 'reasoning', content: room.fitted(text) }));
      return { role: 'assistant', parts };
    }
    case 'call': {
      const call = {
        type: 'tool_call',
        id: item.callId,
        name: item.name,
        arguments: room.fitted(item.input),
      };
      return { role: 'assistant', parts: [call] };
    }
    case 'call_output': {
      const response = item.output.length === 1 ? partOf(item.output[0], room) : partsOf(item.output, room);
      return { role: 'tool', parts: [{ type: 'tool_call_response', id: item.callId, response }] };
    }
    case 'hosted':
    case 'service': {
      const shown = room.fitted(JSON.stringify(item.fields));
      return { role: 'assistant', parts: [{ type: item.type, content: shown }] };
    }
    default:
      return undefined;
  }
}

/** Neighbours of one role are one message, as they are said by one. */
function joined(messages: readonly Message[]): readonly Message[] {
  const result: { role: Message['role']; parts: Part[] }[] = [];
  for (const { role, parts } of messages) {
    const last = result.at(-1);
    if (last?.role === role && role === 'assistant') last.parts.push(...parts);
    else result.push({ role, parts: [...parts] });
  }
  return result;
}

function partsOf(content: readonly (ContentPart | EncryptedPart)[], room: Room): readonly Part[] {
  return content.map((part) => partOf(part, room));
}

function partOf(part: ContentPart | EncryptedPart | undefined, room: Room): Part {
  switch (part?.kind) {
    case 'text':
    case 'refusal':
      return { type: 'text', content: room.fitted(part.text) };
    case 'block':
      return { type: 'text', content: room.fitted(part.text ?? '') };
    case 'image':
    case 'video':
      return mediaOf(part.kind, part.url);
    case 'file':
      return mediaOf('file', part.data ?? part.url);
    case 'audio':
      return mediaOf('audio', `data:audio/${part.format};base64,${part.data}`);
    case 'encrypted':
      return { type: 'encrypted' };
    default:
      return { type: 'text', content: '' };
  }
}

/** What is said of media in place of them. */
function mediaOf(type: string, address: string | undefined): Part {
  if (address === undefined) return { type };
  if (/^https?:/i.test(address)) return { type, url: address.slice(0, longestUrl) };
  const [, mediaType, data = address] = /^data:([^;,]*)[^,]*,(.*)$/s.exec(address) ?? [];
  const bytes = Math.floor((data.length * 3) / 4);
  const named = { type, ...(mediaType && { media_type: mediaType }), bytes };
  if (bytes > mostHashed) return named;
  const decoded = Buffer.from(data, 'base64');
  return { ...named, bytes: decoded.length, sha256: hash('sha256', decoded, 'hex') };
}

const longestUrl = 2048;
