import { qualifiedName } from '../core/client-tools.ts';
import type { Delta, FinishReason } from '../core/delta.ts';
import { HeadgateError } from '../core/errors.ts';
import type { OutputItem, StreamEvent, StreamEventBody } from '../core/response.ts';
import { CallWriter } from './call-writer.ts';
import type { ClosedStatus, ItemWriter } from './item-writer.ts';
import { MessageWriter } from './message-writer.ts';
import { ReasoningWriter } from './reasoning-writer.ts';

type BlockDelta = Extract<Delta, { block: number }>;

/** What of a request shapes the items of its answer. */
export interface AssemblySettings {
  /** Whether reasoning items carry the provider's opaque blob. */
  readonly includeEncryptedReasoning: boolean;
  /** Whether reasoning is left out of the answer altogether. */
  readonly excludeReasoning: boolean;
  /** Qualified names of tools whose calls carry `async: true`. */
  readonly asyncTools: ReadonlySet<string>;
}

/**
 * Turns deltas into the items and events of a public answer by the grammar of responses.md 8.3. It alone
 * opens and closes items and parts, and numbers events. Items never overlap: fragments of a block that
 * begins while a call is unfinished wait until that call is whole.
 */
export class Assembler {
  /** Items closed so far, in their final form. */
  readonly output: OutputItem[] = [];
  readonly #settings: AssemblySettings;
  readonly #sink: (event: StreamEvent) => void;
  readonly #closed = new Set<number>();
  #sequence = 0;
  #open: ItemWriter | undefined;
  #waiting: BlockDelta[] = [];
  #finish: FinishReason | undefined;

  constructor(settings: AssemblySettings, sink: (event: StreamEvent) => void) {
    this.#settings = settings;
    this.#sink = sink;
  }

  /** Why the model stopped, once it said so. */
  get finishReason(): FinishReason | undefined {
    return this.#finish;
  }

  /** Whether anything of the answer was announced. */
  get begun(): boolean {
    return this.output.length > 0 || this.#open !== undefined;
  }

  /** Numbers an event and hands it on. The lifecycle's own events go through here as well. */
  readonly emit = (event: StreamEventBody): void => {
    const numbered = event as StreamEvent;
    numbered.sequence_number = this.#sequence++;
    this.#sink(numbered);
  };

  /**
   * Takes one delta in the provider's order.
   * @throws HeadgateError `provider_failed` when the provider contradicts itself.
   */
  push(delta: Delta): void {
    if (delta.kind === 'finish') this.finish(delta.reason);
    else if ('block' in delta) this.#pushBlock(delta);
  }

  /** Ends the answer in the regular way: what is open is closed, as incomplete when a limit cut it off. */
  finish(reason: FinishReason): void {
    if (this.#finish !== undefined) return;
    this.#flushWaiting();
    const cutOff = reason === 'length' || reason === 'content_filter';
    this.#closeOpen(cutOff ? 'incomplete' : 'completed');
    this.#finish = reason;
  }

  /** Ends the answer after a failure: no closing events; returns the output with the open item as it is. */
  abandon(): readonly OutputItem[] {
    if (this.#open === undefined) return this.output;
    return [...this.output, this.#open.abandon()];
  }

  #pushBlock(delta: BlockDelta): void {
    if (this.#finish !== undefined || isEmpty(delta)) return;
    if (this.#settings.excludeReasoning && isReasoning(delta)) return;
    const open = this.#open;
    if (delta.kind === 'end') this.#endBlock(delta);
    else if (open !== undefined && open.block === delta.block && open.takes(delta)) open.write(delta);
    else if (open !== undefined && !open.yields) this.#waiting.push(delta);
    else this.#begin(delta);
    if (this.#waiting.length > 0 && this.#open?.yields !== false) this.#replayWaiting();
  }

  #endBlock(delta: BlockDelta): void {
    // Closing waits for what comes next: some providers tell of a cut-off only after the block's end.
    if (this.#open?.block === delta.block) this.#open.ended = true;
    else if (this.#waiting.length > 0) this.#waiting.push(delta);
  }

  #begin(delta: BlockDelta): void {
    if (delta.kind === 'arguments') {
      this.#lateArguments(delta.block, delta.text);
      return;
    }
    // A closed item never changes, and a seal alone would be a thought nobody had.
    if (delta.kind === 'seal' && this.#closed.has(delta.block)) return;
    this.#closeOpen('completed');
    this.#open = this.#createWriter(delta, this.output.length);
    this.#open?.write(delta);
  }

  #createWriter(delta: BlockDelta, index: number): ItemWriter | undefined {
    switch (delta.kind) {
      case 'text':
        return new MessageWriter(delta.block, index, delta.phase, this.emit);
      case 'refusal':
      case 'annotation':
        return new MessageWriter(delta.block, index, undefined, this.emit);
      case 'thinking':
      case 'summary':
      case 'seal':
        return new ReasoningWriter(delta.block, index, this.#settings.includeEncryptedReasoning, this.emit);
      case 'call':
        return new CallWriter(
          delta,
          index,
          this.#settings.asyncTools.has(qualifiedName(delta.name, delta.namespace)),
          this.emit,
        );
    }
    return undefined;
  }

  #lateArguments(block: number, text: string): void {
    if (text.trim() === '') return;
    const problem = this.#closed.has(block) ? 'after they were complete' : 'without a call';
    throw new HeadgateError('provider_failed', `The provider sent tool arguments ${problem}.`);
  }

  #closeOpen(status: ClosedStatus): void {
    if (this.#open === undefined) return;
    this.#closed.add(this.#open.block);
    this.output.push(this.#open.close(status));
    this.#open = undefined;
  }

  #replayWaiting(): void {
    const deltas = this.#waiting;
    this.#waiting = [];
    for (const delta of deltas) this.#pushBlock(delta);
  }

  /** At the end nothing more can make an open call whole, so each waiting block gets its turn. */
  #flushWaiting(): void {
    while (this.#waiting.length > 0) {
      this.#closeOpen('completed');
      this.#replayWaiting();
    }
  }
}

function isEmpty(delta: BlockDelta): boolean {
  return 'text' in delta && delta.text === '';
}

function isReasoning(delta: BlockDelta): boolean {
  return delta.kind === 'thinking' || delta.kind === 'summary' || delta.kind === 'seal';
}
