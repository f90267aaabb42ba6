import type { Annotation, Delta } from '../core/delta.ts';
import type { JsonObject } from '../util/json.ts';

/** Reads a citation of the text between two offsets; undefined where it contains nothing to report. */
export type ReadCitation<Citation> = (
  citation: Citation,
  start_index: number,
  end_index: number,
) => Annotation | undefined;

/**
 * Consecutive blocks of text. Some dialects split a message at every citation, so that the cited text is a separate
 * block. Joined, the blocks are one text again, and a citation spans the part that came from its block.
 */
export class TextRun<Citation> {
  readonly #block: number;
  readonly #push: (delta: Delta) => void;
  readonly #read: ReadCitation<Citation>;
  readonly #original: ((citation: Citation) => JsonObject) | undefined;
  #citations: Citation[] = [];
  #from = 0;
  #length = 0;
  /** Whether the next text begins a block that nothing else sets apart. */
  #isNew = false;

  /**
   * @param block The first block's number, used for the whole run.
   * @param original The citation in the Messages format, where the dialect is that.
   */
  constructor(
    block: number,
    push: (delta: Delta) => void,
    read: ReadCitation<Citation>,
    original?: (citation: Citation) => JsonObject,
  ) {
    this.#original = original;
    this.#block = block;
    this.#push = push;
    this.#read = read;
  }

  write(text: string | undefined): void {
    if (text === undefined) return;
    this.#length += text.length;
    const delta = { kind: 'text', block: this.#block, text } as const;
    this.#push(this.#isNew ? { ...delta, newBlock: true } : delta);
    this.#isNew = false;
  }

  /** Stores a citation of the current block; its end offset is known when the block is complete. */
  cite(citation: Citation): void {
    this.#citations.push(citation);
  }

  /** Ends the current block. */
  stopBlock(): void {
    for (const citation of this.#citations) {
      const annotation = this.#read(citation, this.#from, this.#length);
      if (annotation === undefined) continue;
      this.#push({
        kind: 'annotation',
        block: this.#block,
        annotation: this.#withOriginal(annotation, citation),
      });
    }
    this.#isNew = this.#original !== undefined && this.#citations.length === 0 && this.#length > 0;
    this.#citations = [];
    this.#from = this.#length;
  }

  #withOriginal(annotation: Annotation, citation: Citation): Annotation {
    if (annotation.type === 'file_path' || this.#original === undefined) return annotation;
    const begins = annotation.type === 'file_citation' ? { start_index: this.#from } : {};
    return { ...annotation, ...begins, citation: this.#original(citation) };
  }

  /** Ends the run, if it has any text. */
  end(): void {
    this.stopBlock();
    if (this.#length > 0) this.#push({ kind: 'end', block: this.#block });
  }
}
