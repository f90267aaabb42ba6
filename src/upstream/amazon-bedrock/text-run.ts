import type { Annotation, Delta } from '../../core/delta.ts';
import { textOf } from '../lenient.ts';
import type { WireCitation } from './wire-events.ts';

/**
 * Blocks of text that follow each other without another kind between them. Cited words are a block of their own;
 * together the blocks are one text again, and a citation spans the part of it that its block gave.
 */
export class TextRun {
  readonly block: number;
  readonly #push: (delta: Delta) => void;
  readonly #citations: WireCitation[] = [];
  #from = 0;
  #length = 0;

  /** @param block the first block's number, which stands for the whole run. */
  constructor(block: number, push: (delta: Delta) => void) {
    this.block = block;
    this.#push = push;
  }

  write(piece: string): void {
    this.#length += piece.length;
    this.#push({ kind: 'text', block: this.block, text: piece });
  }

  /** Notes a citation of the block that is arriving; where it ends is known when the block is whole. */
  cite(citation: WireCitation): void {
    this.#citations.push(citation);
  }

  /** The block that was arriving is whole. */
  stopBlock(): void {
    for (const citation of this.#citations.splice(0)) {
      const annotation = readCitation(citation, this.#from, this.#length);
      this.#push({ kind: 'annotation', block: this.block, annotation });
    }
    this.#from = this.#length;
  }

  /** Says that the run is whole. */
  end(): void {
    this.stopBlock();
    this.#push({ kind: 'end', block: this.block });
  }
}

/** A citation of the web, or of a document of the conversation, whose place stands for it. */
function readCitation(citation: WireCitation, start_index: number, end_index: number): Annotation {
  const source = textOf(citation.source);
  const url = textOf(citation.location?.web?.url) ?? (source && URL.canParse(source) ? source : undefined);
  const title = citation.title ?? '';
  const cited = (citation.sourceContent ?? []).map(({ text }) => text ?? '').join('');
  if (url === undefined) return { type: 'file_citation', file_id: '', filename: title, index: end_index };
  return { type: 'url_citation', url, title, start_index, end_index, content: textOf(cited) };
}
