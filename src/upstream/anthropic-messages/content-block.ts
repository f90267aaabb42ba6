import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Delta } from '../../core/delta.ts';
import { isObject, type Lenient, textOf } from '../lenient.ts';
import { TextInputUnwrapper } from '../text-input-unwrapper.ts';

/** Passes one delta on. */
export type Push = (delta: Delta) => void;

/** How a block begins. */
export type BlockStart = Lenient<Wire.RawContentBlockStartEvent['content_block']>;

/** What is added to a block. */
export type BlockPiece = Lenient<Wire.RawContentBlockDelta>;

/** A block of the answer that is arriving. */
export interface ContentBlock {
  add(piece: BlockPiece): void;
  stop(): void;
}

/** Thoughts, open or redacted. What vouches for them is passed on when they are whole. */
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

/** A call of a tool; that of a tool with free-text input comes wrapped and is unwrapped. */
export class CallBlock implements ContentBlock {
  readonly #block: number;
  readonly #push: Push;
  readonly #unwrapper: TextInputUnwrapper | undefined;
  readonly #input: unknown;
  #begun = false;

  constructor(block: number, start: Lenient<Wire.ToolUseBlock>, custom: boolean, push: Push) {
    this.#block = block;
    this.#push = push;
    this.#unwrapper = custom ? new TextInputUnwrapper() : undefined;
    this.#input = start.input;
    const name = textOf(start.name) ?? '';
    push({ kind: 'call', block, form: custom ? 'custom' : 'function', name, callId: textOf(start.id) });
  }

  add(piece: BlockPiece): void {
    if (piece.type === 'input_json_delta') this.#write(textOf(piece.partial_json) ?? '');
  }

  stop(): void {
    // Some providers give the input at the start and no pieces of it.
    if (!this.#begun && isObject(this.#input) && Object.keys(this.#input).length > 0) {
      this.#write(JSON.stringify(this.#input));
    }
    this.#push({ kind: 'end', block: this.#block });
  }

  #write(json: string): void {
    if (json !== '') this.#begun = true;
    const text = this.#unwrapper === undefined ? json : this.#unwrapper.push(json);
    if (text !== '') this.#push({ kind: 'arguments', block: this.#block, text });
  }
}
