import type { ContentPart, HostedItem, Item } from '../../core/request.ts';
import { isObject } from '../../util/json.ts';
import { textOf } from '../lenient.ts';

/**
 * Turns a client's computer actions into ordinary calls and outputs, because this dialect wants every call answered
 * and has no such tool. An output without a call becomes user text.
 */
export function withComputerCalls(items: readonly Item[]): readonly Item[] {
  const called = new Set<string>();
  return items.map((item): Item => {
    if (item.kind !== 'hosted') return item;
    const callId = textOf(item.fields.call_id) ?? item.id ?? item.type;
    if (item.type === 'computer_call') {
      called.add(callId);
      const input = JSON.stringify({ action: item.fields.action });
      return { kind: 'call', form: 'function', callId, name: 'computer', input };
    }
    if (item.type !== 'computer_call_output') return item;
    const output = [screenshotOf(item)];
    if (called.has(callId)) return { kind: 'call_output', form: 'function', callId, output };
    const heading: ContentPart = { kind: 'text', text: `Output of tool call ${callId}:` };
    return { kind: 'message', role: 'user', content: [heading, ...output] };
  });
}

function screenshotOf({ fields: { output } }: HostedItem): ContentPart {
  const url = isObject(output) ? textOf(output.image_url) : undefined;
  if (url === undefined) return { kind: 'text', text: JSON.stringify(output) };
  return { kind: 'image', url, detail: 'auto' };
}
