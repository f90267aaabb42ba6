import type { CallItem, CallOutputItem, Item, ServiceItem } from '../../../core/request.ts';
import { malformed, memberPath, quote } from '../../../schema/fault.ts';

/** A worker in the conversation, as far as it was read. */
interface ReadWorker {
  readonly item: ServiceItem;
  readonly rounds: { readonly items: readonly Item[]; readonly outputs: CallOutputItem[] }[];
  /** The item that says how it ended. */
  ended?: ServiceItem;
}

/** What was read of workers. */
interface ReadWorkers {
  /** The newest of each id, which may come again. */
  readonly byId: Map<string, ReadWorker>;
  /** All of them, by their first items. */
  readonly byItem: Map<Item, ReadWorker>;
  /** Whose calls they are, by their ids, which may come again too. */
  readonly ofCalls: Map<string, ReadWorker>;
  readonly gathered: Set<Item>;
}

/**
 * Gathers the calls that workers made of the client's functions, with their outputs: they belong to the worker's conversation and
 * not to that of the model that answers (docs/spec/server-tools.md#functions-of-the-client).
 */
export class WaitingWorkers {
  /** Undefined without any, as in nearly all requests. */
  #read: ReadWorkers | undefined;

  /** Reads an item of a worker: its first one, or how it ended. */
  worker(item: ServiceItem): void {
    const { call_id: callId } = item.fields;
    if (typeof callId !== 'string') return;
    this.#read ??= { byId: new Map(), byItem: new Map(), ofCalls: new Map(), gathered: new Set() };
    const { byId, byItem, gathered } = this.#read;
    const known = byId.get(callId);
    const isWaiting = known !== undefined && known.rounds.length > 0 && known.ended === undefined;
    if (isWaiting && isEnded(item)) {
      known.ended = item;
      gathered.add(item);
      return;
    }
    const worker: ReadWorker = { item, rounds: [] };
    byId.set(callId, worker);
    byItem.set(item, worker);
  }

  /**
   * Reads a call. Calls of the model itself have no `workerId`.
   * @param written What the worker wrote; only its first call of a round has it.
   * @throws HeadgateError `invalid_request` where no worker has the id.
   */
  call(item: CallItem, workerId: string | undefined, written: readonly Item[] | undefined, path: string) {
    this.#read?.ofCalls.delete(item.callId);
    if (workerId === undefined) return;
    const worker = this.#read?.byId.get(workerId);
    if (this.#read === undefined || worker === undefined) {
      const problem = `no earlier "service:subagent" item has the call_id ${quote(workerId)}; send it before its calls`;
      throw malformed(memberPath(path, 'subagent_id'), problem);
    }
    if (written !== undefined || worker.rounds.length === 0)
      worker.rounds.push({ items: written ?? [], outputs: [] });
    this.#read.ofCalls.set(item.callId, worker);
    this.#read.gathered.add(item);
  }

  /** Reads the output of a function. */
  output(item: CallOutputItem): void {
    const worker = this.#read?.ofCalls.get(item.callId);
    if (worker === undefined) return;
    worker.rounds.at(-1)?.outputs.push(item);
    this.#read?.gathered.add(item);
  }

  /** The conversation of the model that answers. Every worker stands where it was called, as it ended. */
  fold(items: Item[]): Item[] {
    if (this.#read === undefined || this.#read.gathered.size === 0) return items;
    const { byItem, gathered } = this.#read;
    return items.flatMap((item, index): readonly Item[] => {
      if (gathered.has(item)) return [];
      const place = item.place ?? index;
      const worker = byItem.get(item);
      if (worker === undefined || worker.rounds.length === 0) return [{ ...item, place }];
      const { item: first, ended, rounds } = worker;
      return [{ ...first, fields: ended?.fields ?? first.fields, rounds, place }];
    });
  }
}

function isEnded({ fields: { outcome, error } }: ServiceItem): boolean {
  return outcome !== undefined || error !== undefined;
}
