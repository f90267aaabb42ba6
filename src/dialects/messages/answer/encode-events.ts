import type { JsonObject } from '../../../util/json.ts';
import { wellFormedJson } from '../../../util/well-formed-json.ts';

/** The text of a ping, which keeps a silent stream alive once it has begun. */
export const ping = 'event: ping\ndata: {"type":"ping"}\n\n';

/** The text of events: name, one line of JSON, blank line. */
export function encodeEvents(events: readonly (JsonObject & { readonly type: string })[]): string {
  let text = '';
  for (const event of events) text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return wellFormedJson(text);
}
