import type { ContentPart, MessageItem } from '../core/request.ts';
import { featureOfPart } from './features-used.ts';
import type { RequestRewriter } from './request-rewriter.ts';

/**
 * Moves media of the model or the system into user messages (docs/spec/items.md#messages), because providers accept
 * pictures only from the user.
 */
export function moveMedia(rewriter: RequestRewriter): void {
  if (rewriter.emulationOf('input.message.media') === undefined) return;
  rewriter.mapItems((item) => (item.kind === 'message' && item.role !== 'user' ? splitMessage(item) : item));
  rewriter.note('input.message.media', 'emulated', 'shown by the user, in its place');
}

/** Splits a message into pieces, each either text or media for the user. */
function splitMessage(item: MessageItem): readonly MessageItem[] {
  const stretches: ContentPart[][] = [];
  for (const part of item.content) {
    const last = stretches.at(-1);
    if (last?.[0] !== undefined && isMedium(last[0]) === isMedium(part)) last.push(part);
    else stretches.push([part]);
  }
  if (stretches.length === 0) return [item];
  return stretches.map((content) =>
    content.some(isMedium) ? { kind: 'message', role: 'user', content } : { ...item, content },
  );
}

function isMedium(part: ContentPart): boolean {
  return featureOfPart(part) !== undefined;
}
