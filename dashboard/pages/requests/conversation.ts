import type { GenerationConversation } from '../../../clients/headgate-api.ts';
import type { HandedOver } from '../../state/hand-over.ts';

type Members = Readonly<Record<string, unknown>>;

/** One message as it was kept. */
export interface SaidMessage {
  readonly role: string;
  readonly parts: readonly Members[];
}

/** All that was said, in its order: the instructions, the messages, and the answer. */
export function messagesOf({ system, messages, output }: GenerationConversation): readonly SaidMessage[] {
  return [
    ...(system.length === 0 ? [] : [{ role: 'system', parts: system }]),
    ...messages.map(readMessage),
    ...(output === null ? [] : [readMessage(output)]),
  ];
}

/**
 * The conversation as the playground takes it: the last thing that a person said becomes the prompt, all before that goes
 * along. Reasoning and media, which are not kept, cannot go along.
 * @param replay What is known of the request besides: its settings and kinds of tools.
 */
export function asHandedOver(conversation: GenerationConversation, replay: Members | null): HandedOver {
  const items = conversation.messages.map(readMessage).flatMap(itemsOf);
  const last = items.at(-1);
  const isAsked = last?.role === 'user';
  const { model: _, models: _models, tools = [], ...settings } = replay ?? {};
  const named = conversation.tools.map((tool) =>
    tool.type === 'function' ? { ...tool, parameters: { type: 'object', properties: {} } } : tool,
  );
  // Of the record, tools that have names are examples.
  const others = Array.isArray(tools) ? tools.filter(({ type }) => !isNamed(type)) : [];
  const all = [...named, ...others];
  const instructions = textsOf(conversation.system);
  return {
    before: isAsked ? items.slice(0, -1) : items,
    prompt: isAsked ? String(last.content) : '',
    settings: {
      ...settings,
      ...(instructions !== '' && { instructions }),
      ...(all.length > 0 && { tools: all }),
    },
  };
}

const isNamed = (type: unknown) => type === 'function' || type === 'custom';

function readMessage({ role, parts }: Members): SaidMessage {
  return { role: String(role), parts: Array.isArray(parts) ? parts : [] };
}

/** A message as items of a request. */
function itemsOf({ role, parts }: SaidMessage): readonly Members[] {
  const items: Members[] = [];
  const texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) items.push({ type: 'message', role, content: texts.splice(0).join('\n') });
  };
  for (const part of parts) {
    if (part.type === 'text') texts.push(String(part.content));
    else if (part.type === 'tool_call') {
      flush();
      items.push({
        type: 'function_call',
        call_id: String(part.id ?? ''),
        name: String(part.name),
        arguments: String(part.arguments),
      });
    } else if (part.type === 'tool_call_response') {
      items.push({
        type: 'function_call_output',
        call_id: String(part.id ?? ''),
        output: responseText(part.response),
      });
    } else if (isMedia(part)) texts.push(`[${mediaWords(part)}]`);
  }
  flush();
  return items;
}

const textsOf = (parts: readonly Members[]) =>
  parts.flatMap(({ type, content }) => (type === 'text' ? [String(content)] : [])).join('\n');

/** The result of a tool as text; what is no text, as JSON. */
export function responseText(response: unknown): string {
  const parts: readonly Members[] = Array.isArray(response) ? response : [response as Members];
  const isText = parts.every((part) => part?.type === 'text');
  return isText ? textsOf(parts) : JSON.stringify(response);
}

const media = ['image', 'video', 'file', 'audio'];

export const isMedia = ({ type }: Members): boolean => media.includes(String(type));

/** What is kept of media, in words: `image, image/png, 1204 bytes`. */
export function mediaWords({ type, media_type: mediaType, bytes, url }: Members): string {
  return [type, mediaType, bytes === undefined ? undefined : `${bytes} bytes`, url]
    .filter((one) => one !== undefined)
    .join(', ');
}

/** A text as JSON with lines, where it is some. */
export function prettyJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
