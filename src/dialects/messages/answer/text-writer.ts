import type { Annotation, Delta } from '../../../core/delta.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import type { Block } from './message.ts';

/**
 * Text, in as many blocks as its citations need: what follows a citation is a new block, so that each covers no text
 * that came after it (docs/spec/messages.md#citations).
 */
export class TextWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly yields = true;
  readonly #sink: BlockSink;
  readonly #blocks: Block[] = [];
  /** All text, because citations count from its beginning. */
  readonly #text = new GrowingText();
  #from = 0;
  #length = 0;
  #citations: JsonObject[] = [];
  #isOpen = false;

  constructor(block: number, sink: BlockSink) {
    this.block = block;
    this.#sink = sink;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'text' || kind === 'refusal' || kind === 'annotation';
  }

  write(delta: Delta): void {
    if (delta.kind === 'annotation')
      this.#cite(delta.citation ?? toCitation(delta.annotation, this.#text.value));
    else if (delta.kind === 'text' || delta.kind === 'refusal') this.#append(delta.text);
  }

  close(): readonly Block[] {
    this.#closeBlock();
    return this.#blocks;
  }

  #append(text: string): void {
    if (this.#citations.length > 0) this.#closeBlock();
    this.#open();
    this.#text.append(text);
    this.#length += text.length;
    this.#sink.delta({ type: 'text_delta', text });
  }

  #cite(citation: JsonObject | undefined): void {
    // A citation of nothing would be a block without text.
    if (citation === undefined || !this.#isOpen) return;
    this.#citations.push(citation);
    this.#sink.delta({ type: 'citations_delta', citation });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#sink.start({ type: 'text', text: '', citations: [] });
  }

  #closeBlock(): void {
    if (!this.#isOpen) return;
    const text = this.#from === 0 ? this.#text.value : this.#text.value.slice(this.#from);
    this.#blocks.push({ type: 'text', text, citations: this.#citations });
    this.#sink.stop();
    this.#from = this.#length;
    this.#citations = [];
    this.#isOpen = false;
  }
}

/** A citation of a web page; undefined for files, whose places this format cannot name. */
function toCitation(annotation: Annotation, text: string): JsonObject | undefined {
  if (annotation.type !== 'url_citation') return undefined;
  const { url, title, start_index, end_index, content } = annotation;
  return {
    type: 'web_search_result_location',
    url,
    title,
    cited_text: content ?? text.slice(start_index, end_index),
    encrypted_index: '',
  };
}
