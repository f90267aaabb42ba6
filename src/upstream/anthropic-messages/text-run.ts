import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Annotation } from '../../core/delta.ts';
import { type Lenient, textOf } from '../lenient.ts';
import type { BlockPiece, BlockStart, ContentBlock, Push } from './content-block.ts';

/**
 * Text blocks that follow each other without another kind between them. The dialect cuts a message at every
 * citation, so that the cited words are a block of their own; together they are one text again, and a
 * citation spans the part of it that its block gave.
 */
export class TextRun {
  readonly #block: number;
  readonly #push: Push;
  #length = 0;

  /** @param block The first block's number, which stands for the whole run. */
  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
  }

  /** Begins the next block of the run. */
  begin(start: Extract<BlockStart, { type: 'text' }>): ContentBlock {
    const from = this.#length;
    const citations: Lenient<Wire.TextCitation>[] = [...(start.citations ?? [])];
    this.#write(start.text);
    return {
      add: (piece: BlockPiece) => {
        if (piece.type === 'text_delta') this.#write(piece.text);
        if (piece.type === 'citations_delta' && piece.citation) citations.push(piece.citation);
      },
      // Where a citation ends is known only now.
      stop: () => {
        for (const citation of citations) this.#cite(citation, from);
      },
    };
  }

  /** Says that the run is whole, if it gave any text. */
  end(): void {
    if (this.#length > 0) this.#push({ kind: 'end', block: this.#block });
  }

  #write(piece: string | null | undefined): void {
    const text = textOf(piece);
    if (text === undefined) return;
    this.#length += text.length;
    this.#push({ kind: 'text', block: this.#block, text });
  }

  #cite(citation: Lenient<Wire.TextCitation>, from: number): void {
    const annotation = readCitation(citation, from, this.#length);
    if (annotation !== undefined) this.#push({ kind: 'annotation', block: this.#block, annotation });
  }
}

/** A citation of the web, or of a document of the conversation, whose place stands for it. */
function readCitation(
  citation: Lenient<Wire.TextCitation>,
  start_index: number,
  end_index: number,
): Annotation | undefined {
  const content = textOf(citation.cited_text);
  switch (citation.type) {
    case 'web_search_result_location':
    case 'search_result_location': {
      const url = textOf(citation.type === 'search_result_location' ? citation.source : citation.url);
      const title = citation.title ?? '';
      return url === undefined
        ? undefined
        : { type: 'url_citation', url, title, start_index, end_index, content };
    }
    case 'char_location':
    case 'page_location':
    case 'content_block_location': {
      const file_id = citation.file_id ?? '';
      return { type: 'file_citation', file_id, filename: citation.document_title ?? '', index: end_index };
    }
    default:
      return undefined;
  }
}
