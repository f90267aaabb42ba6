import type { Annotation, Delta } from '../core/delta.ts';

/** A citation of the words between two places of a text; undefined where it says nothing anybody can be told. */
export type ReadCitation<Citation> = (
  citation: Citation,
  start_index: number,
  end_index: number,
) => Annotation | undefined;

/**
 * Blocks of text that follow each other without another kind between them. Some dialects cut a message at every
 * citation, so that the cited words are a block of their own; together the blocks are one text again, and a citation
 * spans the part of it that its block gave.
 */
export class TextRun<Citation> {
  readonly #block: number;
  readonly #push: (delta: Delta) => void;
  readonly #read: ReadCitation<Citation>;
  #citations: Citation[] = [];
  #from = 0;
  #length = 0;

  /** @param block The first block's number, which stands for the whole run. */
  constructor(block: number, push: (delta: Delta) => void, read: ReadCitation<Citation>) {
    this.#block = block;
    this.#push = push;
    this.#read = read;
  }

  write(text: string | undefined): void {
    if (text === undefined) return;
    this.#length += text.length;
    this.#push({ kind: 'text', block: this.#block, text });
  }

  /** Notes a citation of the block that is arriving; where it ends is known when the block is whole. */
  cite(citation: Citation): void {
    this.#citations.push(citation);
  }

  /** The block that was arriving is whole. */
  stopBlock(): void {
    for (const citation of this.#citations) {
      const annotation = this.#read(citation, this.#from, this.#length);
      if (annotation !== undefined) this.#push({ kind: 'annotation', block: this.#block, annotation });
    }
    this.#citations = [];
    this.#from = this.#length;
  }

  /** Says that the run is whole, if it gave any text. */
  end(): void {
    this.stopBlock();
    if (this.#length > 0) this.#push({ kind: 'end', block: this.#block });
  }
}
