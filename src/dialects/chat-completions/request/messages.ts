import type { ReadAlteration } from '../../../core/inference-request.ts';
import type { CallItem, ContentPart, Item, MessageItem } from '../../../core/request.ts';
import { createChecker } from '../../../schema/checker.ts';
import { contradictory, malformed, nameOf, quote } from '../../../schema/fault.ts';
import { asList, asObject } from '../../../schema/kind-table.ts';
import { isObject, type JsonObject } from '../../../util/json.ts';
import {
  anyObject,
  anyOf,
  choice,
  list,
  optional,
  type TSchema,
  Type,
  text,
} from '../../../util/json-schema.ts';
import { CallPairing } from '../../gateway/call-pairing.ts';
import { type CacheRules, cacheMembers, readCacheControl } from '../../gateway/common-settings.ts';
import { readAnnotations } from '../../gateway/content/annotations.ts';
import { endOf, moved, restoreCitations } from '../../gateway/content/replayed-citations.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import { assistantChatParts, ChatContentSchema, chatParts, readChatContent } from './parts.ts';
import { readReplayedReasoning, sealOfCall } from './reasoning-details.ts';
import { readTranscript } from './speech.ts';

const CallSchema = Type.Object({
  id: text({ minLength: 1 }),
  type: optional(choice('function')),
  function: Type.Object({ name: text({ minLength: 1 }), arguments: optional(text()) }),
  cache_control: cacheMembers.cache_control,
});

const checkCall = createChecker(CallSchema);

const saying = { content: ChatContentSchema, name: optional(text()) };

/** The public schema of `messages` (docs/spec/chat.md#messages). */
export const MessagesSchema: TSchema = list(
  anyOf(
    Type.Object({ role: choice('system', 'developer'), ...saying }),
    Type.Object({ role: choice('user'), ...saying }),
    Type.Object({
      role: choice('assistant'),
      content: optional(ChatContentSchema),
      name: optional(text()),
      refusal: optional(text()),
      reasoning: optional(text()),
      reasoning_details: optional(list(anyObject())),
      tool_calls: optional(list(CallSchema)),
      audio: optional(Type.Object({ id: optional(text()), transcript: optional(text()) })),
    }),
    Type.Object({
      role: choice('tool'),
      tool_call_id: text({ minLength: 1 }),
      content: optional(ChatContentSchema),
    }),
  ),
  { minItems: 1 },
);

const roles = '"system", "developer", "user", "assistant", "tool"';

/** The conversation, and what of it is not as the caller wrote it. */
export interface ReadMessages {
  readonly items: readonly Item[];
  readonly altered: readonly ReadAlteration[];
}

interface Reading {
  readonly altered: ReadAlteration[];
  readonly cache: CacheRules;
  readonly pairing: CallPairing;
  readonly seal: CarrierSeal | undefined;
}

/**
 * Reads the conversation in its order (docs/spec/chat.md#messages). A message of the model becomes its reasoning, its
 * text and its calls.
 * @throws HeadgateError `invalid_request`, or `unprocessable` for an output without its call.
 */
export function readMessages(value: unknown, cache: CacheRules, seal?: CarrierSeal): ReadMessages {
  if (value === undefined || value === null) throw malformed('messages', 'is required, expected an array');
  const messages = asList(value, 'messages');
  if (messages.length === 0) throw malformed('messages', 'must not be empty');
  const reading: Reading = { cache, seal, pairing: new CallPairing(), altered: [] };
  const items: Item[] = [];
  for (const [index, entry] of messages.entries()) {
    const path = `messages[${index}]`;
    items.push(...readMessage(asObject(entry, path), path, reading));
  }
  return { items, altered: reading.altered };
}

function readMessage(message: JsonObject, path: string, reading: Reading): readonly Item[] {
  switch (message.role) {
    case 'system':
    case 'developer':
    case 'user':
      reading.pairing.other();
      return [said(message.role, message, path, reading)];
    case 'assistant':
      return readAssistant(message, path, reading);
    case 'tool':
      return [readOutput(message, path, reading)];
    case 'function':
      throw malformed(`${path}.role`, '"function" is not served; answer calls with the role "tool"');
    default:
      throw malformed(`${path}.role`, `must be one of ${roles}, got ${shownRole(message.role)}`);
  }
}

function shownRole(role: unknown): string {
  return typeof role === 'string' ? quote(role) : nameOf(role);
}

function said(
  role: 'system' | 'developer' | 'user',
  message: JsonObject,
  path: string,
  { cache }: Reading,
): MessageItem {
  if (message.content === undefined || message.content === null) {
    throw malformed(`${path}.content`, 'is required, expected a string or an array of parts');
  }
  const content = readChatContent(message, path, chatParts, cache);
  return { kind: 'message', role, content: named(message, path, content) };
}

/** The gateway's own conversation has no names of speakers, so the text states it. */
function named({ name }: JsonObject, path: string, content: readonly ContentPart[]): readonly ContentPart[] {
  if (name === undefined || name === null || name === '') return content;
  if (typeof name !== 'string') throw malformed(`${path}.name`, `expected a string, got ${nameOf(name)}`);
  const [first, ...others] = content;
  if (first?.kind === 'text') return [{ ...first, text: `${name}: ${first.text}` }, ...others];
  return [{ kind: 'text', text: `${name}:` }, ...content];
}

function readAssistant(message: JsonObject, path: string, reading: Reading): readonly Item[] {
  const calls = readCalls(message, path, reading);
  const callIds = new Set(calls.map(({ call }) => call.callId));
  const reasoning = readReplayedReasoning(message, path, callIds, reading.seal);
  const content = message.content === undefined ? { ...message, content: null } : message;
  const said = withCitations(
    message,
    path,
    readChatContent(content, path, assistantChatParts, reading.cache),
  );
  const parts = [
    ...named(message, path, restoreCitations(said, reading.seal)),
    ...spokenOf(message, path, reading),
    ...refusalOf(message, path),
    ...picturesOf(message, path, reading),
  ];
  const items: Item[] = [...reasoning.items];
  if (parts.length > 0 || calls.length === 0) {
    reading.pairing.other();
    items.push({ kind: 'message', role: 'assistant', content: parts });
  }
  for (const { call, seal, path: place } of calls) {
    reading.pairing.call('function', call.callId, place, true);
    const own = reasoning.byCall.get(call.callId);
    if (own !== undefined) items.push(...own);
    else if (seal !== undefined) items.push(seal);
    items.push(call);
  }
  return items;
}

function readCalls({ tool_calls: value }: JsonObject, path: string, _reading: Reading) {
  if (value === undefined || value === null) return [];
  return asList(value, `${path}.tool_calls`).map((entry, index) => {
    const place = `${path}.tool_calls[${index}]`;
    const raw = asObject(entry, place);
    const { id, function: called, cache_control: mark } = checkCall(raw, place);
    const call: CallItem = {
      kind: 'call',
      form: 'function',
      callId: id,
      name: called.name.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64),
      input: called.arguments ?? '',
      ...(mark && { cacheControl: readCacheControl(mark) }),
    };
    return { call, seal: sealOfCall(raw), path: place };
  });
}

function spokenOf(message: JsonObject, path: string, { altered }: Reading): readonly ContentPart[] {
  const text = readTranscript(message, path);
  if (text === undefined) return [];
  altered.push({ field: `${path}.audio`, action: 'adapted', how: 'its transcript as text' });
  return text === '' ? [] : [{ kind: 'text', text }];
}

function refusalOf({ refusal }: JsonObject, path: string): readonly ContentPart[] {
  if (refusal === undefined || refusal === null || refusal === '') return [];
  if (typeof refusal !== 'string')
    throw malformed(`${path}.refusal`, `expected a string, got ${nameOf(refusal)}`);
  return [{ kind: 'refusal', text: refusal }];
}

/** Pictures that a model made. */
function picturesOf({ images }: JsonObject, path: string, { cache }: Reading): readonly ContentPart[] {
  if (images === undefined || images === null) return [];
  const content = asList(images, `${path}.images`).map((image, index) =>
    isObject(image) ? { ...image, type: 'image_url' } : asObject(image, `${path}.images[${index}]`),
  );
  return readChatContent({ content }, `${path}.images`, chatParts, cache);
}

function readOutput(message: JsonObject, path: string, { cache, pairing }: Reading): Item {
  const { tool_call_id: callId } = message;
  if (typeof callId !== 'string' || callId === '') {
    throw malformed(`${path}.tool_call_id`, `is required, expected a string, got ${nameOf(callId)}`);
  }
  if (!pairing.has('function', callId)) {
    throw contradictory(
      `${path}.tool_call_id`,
      `no earlier message holds a call with the id ${quote(callId)}`,
    );
  }
  pairing.output('function', callId, path);
  const content = message.content === undefined ? { ...message, content: null } : message;
  return {
    kind: 'call_output',
    form: 'function',
    callId,
    output: readChatContent(content, path, chatParts, cache),
  };
}

/**
 * Gives the texts of a replayed message its citations (docs/spec/chat.md#messages). They count in all the text of the
 * message; each belongs to the text it ends in. What is no whole citation is left out: it only restates the text.
 * @throws HeadgateError `invalid_request` for one that is nested too deep.
 */
function withCitations(
  { annotations }: JsonObject,
  path: string,
  parts: readonly ContentPart[],
): readonly ContentPart[] {
  if (!Array.isArray(annotations) || annotations.length === 0) return parts;
  const known = readAnnotations(annotations.flatMap(flat), `${path}.annotations`) ?? [];
  let offset = 0;
  return parts.map((part) => {
    if (part.kind !== 'text') return part;
    const from = offset;
    offset += part.text.length;
    const own = known.filter((one) => endOf(one) <= offset && (endOf(one) > from || from === 0));
    return own.length === 0 ? part : { ...part, annotations: own.map((one) => moved(one, -from)) };
  });
}

/** A citation with its members beside its type, as `input` bodies have it. */
function flat(entry: unknown): readonly JsonObject[] {
  if (!isObject(entry) || typeof entry.type !== 'string') return [];
  const { type } = entry;
  const inner = entry[type];
  const members: JsonObject = isObject(inner) ? inner : entry;
  const { title, filename, content, citation } = members;
  const isPlaced =
    type === 'url_citation'
      ? typeof members.url === 'string' && areWhole(members.start_index, members.end_index)
      : typeof members.file_id === 'string' && areWhole(members.index);
  if (!isPlaced) return [];
  return [
    {
      ...members,
      type,
      title: textOf(title),
      filename: textOf(filename),
      content: typeof content === 'string' ? content : undefined,
      citation: isObject(citation) ? citation : undefined,
    },
  ];
}

function areWhole(...places: readonly unknown[]): boolean {
  return places.every((place) => Number.isInteger(place) && Number(place) >= 0);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
