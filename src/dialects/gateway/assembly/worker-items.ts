import type { ContentPart, Item } from '../../../core/request.ts';
import type { JsonObject } from '../../../util/json.ts';

/** One item of what a worker wrote, as the client sends it back (docs/spec/server-tools.md#functions-of-the-client). */
export type WorkerItem = JsonObject & { readonly type: string };

/** Writes items as the request reads them; kinds that workers cannot write are left out. */
export function writeWorkerItems(items: readonly Item[]): readonly WorkerItem[] {
  return items.flatMap((item) => writeItem(item) ?? []);
}

function writeItem(item: Item): WorkerItem | undefined {
  switch (item.kind) {
    case 'message': {
      const { role, phase } = item;
      return { type: 'message', role, content: item.content.flatMap(writePart), ...(phase && { phase }) };
    }
    case 'reasoning': {
      const { summary, content, encrypted, signature, format } = item;
      return {
        type: 'reasoning',
        summary: summary.map((text) => ({ type: 'summary_text', text })),
        ...(content.length > 0 && { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
        ...(encrypted !== undefined && { encrypted_content: encrypted }),
        ...(signature !== undefined && { signature }),
        ...(format !== undefined && { format }),
      };
    }
    case 'call':
      return { type: 'function_call', call_id: item.callId, name: item.name, arguments: item.input };
    case 'call_output':
      return { type: 'function_call_output', call_id: item.callId, output: item.output.map(textOf).join('') };
    case 'hosted':
      return {
        ...item.fields,
        type: item.type,
        ...(item.id !== undefined && { id: item.id }),
        ...(item.status !== undefined && { status: item.status }),
      };
    default:
      return undefined;
  }
}

function writePart(part: ContentPart): readonly JsonObject[] {
  if (part.kind === 'text') return [{ type: 'output_text', text: part.text }];
  return part.kind === 'refusal' ? [{ type: 'refusal', refusal: part.text }] : [];
}

function textOf(part: ContentPart): string {
  return part.kind === 'text' ? part.text : '';
}
