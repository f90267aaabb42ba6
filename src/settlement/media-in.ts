import type { CanonicalRequest, Item } from '../core/request.ts';

/** What a request shows a model besides text, in messages and in tool outputs. */
export interface MediaCount {
  readonly pictures: number;
  /** Files and videos. */
  readonly documents: number;
  readonly sounds: number;
}

/** Counts a request's media by the piece. */
export function mediaIn(request: CanonicalRequest): MediaCount {
  let pictures = 0;
  let documents = 0;
  let sounds = 0;
  for (const item of request.items) {
    for (const { kind } of partsOf(item)) {
      if (kind === 'image') pictures += 1;
      else if (kind === 'file' || kind === 'video') documents += 1;
      else if (kind === 'audio') sounds += 1;
    }
  }
  return { pictures, documents, sounds };
}

function partsOf(item: Item): readonly { readonly kind: string }[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}
