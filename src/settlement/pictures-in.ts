import type { CanonicalRequest, Item } from '../core/request.ts';

/** How many pictures a request shows the model, in messages and in tool outputs. */
export function picturesIn(request: CanonicalRequest): number {
  let pictures = 0;
  for (const item of request.items) {
    for (const part of partsOf(item)) if (part.kind === 'image') pictures += 1;
  }
  return pictures;
}

function partsOf(item: Item): readonly { readonly kind: string }[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}
