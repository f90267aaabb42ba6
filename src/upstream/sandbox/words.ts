import type { CanonicalChat, Item } from '../../core/request.ts';

/** Splits a text into words, each with the space after it; joined they equal the text. */
export function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** Splits JSON after commas and colons, never inside a character. */
export function jsonTokens(json: string): string[] {
  return json.match(/[^,:]+[,:]*|[,:]+/g) ?? [];
}

/** The text of the last user message; undefined without one. */
export function lastUserText(request: CanonicalChat): string | undefined {
  const last = request.items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return (last && itemText(last)) || undefined;
}

/** The text of one item of the conversation; tool items become their data. */
export function itemText(item: Item): string {
  switch (item.kind) {
    case 'message':
      return partsText(item.content);
    case 'call_output':
      return partsText(item.output);
    case 'call':
      return item.input;
    case 'reasoning':
      return [...item.summary, ...item.content].join('\n');
    case 'hosted':
    case 'service':
      return JSON.stringify(item.fields);
    case 'agent_message':
      return partsText(item.content);
    case 'additional_tools':
    case 'configuration_update':
    case 'compaction':
      return '';
  }
}

/** The number of words in the request: the sandbox's input tokens. */
export function countInput(request: CanonicalChat): number {
  const texts = [request.instructions ?? '', ...request.items.map(itemText)];
  return texts.reduce((sum, text) => sum + words(text).length, 0);
}

function partsText(parts: Extract<Item, { kind: 'agent_message' }>['content']): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
