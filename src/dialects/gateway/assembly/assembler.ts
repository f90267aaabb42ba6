import type { ExecutedPart, ExecutingPart, ProgressPart, SuspendedPart } from '../../../core/answer-part.ts';
import { qualifiedName } from '../../../core/client-tools.ts';
import type { Delta, FinishReason } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { ParsedFile } from '../../../core/parsed-file.ts';
import { CallWriter } from './call-writer.ts';
import { type HostedKindRow, hostedKinds } from './hosted-kinds.ts';
import { HostedWriter } from './hosted-writer.ts';
import type { ClosedStatus, Emit, ItemWriter } from './item-writer.ts';
import { MessageWriter } from './message-writer.ts';
import { ReasoningWriter } from './reasoning-writer.ts';
import type { OutputItem, OutputServiceItem, StreamEvent, StreamEventBody } from './response.ts';
import { WaitingDeltas, WholeCharacters } from './waiting-deltas.ts';
import { writeWorkerItems } from './worker-items.ts';

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

/** The events between an item's beginning and its end, by the kind of the tool (docs/spec/server-tools.md#stream). */
const usualProgress: Readonly<Record<string, { readonly name: string; readonly begin: readonly string[] }>> =
  {
    'service:web_search': { name: 'web_search_call', begin: ['in_progress', 'searching'] },
    'service:image_generation': { name: 'image_generation_call', begin: ['in_progress', 'generating'] },
    'service:fusion': { name: 'fusion_call', begin: ['in_progress'] },
  };

const nothing: ReadonlySet<string> = new Set();

/** How items are written that have the type of a hosted kind. */
function hostedRowOf({ as }: ExecutingPart | ExecutedPart): HostedKindRow | undefined {
  return as === undefined ? undefined : hostedKinds[as];
}

interface OpenItem {
  readonly type: string;
  readonly output_index: number;
}

/** Writes the items of tools that the gateway runs, which stay open beside others while they run. */
class ToolItems {
  readonly #items: (OutputItem | undefined)[];
  readonly #emit: Emit;
  readonly #open = new Map<string, OpenItem>();
  /** Items of the kinds that providers' tools have as well, by the id of their part. */
  readonly #hosted = new Map<string, HostedWriter>();

  /** @param items The items of the answer, each in its place. */
  constructor(items: (OutputItem | undefined)[], emit: Emit) {
    this.#items = items;
    this.#emit = emit;
  }

  /** Takes the next of what tools do. */
  push(part: ExecutingPart | ProgressPart | ExecutedPart | SuspendedPart): void {
    if (part.kind === 'suspended') {
      this.#suspend(part);
      return;
    }
    const row = part.kind === 'progress' || part.type in usualProgress ? undefined : hostedRowOf(part);
    if (part.kind !== 'progress' && row !== undefined) this.#pushHosted(part, row);
    else if (part.kind === 'executing') this.#begin(part);
    else if (part.kind === 'progress') this.#progress(part);
    else this.#end(part);
  }

  /** Shows the items that never ended, in a copy of the items of the answer. */
  abandonIn(items: (OutputItem | undefined)[]): void {
    for (const writer of this.#hosted.values()) items[writer.outputIndex] = writer.abandon();
    for (const { output_index } of this.#open.values()) {
      const item = items[output_index];
      if (item !== undefined) items[output_index] = { ...item, status: 'incomplete' } as OutputItem;
    }
  }

  /** Shows the calls of a worker, which the client answers in its next request. */
  #suspend({ callId, calls, items }: SuspendedPart): void {
    for (const [index, { name, callId: id, input }] of calls.entries()) {
      const place = this.#items.push(undefined) - 1;
      const call = { kind: 'call', form: 'function', block: place, name, callId: id } as const;
      const worker = { id: callId, items: index === 0 ? writeWorkerItems(items) : undefined };
      const writer = new CallWriter(call, place, false, this.#emit, worker);
      writer.write({ kind: 'arguments', block: place, text: input });
      this.#items[place] = writer.close('completed');
    }
  }

  #pushHosted(part: ExecutingPart | ExecutedPart, row: HostedKindRow): void {
    const { id, fields } = part;
    let writer = this.#hosted.get(id);
    if (writer === undefined) {
      const place = this.#items.push(undefined) - 1;
      const begun = { kind: 'hosted', block: place, type: row.type, id, fields } as const;
      writer = new HostedWriter(begun, row, place, nothing, this.#emit);
      this.#hosted.set(id, writer);
      const text = row.text?.read(fields);
      if (typeof text === 'string') writer.write({ kind: 'fragment', block: place, text });
    }
    if (part.kind === 'executing') return;
    writer.write({ kind: 'result', block: writer.block, fields, failed: part.status === 'failed' });
    this.#items[writer.outputIndex] = writer.close('completed');
    this.#hosted.delete(id);
  }

  #begin(part: ExecutingPart | ExecutedPart): OpenItem {
    const item = itemOf(part, 'in_progress');
    const open = { type: part.type, output_index: this.#items.push(item) - 1 };
    this.#open.set(part.id, open);
    this.#emit({ type: 'response.output_item.added', output_index: open.output_index, item });
    const { name, begin = [] } = usualProgress[part.type] ?? {};
    for (const event of begin) this.#tell(part.id, open, `${name}.${event}`);
    return open;
  }

  #progress({ id, event, fields }: ProgressPart): void {
    const open = this.#open.get(id);
    const { name } = usualProgress[open?.type ?? ''] ?? {};
    if (open === undefined) return;
    this.#tell(id, open, name === undefined ? event : `${name}.${event}`, fields);
  }

  #end(part: ExecutedPart): void {
    const open = this.#open.get(part.id) ?? this.#begin(part);
    if (part.status === 'open') return;
    this.#open.delete(part.id);
    const item = itemOf(part, part.status ?? 'completed');
    const { name } = usualProgress[part.type] ?? {};
    // A native item that failed has no event for it; its status says so.
    if (name !== undefined && (part.status ?? 'completed') === 'completed')
      this.#tell(part.id, open, `${name}.completed`);
    const { output_index } = open;
    this.#emit({ type: 'response.output_item.done', output_index, item });
    this.#items[output_index] = item;
  }

  #tell(item_id: string, { output_index }: OpenItem, event: string, fields = {}): void {
    this.#emit({ type: `response.${event}`, item_id, output_index, ...fields } as Parameters<Emit>[0]);
  }
}

/** An item of a hosted kind has the members of that kind, which its tool sees to. */
function itemOf(
  { type, as, id, fields }: ExecutingPart | ExecutedPart,
  status: OutputServiceItem['status'],
): OutputItem {
  return { ...fields, type: as ?? type, id, status } as OutputItem;
}
