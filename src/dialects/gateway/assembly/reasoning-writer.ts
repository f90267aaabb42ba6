import type { Delta, ReasoningFormat } from '../../../core/delta.ts';
import { createId } from '../../../core/ids.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import type { ClosedStatus, Emit, ItemPlace, ItemWriter } from './item-writer.ts';
import type { ItemStatus, OutputReasoning } from './response.ts';

type PartKind = 'thinking' | 'summary';

/**
 * What the model thought: raw text parts, summary parts, and a seal to hand back (docs/spec/answers.md#order-of-events
 * `reasoning`).
 */
export class ReasoningWriter implements ItemWriter {
  readonly block: number;
  ended = false;
  readonly yields = true;
  readonly #emit: Emit;
  readonly #place: ItemPlace;
  readonly #showEncrypted: boolean;
  readonly #content: OutputReasoning['content'] = [];
  readonly #summary: OutputReasoning['summary'] = [];
  #open: { readonly kind: PartKind; readonly number: number; readonly text: GrowingText } | undefined;
  #seal: { format?: ReasoningFormat; encrypted?: string; signature?: string } = {};

  constructor(block: number, outputIndex: number, showEncrypted: boolean, emit: Emit) {
    this.block = block;
    this.#emit = emit;
    this.#showEncrypted = showEncrypted;
    this.#place = { item_id: createId('rs_'), output_index: outputIndex };
    const item: OutputReasoning = {
      type: 'reasoning',
      id: this.#place.item_id,
      status: 'in_progress',
      summary: [],
      content: [],
    };
    emit({ type: 'response.output_item.added', output_index: outputIndex, item });
  }

  get outputIndex(): number {
    return this.#place.output_index;
  }

  takes(delta: Delta): boolean {
    return delta.kind === 'thinking' || delta.kind === 'summary' || delta.kind === 'seal';
  }

  write(delta: Delta): void {
    if (delta.kind === 'seal') {
      this.#seal = {
        format: delta.format,
        encrypted: delta.encrypted ?? this.#seal.encrypted,
        signature: delta.signature ?? this.#seal.signature,
      };
      return;
    }
    if ((delta.kind !== 'thinking' && delta.kind !== 'summary') || delta.text === '') return;
    const text = this.#part(delta.kind, delta.part ?? 0);
    text.append(delta.text);
    const { item_id, output_index } = this.#place;
    if (delta.kind === 'thinking') {
      const content_index = this.#content.length;
      this.#emit({
        type: 'response.reasoning_text.delta',
        item_id,
        output_index,
        content_index,
        delta: delta.text,
      });
    } else {
      const summary_index = this.#summary.length;
      this.#emit({
        type: 'response.reasoning_summary_text.delta',
        item_id,
        output_index,
        summary_index,
        delta: delta.text,
      });
    }
  }

  close(status: ClosedStatus): OutputReasoning {
    this.#closePart();
    const item = this.#item(status);
    this.#emit({ type: 'response.output_item.done', output_index: this.#place.output_index, item });
    return item;
  }

  abandon(): OutputReasoning {
    if (this.#open !== undefined) this.#keep(this.#open.kind, this.#open.text.value);
    return this.#item('incomplete');
  }

  /** The text of a part, which is begun where it is not open. */
  #part(kind: PartKind, number: number): GrowingText {
    if (this.#open?.kind === kind && this.#open.number === number) return this.#open.text;
    this.#closePart();
    if (kind === 'thinking') {
      const content_index = this.#content.length;
      const part = { type: 'reasoning_text' as const, text: '' };
      this.#emit({ type: 'response.content_part.added', ...this.#place, content_index, part });
    } else {
      const summary_index = this.#summary.length;
      const part = { type: 'summary_text' as const, text: '' };
      this.#emit({ type: 'response.reasoning_summary_part.added', ...this.#place, summary_index, part });
    }
    this.#open = { kind, number, text: new GrowingText() };
    return this.#open.text;
  }

  #closePart(): void {
    if (this.#open === undefined) return;
    const { kind } = this.#open;
    const text = this.#open.text.value;
    if (kind === 'thinking') {
      const at = { ...this.#place, content_index: this.#content.length };
      this.#emit({ type: 'response.reasoning_text.done', ...at, text });
      this.#emit({ type: 'response.content_part.done', ...at, part: { type: 'reasoning_text', text } });
    } else {
      const at = { ...this.#place, summary_index: this.#summary.length };
      this.#emit({ type: 'response.reasoning_summary_text.done', ...at, text });
      this.#emit({
        type: 'response.reasoning_summary_part.done',
        ...at,
        part: { type: 'summary_text', text },
      });
    }
    this.#keep(kind, text);
    this.#open = undefined;
  }

  #keep(kind: PartKind, text: string): void {
    if (kind === 'thinking') this.#content.push({ type: 'reasoning_text', text });
    else this.#summary.push({ type: 'summary_text', text });
  }

  #item(status: ItemStatus): OutputReasoning {
    const item: OutputReasoning = {
      type: 'reasoning',
      id: this.#place.item_id,
      status,
      summary: this.#summary,
      content: this.#content,
    };
    // One validator rejects null here, so what is not there is left out (docs/spec/requests.md#sealed-reasoning).
    if (this.#showEncrypted && this.#seal.encrypted !== undefined)
      item.encrypted_content = this.#seal.encrypted;
    if (this.#seal.signature !== undefined) item.signature = this.#seal.signature;
    if (this.#seal.format !== undefined) item.format = this.#seal.format;
    return item;
  }
}
