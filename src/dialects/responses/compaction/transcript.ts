import type { ContentPart, EncryptedPart, Item } from '../../../core/request.ts';

/** A conversation as text, one paragraph an item, for a model that reads it without taking part. */
export function transcriptOf(items: readonly Item[]): string {
  return items.flatMap((item) => paragraphOf(item) ?? []).join('\n\n');
}

function paragraphOf(item: Item): string | undefined {
  switch (item.kind) {
    case 'message':
      return `${item.role}: ${contentText(item.content)}`;
    case 'agent_message':
      return `${item.author} to ${item.recipient}: ${contentText(item.content)}`;
    case 'reasoning': {
      const thought = [...item.summary, ...item.content].join('\n');
      return thought === '' ? undefined : `assistant, thinking: ${thought}`;
    }
    case 'call':
      return `assistant calls ${item.name}: ${item.input}`;
    case 'call_output':
      return `${item.isError === true ? 'failed tool' : 'tool'}: ${contentText(item.output)}`;
    case 'hosted':
    case 'service':
      return `${item.type}: ${JSON.stringify(item.fields)}`;
    case 'additional_tools':
    case 'configuration_update':
    case 'compaction':
      return undefined;
  }
}

function contentText(parts: readonly (ContentPart | EncryptedPart)[]): string {
  return parts.map(partText).join('\n');
}

function partText(part: ContentPart | EncryptedPart): string {
  return part.kind === 'text' || part.kind === 'refusal' ? part.text : `[${part.kind}]`;
}
