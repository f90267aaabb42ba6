import type { CanonicalRequest, Item } from '../core/request.ts';

/** What a request shows a model besides text, in messages and in tool outputs. */
export interface MediaCount {
  pictures: number;
  /** Files and videos. */
  documents: number;
  sounds: number;
}

/** Counts a request's media by the piece. */
export function mediaIn(request: CanonicalRequest): MediaCount {
  const count = { pictures: 0, documents: 0, sounds: 0 };
  for (const item of request.items) {
    for (const { kind } of partsOf(item)) {
      if (kind === 'image') count.pictures += 1;
      else if (kind === 'file' || kind === 'video') count.documents += 1;
      else if (kind === 'audio') count.sounds += 1;
    }
  }
  return count;
}

function partsOf(item: Item): readonly { readonly kind: string }[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}
