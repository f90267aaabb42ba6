import type { Delta } from '../../../core/delta.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import { type CarriedReasoning, writeCarrier } from '../../gateway/carrier.ts';
import type { CarrierSeal } from '../../public-dialect.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import type { Block } from './message.ts';

type Seal = Extract<Delta, { kind: 'seal' }>;

/** How thoughts are shown. */
export interface ThinkingSettings {
  /** Whether only their seals are shown. */
  readonly omitsText: boolean;
  readonly carriers?: CarrierSeal;
}

/** A thought with its seal: Claude's own as it is, another maker's in a carrier (docs/spec/messages.md#thoughts). */
export class ThinkingWriter implements BlockWriter {
  readonly block: number;
  ended = false;
  readonly yields = true;
  readonly #sink: BlockSink;
  readonly #settings: ThinkingSettings;
  readonly #text = new GrowingText();
  #part: string | undefined;
  #isOpen = false;
  #isSummary = false;
  #seal: Pick<Seal, 'format' | 'encrypted' | 'signature'> | undefined;

  constructor(block: number, settings: ThinkingSettings, sink: BlockSink) {
    this.block = block;
    this.#settings = settings;
    this.#sink = sink;
  }

  takes({ kind }: Delta): boolean {
    return kind === 'thinking' || kind === 'summary' || kind === 'seal';
  }

  write(delta: Delta): void {
    if (delta.kind === 'seal') {
      const { format, encrypted = this.#seal?.encrypted, signature = this.#seal?.signature } = delta;
      this.#seal = { format, encrypted, signature };
    } else if (delta.kind === 'thinking' || delta.kind === 'summary') this.#append(delta);
  }

  close(): readonly Block[] {
    if (!this.#isOpen) return this.#closeWordless();
    const signature = this.#signature();
    this.#sink.delta({ type: 'signature_delta', signature });
    this.#sink.stop();
    return [{ type: 'thinking', thinking: this.#text.value, signature }];
  }

  #append({ kind, part = 0, text }: Extract<Delta, { kind: 'thinking' | 'summary' }>): void {
    const name = `${kind} ${part}`;
    const isNext = this.#part !== undefined && this.#part !== name;
    this.#part = name;
    if (kind === 'summary') this.#isSummary = true;
    this.#open();
    if (this.#settings.omitsText) return;
    const thinking = isNext ? `\n\n${text}` : text;
    this.#text.append(thinking);
    this.#sink.delta({ type: 'thinking_delta', thinking });
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#sink.start({ type: 'thinking', thinking: '', signature: '' });
  }

  /** A seal without a thought to show: Claude's signature stands on an empty thought, all others are redacted. */
  #closeWordless(): readonly Block[] {
    const seal = this.#seal;
    if (seal === undefined) return [];
    if (seal.format === 'anthropic-claude-v1' && seal.signature !== undefined) {
      this.#open();
      return this.close();
    }
    const own = seal.format === 'anthropic-claude-v1' ? seal.encrypted : undefined;
    const data = own ?? this.#carrier();
    if (data === '') return [];
    const block = { type: 'redacted_thinking', data };
    this.#sink.start(block);
    this.#sink.stop();
    return [block];
  }

  #signature(): string {
    const seal = this.#seal;
    if (seal?.format === 'anthropic-claude-v1') return seal.signature ?? '';
    return this.#carrier();
  }

  /** Without a key to seal with there is nothing a client could give back. */
  #carrier(): string {
    const { carriers } = this.#settings;
    if (carriers === undefined) return '';
    const carried: CarriedReasoning = {
      format: 'unknown',
      ...this.#seal,
      ...(this.#isSummary && { kind: 'summary' as const }),
    };
    return writeCarrier(carried, carriers);
  }
}
