import type { ExecutedPart, ExecutingPart, ProgressPart, SuspendedPart } from '../../../core/answer-part.ts';
import { qualifiedName } from '../../../core/client-tools.ts';
import type { Delta, FinishReason } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { ParsedFile } from '../../../core/parsed-file.ts';
import { CallWriter } from './call-writer.ts';
import { type HostedKindRow, hostedKinds } from './hosted-kinds.ts';
import { HostedWriter } from './hosted-writer.ts';
import type { ClosedStatus, ItemWriter } from './item-writer.ts';
import { MessageWriter } from './message-writer.ts';
import { ReasoningWriter } from './reasoning-writer.ts';
import type { OutputItem, StreamEvent, StreamEventBody } from './response.ts';
import { ToolItems } from './tool-items.ts';
import { WaitingDeltas } from './waiting-deltas.ts';
import { WholeCharacters } from './whole-characters.ts';

type BlockDelta = Extract<Delta, { block: number }>;
type HostedDelta = Extract<Delta, { kind: 'hosted' }>;

/** What of a request shapes the items of its answer. */
export interface AssemblySettings {
  /** Whether reasoning items carry the provider's opaque blob. */
  readonly includeEncryptedReasoning: boolean;
  /** Whether reasoning is left out of the answer altogether. */
  readonly excludeReasoning: boolean;
  /** Qualified names of tools whose calls carry `async: true`. */
  readonly asyncTools: ReadonlySet<string>;
  /** Details of hosted items that were asked for, by their names in `include`. */
  readonly include: ReadonlySet<string>;
}

/**
 * Turns deltas into the items and events of a public answer by the grammar of docs/spec/answers.md#order-of-events. It
 * alone opens and closes items and parts, and numbers events. Items of the model never overlap: fragments of a block
 * that begins while a call is unfinished wait until that call is whole. Items the provider's tools make stay open
 * beside them.
 */
export class Assembler {
  readonly #settings: AssemblySettings;
  readonly #tools: ToolItems;
  readonly #sink: (event: StreamEvent) => void;
  readonly #closed = new Set<number>();
  /** Every item in its place; undefined as long as it is open. */
  readonly #items: (OutputItem | undefined)[] = [];
  /** The open items beside the model's own, by block. */
  readonly #beside = new Map<number, HostedWriter>();
  /** Of these, those that have their result. */
  readonly #settled = new Set<HostedWriter>();
  readonly #ids = new Set<string | undefined>();
  readonly #characters = new WholeCharacters();
  readonly #waiting = new WaitingDeltas();
  readonly #takeFiles = () => this.#files.splice(0);
  #files: ParsedFile[] = [];
  #sequence = 0;
  #open: ItemWriter | undefined;
  #finish: FinishReason | undefined;

  constructor(settings: AssemblySettings, sink: (event: StreamEvent) => void) {
    this.#settings = settings;
    this.#tools = new ToolItems(this.#items, this.emit);
    this.#sink = sink;
  }

  /** Items closed so far, in their final form. */
  get output(): readonly OutputItem[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** Why the model stopped, once it said so. */
  get finishReason(): FinishReason | undefined {
    return this.#finish;
  }

  /** Whether anything of the answer was announced. */
  get begun(): boolean {
    return this.#items.length > 0;
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
    else if ('text' in delta) this.#pushBlock(this.#characters.complete(delta));
    else if ('block' in delta) this.#pushBlock(delta);
  }

  /** Takes files that the gateway read; the first text of the answer shows them. */
  pushFiles(files: readonly ParsedFile[]): void {
    this.#files.push(...files);
  }

  /** Takes what tools of the gateway do. */
  pushTool(part: ExecutingPart | ProgressPart | ExecutedPart | SuspendedPart): void {
    if (part.kind !== 'progress') {
      this.#flushWaiting();
      this.#closeOpen('completed');
    }
    this.#tools.push(part);
  }

  /** Ends the answer in the regular way: what is open is closed, as incomplete when a limit cut it off. */
  finish(reason: FinishReason): void {
    if (this.#finish !== undefined) return;
    this.#flushWaiting();
    const status = reason === 'length' || reason === 'content_filter' ? 'incomplete' : 'completed';
    for (const writer of this.#beside.values()) this.#closeBeside(writer, status);
    this.#closeOpen(status);
    this.#finish = reason;
  }

  /** Ends the answer after a failure: no closing events; returns the output with open items as they are. */
  abandon(): readonly OutputItem[] {
    const items = [...this.#items];
    this.#tools.abandonIn(items);
    for (const writer of this.#beside.values()) items[writer.outputIndex] = writer.abandon();
    if (this.#open !== undefined) items[this.#open.outputIndex] = this.#open.abandon();
    return items.filter((item) => item !== undefined);
  }

  #pushBlock(delta: BlockDelta): void {
    if (this.#finish !== undefined || isEmpty(delta)) return;
    if (this.#settings.excludeReasoning && isReasoning(delta)) return;
    if (!this.#place(delta, !this.#waiting.isEmpty)) this.#waiting.add(delta);
    if (!this.#waiting.isEmpty && this.#open?.yields !== false) this.#replayWaiting();
  }

  /**
   * Writes a delta where it belongs, or says that it has to wait.
   * @param behind Whether others wait that came before it.
   */
  #place(delta: BlockDelta, behind: boolean): boolean {
    const open = this.#open;
    const beside = this.#beside.get(delta.block);
    if (beside?.takes(delta)) this.#writeBeside(beside, delta);
    else if (beside !== undefined && isEnd(delta)) this.#closeBeside(beside, 'completed');
    else if (isEnd(delta)) return this.#endBlock(delta) || !behind;
    else if (open?.block === delta.block && open.takes(delta)) open.write(delta);
    // Overtaking what waits would change the order in which the model did things.
    else if (open?.yields === false && (behind || !isBeside(delta))) return false;
    else this.#begin(delta);
    return true;
  }

  #endBlock({ block }: BlockDelta): boolean {
    if (this.#open?.block !== block) return false;
    // Closing waits for what comes next: some providers tell of a cut-off only after the block's end.
    this.#open.ended = true;
    return true;
  }

  #begin(delta: BlockDelta): void {
    if (delta.kind === 'arguments') {
      this.#lateArguments(delta.block, delta.text);
      return;
    }
    // A closed item never changes: a seal alone would be a thought nobody had, a citation alone a text nobody wrote.
    if ((delta.kind === 'seal' || delta.kind === 'annotation') && this.#closed.has(delta.block)) return;
    if (isProgress(delta)) return;
    const row = delta.kind === 'hosted' ? hostedKinds[delta.type] : undefined;
    if (delta.kind === 'hosted' && row === undefined) return;
    // Not every provider says that an item is over, but what has its result is.
    for (const writer of this.#settled) this.#closeBeside(writer, 'completed');
    if (delta.kind === 'hosted' && row?.ofModel === false) this.#openBeside(delta, row);
    else {
      this.#closeOpen('completed');
      this.#open = this.#createWriter(delta, this.#claimPlace());
      this.#open?.write(delta);
    }
  }

  #openBeside(delta: HostedDelta, row: HostedKindRow): void {
    if (this.#open?.ended) this.#closeOpen('completed');
    const writer = this.#createHosted(delta, row, this.#claimPlace());
    this.#beside.set(delta.block, writer);
  }

  #claimPlace(): number {
    return this.#items.push(undefined) - 1;
  }

  #createWriter(delta: BlockDelta, index: number): ItemWriter | undefined {
    switch (delta.kind) {
      case 'text':
        return new MessageWriter(delta.block, index, delta.phase, this.emit, this.#takeFiles);
      case 'refusal':
      case 'annotation':
        return new MessageWriter(delta.block, index, undefined, this.emit, this.#takeFiles);
      case 'thinking':
      case 'summary':
      case 'seal':
        return new ReasoningWriter(delta.block, index, this.#settings.includeEncryptedReasoning, this.emit);
      case 'call':
        return new CallWriter(delta, index, this.#isAsync(delta), this.emit);
      case 'hosted': {
        const row = hostedKinds[delta.type];
        return row === undefined ? undefined : this.#createHosted(delta, row, index);
      }
    }
    return undefined;
  }

  #isAsync({ name, namespace }: Extract<Delta, { kind: 'call' }>): boolean {
    return this.#settings.asyncTools.has(qualifiedName(name, namespace));
  }

  #createHosted(delta: HostedDelta, row: HostedKindRow, index: number): HostedWriter {
    // Clients distinguish events by the id of their item, so an id that came before is not used again.
    const id = this.#ids.has(delta.id) ? undefined : delta.id;
    this.#ids.add(id);
    return new HostedWriter({ ...delta, id }, row, index, this.#settings.include, this.emit);
  }

  #lateArguments(block: number, text: string): void {
    if (text.trim() === '') return;
    const problem = this.#closed.has(block) ? 'after they were complete' : 'without a call';
    throw new HeadgateError('provider_failed', `The provider sent tool arguments ${problem}.`);
  }

  #closeOpen(status: ClosedStatus): void {
    if (this.#open === undefined) return;
    this.#closed.add(this.#open.block);
    this.#items[this.#open.outputIndex] = this.#open.close(status);
    this.#open = undefined;
  }

  #writeBeside(writer: HostedWriter, delta: BlockDelta): void {
    writer.write(delta);
    if (writer.yields) this.#settled.add(writer);
  }

  #closeBeside(writer: HostedWriter, status: ClosedStatus): void {
    this.#beside.delete(writer.block);
    this.#settled.delete(writer);
    this.#items[writer.outputIndex] = writer.close(status);
  }

  /** Gives what waits its turn, until a call that is not whole has all that came of it. */
  #replayWaiting(): void {
    for (;;) {
      const delta = this.#nextWaiting();
      if (delta === undefined) return;
      this.#place(delta, false);
    }
  }

  #nextWaiting(): BlockDelta | undefined {
    const open = this.#open;
    if (open?.yields !== false) return this.#waiting.take(() => true);
    const isOfOpen = (delta: BlockDelta) => isEnd(delta) || open.takes(delta);
    const isBesideOpen = (delta: BlockDelta) =>
      isEnd(delta) || isBeside(delta) || this.#beside.get(delta.block)?.takes(delta) === true;
    return this.#waiting.takeOf(open.block, isOfOpen) ?? this.#waiting.take(isBesideOpen);
  }

  /** At the end nothing more can make an open call whole, so each waiting block gets its turn. */
  #flushWaiting(): void {
    while (!this.#waiting.isEmpty) {
      this.#closeOpen('completed');
      this.#replayWaiting();
    }
  }
}

function isEmpty(delta: BlockDelta): boolean {
  return 'text' in delta && delta.text === '';
}

function isEnd({ kind }: BlockDelta): boolean {
  return kind === 'end';
}

/** Whether a delta begins an item that stays open beside the model's own. */
function isBeside(delta: BlockDelta): boolean {
  return delta.kind === 'hosted' && hostedKinds[delta.type]?.ofModel === false;
}

function isReasoning(delta: BlockDelta): boolean {
  return delta.kind === 'thinking' || delta.kind === 'summary' || delta.kind === 'seal';
}

/** Whether a delta continues a hosted item instead of beginning one. */
function isProgress({ kind }: BlockDelta): boolean {
  return kind === 'stage' || kind === 'fragment' || kind === 'partial_image' || kind === 'result';
}
