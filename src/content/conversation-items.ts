/** The dashboard has this too, where there is no Node. */
type Members = Readonly<Record<string, unknown>>;

/** What was said, as the interface shows it. */
export interface ShownConversation {
  readonly system: readonly Members[];
  readonly messages: readonly Members[];
  readonly tools: readonly Members[];
}

/** One message as it was kept. */
export interface SaidMessage {
  readonly role: string;
  readonly parts: readonly Members[];
}

/** A request that says the same again: its items, and further members of its body. */
export interface SaidAgain {
  readonly items: readonly Members[];
  readonly settings: Members;
}

/**
 * The request that a conversation was the input of, as far as it is kept: reasoning and media cannot go along, and functions have
 * no parameters (docs/spec/content.md#replay).
 * @param replay What is known of the request besides: its settings and kinds of tools.
 */
export function sayAgain({ system, messages, tools }: ShownConversation, replay: Members | null): SaidAgain {
  const { model: _, models: _models, tools: kinds = [], ...settings } = replay ?? {};
  const named = tools.map((tool) =>
    tool.type === 'function' ? { ...tool, parameters: { type: 'object', properties: {} } } : tool,
  );
  // Of the record, tools that have names are examples.
  const others = Array.isArray(kinds) ? kinds.filter(({ type }) => !isNamed(type)) : [];
  const all = [...named, ...others];
  const instructions = textsOf(system);
  return {
    items: messages.map(readMessage).flatMap(itemsOf),
    settings: {
      ...settings,
      ...(instructions !== '' && { instructions }),
      ...(all.length > 0 && { tools: all }),
    },
  };
}

const isNamed = (type: unknown) => type === 'function' || type === 'custom';

/** A message of a record; what is no list of parts has none. */
export function readMessage({ role, parts }: Members): SaidMessage {
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
    else if (isMedia(part)) texts.push(`[${mediaWords(part)}]`);
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
    }
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

/** Whether a part stands for media, which are not kept. */
export const isMedia = ({ type }: Members): boolean => media.includes(String(type));

/** What is kept of media, in words: `image, image/png, 1204 bytes`. */
export function mediaWords({ type, media_type: mediaType, bytes, url }: Members): string {
  return [type, mediaType, bytes === undefined ? undefined : `${bytes} bytes`, url]
    .filter((one) => one !== undefined)
    .join(', ');
}
