import type { CanonicalRequest, Item } from '../../core/request.ts';

/** A text cut into words, each with the space behind it; joined they are the text again. */
export function words(text: string): string[] {
  return text.match(/\S+\s*|\s+/g) ?? [];
}

/** JSON cut behind commas and colons, never inside a character. */
export function jsonTokens(json: string): string[] {
  return json.match(/[^,:]+[,:]*|[,:]+/g) ?? [];
}

/** The text of the last user message, or undefined when it holds none. */
export function lastUserText(request: CanonicalRequest): string | undefined {
  const last = request.items.findLast((item) => item.kind === 'message' && item.role === 'user');
  return (last && itemText(last)) || undefined;
}

/** The text of one entry of the conversation; what a tool did is told as its data. */
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

/** How many words the model has to read: the sandbox's input tokens. */
export function countInput(request: CanonicalRequest): number {
  const texts = [request.instructions ?? '', ...request.items.map(itemText)];
  return texts.reduce((sum, text) => sum + words(text).length, 0);
}

function partsText(parts: Extract<Item, { kind: 'agent_message' }>['content']): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}
