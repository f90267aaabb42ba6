import type { ContentPart, EncryptedPart } from '../core/content.ts';
import type { CanonicalRequest, Item } from '../core/request.ts';
import { foreign, ofUser, type TextPlace } from './free-objects.ts';

/** Texts that adapters or providers may join to one. */
export interface Neighbours {
  readonly place: TextPlace;
  /** At least two. The part of the instructions is the request itself. */
  readonly texts: readonly { readonly text: string; readonly part: ContentPart | CanonicalRequest }[];
}

type Text = Neighbours['texts'][number];

/**
 * The texts of a request that may become one: those of one message or output, of messages of one side with nothing of another
 * between them, and all instructions, which some providers get together. Inputs of vectors stay apart.
 */
export function neighboursOf(request: CanonicalRequest): readonly Neighbours[] {
  const { instructions, items, embedding } = request;
  if (embedding !== undefined) return [];
  const found: Neighbours[] = [];
  const system: Text[] = instructions === undefined ? [] : [{ text: instructions, part: request }];
  let side: 'user' | 'assistant' | undefined;
  let open: Text[] = [];
  const close = (): void => {
    add(found, side === 'user' ? ofUser : foreign, open);
    open = [];
    side = undefined;
  };
  for (const item of items) {
    const of = sideOf(item);
    if (of === 'system') pushTexts(system, contentOf(item));
    else if (of !== undefined) {
      if (of !== side) close();
      if (item.kind !== 'message') add(found, foreign, textsOf(contentOf(item)));
      else {
        side = of === 'user' ? 'user' : 'assistant';
        pushTexts(open, item.content);
      }
    }
  }
  close();
  add(found, foreign, system);
  return found;
}

/** Whose turn an item is part of; undefined where it says nothing that stands between two messages. */
function sideOf(item: Item): 'system' | 'user' | 'assistant' | 'other' | undefined {
  switch (item.kind) {
    case 'message':
      return item.role === 'user' || item.role === 'assistant' ? item.role : 'system';
    case 'reasoning':
    case 'additional_tools':
    case 'configuration_update':
    case 'compaction':
      return undefined;
    default:
      return 'other';
  }
}

function contentOf(item: Item): readonly (ContentPart | EncryptedPart)[] {
  if (item.kind === 'message' || item.kind === 'agent_message') return item.content;
  return item.kind === 'call_output' ? item.output : [];
}

function textsOf(parts: readonly (ContentPart | EncryptedPart)[]): Text[] {
  const texts: Text[] = [];
  pushTexts(texts, parts);
  return texts;
}

function pushTexts(texts: Text[], parts: readonly (ContentPart | EncryptedPart)[]): void {
  for (const part of parts) {
    if ('text' in part && part.text !== undefined && part.text !== '') texts.push({ text: part.text, part });
  }
}

function add(found: Neighbours[], place: TextPlace, texts: readonly Text[]): void {
  if (texts.length > 1) found.push({ place, texts });
}
