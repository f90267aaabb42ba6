import { inPieces, jsonPieces } from '../../../util/json-pieces.ts';
import { wellFormedJson } from '../../../util/well-formed-json.ts';
import type { ResponseObject, StreamEvent } from '../../gateway/assembly/response.ts';

/** The text every stream ends with. */
export const sentinel = 'data: [DONE]\n\n';

/** The text of events: name, one line of JSON, blank line. */
export function encodeEvents(events: readonly StreamEvent[]): string {
  let text = '';
  let snapshot: { readonly of: ResponseObject; readonly json: string } | undefined;
  let part: { readonly of: TextDelta; readonly head: string } | undefined;
  for (const event of events) {
    if (event.type === 'response.output_text.delta' && event.logprobs.length === 0) {
      // Nine of ten events are this one: written so it costs a fifth.
      if (part === undefined || !isOfSamePart(event, part.of)) part = { of: event, head: headOf(event) };
      const { delta, sequence_number } = event;
      text += `${part.head}${JSON.stringify(delta)},"logprobs":[],"sequence_number":${sequence_number}}\n\n`;
    } else if (event.type === 'response.created' || event.type === 'response.in_progress') {
      // The first two events show the same snapshot, which may hold many tools.
      if (snapshot?.of !== event.response) {
        snapshot = { of: event.response, json: JSON.stringify(event.response) };
      }
      const data = `{"type":"${event.type}","response":${snapshot.json},"sequence_number":${event.sequence_number}}`;
      text += `event: ${event.type}\ndata: ${data}\n\n`;
    } else text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }
  return wellFormedJson(text);
}

/**
 * The same text in pieces, for events that may repeat megabytes.
 * @param last What follows them.
 */
export function encodeLargeEvents(events: readonly StreamEvent[], last: string): Iterable<string> {
  return inPieces(textsOf(events, last));
}

function* textsOf(events: readonly StreamEvent[], last: string): Generator<string, void> {
  let small: StreamEvent[] = [];
  for (const event of events) {
    if (event.type.endsWith('.delta')) {
      small.push(event);
      continue;
    }
    if (small.length > 0) yield encodeEvents(small);
    small = [];
    yield `event: ${event.type}\ndata: `;
    yield* jsonPieces(event);
    yield '\n\n';
  }
  yield encodeEvents(small) + last;
}

type TextDelta = Extract<StreamEvent, { type: 'response.output_text.delta' }>;

function isOfSamePart(event: TextDelta, other: TextDelta): boolean {
  return event.item_id === other.item_id && event.content_index === other.content_index;
}

/** A text delta's event up to its text; ids are our own and need no escape. */
function headOf({ type, item_id, output_index, content_index }: TextDelta): string {
  return `event: ${type}\ndata: {"type":"${type}","item_id":"${item_id}","output_index":${output_index},"content_index":${content_index},"delta":`;
}
