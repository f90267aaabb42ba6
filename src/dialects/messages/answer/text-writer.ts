import type { Annotation, Delta } from '../../../core/delta.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import type { JsonObject } from '../../../util/json.ts';
import { writeCitation } from '../../gateway/carrier.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
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
  readonly #carriers: CarrierSeal | undefined;
  readonly #blocks: Block[] = [];
  /** All text, because citations count from its beginning. */
  readonly #text = new GrowingText();
  #from = 0;
  #length = 0;
  #citations: JsonObject[] = [];
  #isOpen = false;

  /** @param carriers Seals what this format has no place for. */
  constructor(block: number, sink: BlockSink, carriers?: CarrierSeal) {
    this.block = block;
    this.#carriers = carriers;
    this.#sink = sink;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'text' || kind === 'refusal' || kind === 'annotation';
  }

  write(delta: Delta): void {
    if (delta.kind === 'annotation') this.#cite(this.#toCitation(delta.annotation));
    else if (delta.kind === 'text') this.#append(delta.text, delta.newBlock);
    else if (delta.kind === 'refusal') this.#append(delta.text);
  }

  close(): readonly Block[] {
    this.#closeBlock();
    return this.#blocks;
  }

  #append(text: string, isNew?: true): void {
    if (isNew === true || this.#citations.length > 0) this.#closeBlock();
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

  /** A provider's own citation, or one of a web page; undefined for files, whose places this format cannot name. */
  #toCitation(annotation: Annotation): JsonObject | undefined {
    if ('citation' in annotation && annotation.citation !== undefined) return annotation.citation;
    if (annotation.type !== 'url_citation') return undefined;
    const { url, title, start_index, end_index, content } = annotation;
    const carried = { annotation, at: this.#length };
    return {
      type: 'web_search_result_location',
      url,
      title,
      cited_text: content ?? this.#text.value.slice(start_index, end_index),
      encrypted_index: this.#carriers === undefined ? '' : writeCitation(carried, this.#carriers),
    };
  }
}
