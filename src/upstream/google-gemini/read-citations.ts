import type { Annotation } from '../../core/delta.ts';
import { isObject } from '../../util/json.ts';
import { type Lenient, textOf } from '../lenient.ts';
import type { GroundingMetadata, GroundingSupport } from './wire.ts';

interface Source {
  readonly url: string;
  readonly title: string;
}

type Span = readonly [number, number];

/**
 * Reads the citations of a text: search results that support a passage, and passages that the model recites.
 * @param text The whole text they may refer to.
 * @param recited The candidate's `citationMetadata`, whose list has two names.
 */
export function readCitations(
  text: string,
  grounding: Lenient<GroundingMetadata>,
  recited: unknown,
): readonly Annotation[] {
  const offsets = new TextOffsets(text);
  const sources = sourcesOf(grounding);
  const found = (grounding.groundingSupports ?? []).flatMap((support) => {
    const span = spanOf(support, offsets);
    if (span === undefined) return [];
    const cited = (support.groundingChunkIndices ?? []).map((index) => sources[index]);
    return cited.flatMap((source) => (source === undefined ? [] : toAnnotation(source, span)));
  });
  return [...found, ...recitedIn(recited, offsets)];
}

/** Addresses that the search found, in the order of the supports' indices. */
export function sourcesOf({ groundingChunks }: Lenient<GroundingMetadata>): readonly (Source | undefined)[] {
  return (groundingChunks ?? []).map(({ web, maps, retrievedContext }) => {
    const chunk = web ?? maps ?? retrievedContext;
    const url = textOf(chunk?.uri);
    return url === undefined ? undefined : { url, title: textOf(chunk?.title) ?? '' };
  });
}

/** The span by byte offsets; if the text there differs, by searching for the segment's text. */
function spanOf({ segment }: Lenient<GroundingSupport>, offsets: TextOffsets): Span | undefined {
  const words = textOf(segment?.text);
  const span = segment?.endIndex ? offsets.span(segment.startIndex ?? 0, segment.endIndex) : undefined;
  if (words === undefined || (span !== undefined && offsets.slice(span) === words)) return span;
  return offsets.find(words);
}

function recitedIn(recited: unknown, offsets: TextOffsets): readonly Annotation[] {
  if (!isObject(recited)) return [];
  const list = recited.citations ?? recited.citationSources;
  return (Array.isArray(list) ? list : []).filter(isObject).flatMap((citation) => {
    const url = textOf(citation.uri);
    const span = offsets.span(Number(citation.startIndex ?? 0), Number(citation.endIndex ?? 0));
    if (url === undefined || span === undefined) return [];
    return toAnnotation({ url, title: textOf(citation.title) ?? '' }, span);
  });
}

function toAnnotation({ url, title }: Source, [start_index, end_index]: Span): Annotation {
  return { type: 'url_citation', url, title, start_index, end_index };
}

/** Converts offsets in UTF-8 bytes to offsets in UTF-16 units, for one text. */
export class TextOffsets {
  readonly #text: string;
  readonly #bytes: Buffer;
  /** The last converted position; citations mostly come in order. */
  #counted = { bytes: 0, length: 0 };

  constructor(text: string) {
    this.#text = text;
    this.#bytes = Buffer.from(text);
  }

  /**
   * The UTF-16 span of bytes, end exclusive. A span that begins or ends inside a character is widened to the whole
   * character. Undefined when it is not a span of this text.
   */
  span(startByte: number, endByte: number): readonly [number, number] | undefined {
    if (!Number.isInteger(startByte) || !Number.isInteger(endByte)) return undefined;
    if (startByte < 0 || endByte <= startByte || startByte >= this.#bytes.length) return undefined;
    const start = this.#length(this.#boundary(startByte, -1));
    const end = this.#length(this.#boundary(Math.min(endByte, this.#bytes.length), 1));
    return [start, end];
  }

  /** The span of a passage, found by its text. */
  find(piece: string): readonly [number, number] | undefined {
    const start = this.#text.indexOf(piece);
    return start === -1 ? undefined : [start, start + piece.length];
  }

  slice([start, end]: readonly [number, number]): string {
    return this.#text.slice(start, end);
  }

  #length(bytes: number): number {
    const from = bytes < this.#counted.bytes ? { bytes: 0, length: 0 } : this.#counted;
    const length = from.length + this.#bytes.toString('utf8', from.bytes, bytes).length;
    this.#counted = { bytes, length };
    return length;
  }

  #boundary(byte: number, step: 1 | -1): number {
    let at = byte;
    while (at > 0 && at < this.#bytes.length && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
    return at;
  }
}
