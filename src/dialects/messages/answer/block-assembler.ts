import type { Delta } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../util/json.ts';
import { WaitingDeltas } from '../../gateway/assembly/waiting-deltas.ts';
import { WholeCharacters } from '../../gateway/assembly/whole-characters.ts';
import type { BlockSink, BlockWriter } from './block-writer.ts';
import { CallWriter } from './call-writer.ts';
import { executedBlocks } from './executed-blocks.ts';
import { HostedWriter, writeWhole } from './hosted-writer.ts';
import type { Block, Emit } from './message.ts';
import { TextWriter } from './text-writer.ts';
import { type ThinkingSettings, ThinkingWriter } from './thinking-writer.ts';

type BlockDelta = Extract<Delta, { block: number }>;

/** How the blocks of an answer are shaped. */
export interface BlockSettings extends ThinkingSettings {
  /** Whether thoughts are left out altogether. */
  readonly hidesThoughts: boolean;
}

/**
 * Turns deltas into content blocks, strictly one after the other (docs/spec/messages.md#order-of-events): what begins
 * while a call or a hosted tool is unfinished waits until that is whole.
 */
export class BlockAssembler implements BlockSink {
  readonly #settings: BlockSettings;
  readonly #emit: Emit;
  readonly #blocks: Block[] = [];
  readonly #characters = new WholeCharacters();
  readonly #waiting = new WaitingDeltas();
  readonly #closed = new Set<number>();
  #open: BlockWriter | undefined;
  #index = 0;
  #refusal = '';
  #calls = false;

  constructor(settings: BlockSettings, emit: Emit) {
    this.#settings = settings;
    this.#emit = emit;
  }

  /** The blocks so far, without the one that is open. */
  get blocks(): readonly Block[] {
    return this.#blocks;
  }

  /** Whether the model called a tool of the client. */
  get calls(): boolean {
    return this.#calls;
  }

  /** What the model said when it refused; empty when it did not. */
  get refusal(): string {
    return this.#refusal;
  }

  /** @throws HeadgateError `provider_failed` when the provider contradicts itself. */
  push(delta: Delta): void {
    if ('text' in delta) this.#pushBlock(this.#characters.complete(delta));
    else if ('block' in delta) this.#pushBlock(delta);
  }

  /** Adds what a tool did that the gateway ran. */
  addExecuted(type: string, fields: JsonObject): void {
    this.finish();
    for (const block of executedBlocks(type, fields)) {
      writeWhole(block, this);
      this.#blocks.push(block);
    }
  }

  /** Ends everything that is open. */
  finish(): void {
    do {
      this.#close();
      this.#replay();
    } while (this.#open !== undefined || !this.#waiting.isEmpty);
  }

  start(content_block: Block): void {
    this.#emit({ type: 'content_block_start', index: this.#index, content_block });
  }

  delta(delta: { readonly type: string; readonly [member: string]: unknown }): void {
    this.#emit({ type: 'content_block_delta', index: this.#index, delta });
  }

  stop(): void {
    this.#emit({ type: 'content_block_stop', index: this.#index });
    this.#index += 1;
  }

  #pushBlock(delta: BlockDelta): void {
    if ('text' in delta && delta.text === '') return;
    if (this.#settings.hidesThoughts && isThought(delta)) return;
    if (!this.#waiting.isEmpty || !this.#place(delta)) this.#wait(delta);
  }

  #wait(delta: BlockDelta): void {
    // What belongs to the open block overtakes what waits for its end.
    if (this.#open?.block === delta.block && this.#place(delta)) this.#replay();
    else this.#waiting.add(delta);
  }

  /** Writes a delta where it belongs, or says that it has to wait. */
  #place(delta: BlockDelta): boolean {
    const open = this.#open;
    if (delta.kind === 'end') {
      if (open?.block === delta.block) open.ended = true;
      return true;
    }
    if (open?.block === delta.block && open.takes(delta)) {
      this.#write(open, delta);
      return true;
    }
    if (open?.yields === false) return false;
    this.#begin(delta);
    return true;
  }

  #write(writer: BlockWriter, delta: BlockDelta): void {
    if (delta.kind === 'refusal') this.#refusal += delta.text;
    writer.write(delta);
  }

  #begin(delta: BlockDelta): void {
    if (delta.kind === 'arguments') {
      if (delta.text.trim() === '') return;
      throw new HeadgateError('provider_failed', 'The provider sent tool arguments outside of a call.');
    }
    // What belongs to a block that is closed cannot be added to it.
    if ((delta.kind === 'seal' || delta.kind === 'annotation') && this.#closed.has(delta.block)) return;
    const isBeginning = delta.kind === 'hosted' || !isProgress(delta);
    if (!isBeginning) return;
    this.#close();
    const writer = this.#createWriter(delta);
    this.#open = writer;
    if (writer !== undefined) this.#write(writer, delta);
  }

  #createWriter(delta: BlockDelta): BlockWriter | undefined {
    switch (delta.kind) {
      case 'text':
      case 'refusal':
      case 'annotation':
        return new TextWriter(delta.block, this, this.#settings.carriers);
      case 'thinking':
      case 'summary':
      case 'seal':
        return new ThinkingWriter(delta.block, this.#settings, this);
      case 'call':
        this.#calls = true;
        return new CallWriter(delta, this);
      case 'hosted':
        return new HostedWriter(delta, this);
    }
    return undefined;
  }

  #close(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    this.#closed.add(open.block);
    this.#blocks.push(...open.close());
  }

  /** Gives what waits its turn, until something unfinished has all that came of it. */
  #replay(): void {
    for (;;) {
      const open = this.#open;
      const delta =
        open?.yields === false
          ? this.#waiting.takeOf(open.block, (next) => next.kind === 'end' || open.takes(next))
          : this.#waiting.take(() => true);
      if (delta === undefined) return;
      this.#place(delta);
    }
  }
}

function isThought({ kind }: BlockDelta): boolean {
  return kind === 'thinking' || kind === 'summary' || kind === 'seal';
}

/** Whether a delta continues the block of a hosted tool instead of beginning it. */
function isProgress({ kind }: BlockDelta): boolean {
  return kind === 'stage' || kind === 'fragment' || kind === 'partial_image' || kind === 'result';
}
