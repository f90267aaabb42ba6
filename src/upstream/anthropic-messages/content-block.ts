import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Delta } from '../../core/delta.ts';
import { isObject } from '../../util/json.ts';
import { calledName, type Lenient, textOf } from '../lenient.ts';
import type { TextRun } from '../text-run.ts';

/** Passes one delta on. */
export type Push = (delta: Delta) => void;

/** How a block begins. */
export type BlockStart = Lenient<
  Wire.RawContentBlockStartEvent['content_block'] | Beta.BetaMCPToolUseBlock | Beta.BetaMCPToolResultBlock
>;

/** The pieces that extend a block. */
export type BlockPiece = Lenient<Wire.RawContentBlockDelta>;

/** The text of a message, joined from all its blocks. */
export type MessageText = TextRun<Lenient<Wire.TextCitation>>;

/** A block of the answer that is still arriving. */
export interface ContentBlock {
  add(piece: BlockPiece): void;
  stop(): void;
}

/** A piece of a message; the provider makes a separate block of each cited part. */
export class TextBlock implements ContentBlock {
  readonly #run: MessageText;

  constructor(start: Extract<BlockStart, { type: 'text' }>, run: MessageText) {
    this.#run = run;
    run.write(textOf(start.text));
    for (const citation of start.citations ?? []) run.cite(citation);
  }

  add(piece: BlockPiece): void {
    if (piece.type === 'text_delta') this.#run.write(textOf(piece.text));
    if (piece.type === 'citations_delta' && piece.citation) this.#run.cite(piece.citation);
  }

  stop(): void {
    this.#run.stopBlock();
  }
}

/** Thoughts, visible or redacted. Their signature is passed on when they are complete. */
export class ThinkingBlock implements ContentBlock {
  readonly #block: number;
  readonly #push: Push;
  readonly #encrypted: string | undefined;
  #signature = '';
  #begun = false;

  constructor(
    block: number,
    start: Extract<BlockStart, { type: 'thinking' | 'redacted_thinking' }>,
    push: Push,
  ) {
    this.#block = block;
    this.#push = push;
    this.#encrypted = start.type === 'redacted_thinking' ? textOf(start.data) : undefined;
    if (start.type !== 'thinking') return;
    this.#signature = start.signature ?? '';
    this.#think(start.thinking);
  }

  add(piece: BlockPiece): void {
    if (piece.type === 'thinking_delta') this.#think(piece.thinking);
    if (piece.type === 'signature_delta') this.#signature += piece.signature ?? '';
  }

  stop(): void {
    const signature = textOf(this.#signature);
    const encrypted = this.#encrypted;
    const block = this.#block;
    if (signature !== undefined || encrypted !== undefined) {
      this.#push({ kind: 'seal', block, format: 'anthropic-claude-v1', encrypted, signature });
      this.#begun = true;
    }
    if (this.#begun) this.#push({ kind: 'end', block });
  }

  #think(thinking: string | null | undefined): void {
    const text = textOf(thinking);
    if (text === undefined) return;
    this.#begun = true;
    this.#push({ kind: 'thinking', block: this.#block, text });
  }
}

/** A call of a client's tool. */
export class CallBlock implements ContentBlock {
  readonly #block: number;
  readonly #push: Push;
  readonly #input: InputText;

  constructor(block: number, start: Lenient<Wire.ToolUseBlock>, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#input = new InputText(start.input);
    const name = calledName(start.name);
    push({ kind: 'call', block, form: 'function', name, callId: textOf(start.id) });
  }

  add(piece: BlockPiece): void {
    this.#write(this.#input.add(piece));
  }

  stop(): void {
    this.#write(this.#input.stop());
    this.#push({ kind: 'end', block: this.#block });
  }

  #write(text: string): void {
    if (text !== '') this.#push({ kind: 'arguments', block: this.#block, text });
  }
}

/** The JSON text of a call's input: in pieces, or from some providers complete at the start. */
export class InputText {
  readonly #given: unknown;
  #text = '';

  constructor(given: unknown) {
    this.#given = given;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  /** The text that a piece adds; may be empty. */
  add(piece: BlockPiece): string {
    const text = piece.type === 'input_json_delta' ? (textOf(piece.partial_json) ?? '') : '';
    this.#text += text;
    return text;
  }

  /** The text that was still missing at the end of the block. */
  stop(): string {
    if (this.#text !== '' || !isObject(this.#given) || Object.keys(this.#given).length === 0) return '';
    this.#text = JSON.stringify(this.#given);
    return this.#text;
  }
}
