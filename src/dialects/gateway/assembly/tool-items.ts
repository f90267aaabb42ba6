import type { ExecutedPart, ExecutingPart, ProgressPart, SuspendedPart } from '../../../core/answer-part.ts';
import { CallWriter } from './call-writer.ts';
import { type HostedKindRow, hostedKinds } from './hosted-kinds.ts';
import { HostedWriter } from './hosted-writer.ts';
import type { Emit } from './item-writer.ts';
import type { OutputItem, OutputServiceItem } from './response.ts';
import { writeWorkerItems } from './worker-items.ts';

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
export class ToolItems {
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
