import type { CallItem, CallOutputItem, Item, ServiceItem } from '../../../core/request.ts';
import { malformed, memberPath, quote } from '../../../schema/fault.ts';

/** A worker in the conversation, as far as it was read. */
interface ReadWorker {
  readonly item: ServiceItem;
  readonly rounds: { readonly items: readonly Item[]; readonly outputs: CallOutputItem[] }[];
  /** The item that says how it ended. */
  ended?: ServiceItem;
}

/**
 * Gathers the calls that workers made of the client's functions, with their outputs: they belong to the worker's conversation and
 * not to that of the model that answers (docs/spec/server-tools.md#functions-of-the-client).
 */
export class WaitingWorkers {
  readonly #workers = new Map<string, ReadWorker>();
  /** Whose calls they are, by their ids; ids may come again. */
  readonly #calls = new Map<string, ReadWorker>();
  readonly #gathered = new Set<Item>();

  /** Reads an item of a worker: its first one, or how it ended. */
  worker(item: ServiceItem): void {
    const { call_id: callId } = item.fields;
    if (typeof callId !== 'string') return;
    const known = this.#workers.get(callId);
    const isWaiting = known !== undefined && known.rounds.length > 0 && known.ended === undefined;
    if (isWaiting && isEnded(item)) {
      known.ended = item;
      this.#gathered.add(item);
    } else this.#workers.set(callId, { item, rounds: [] });
  }

  /**
   * Reads a call. Calls of the model itself have no `workerId`.
   * @param written What the worker wrote; only its first call of a round has it.
   * @throws HeadgateError `invalid_request` where no worker has the id.
   */
  call(item: CallItem, workerId: string | undefined, written: readonly Item[] | undefined, path: string) {
    this.#calls.delete(item.callId);
    if (workerId === undefined) return;
    const worker = this.#workers.get(workerId);
    if (worker === undefined) {
      const problem = `no earlier "service:subagent" item has the call_id ${quote(workerId)}; send it before its calls`;
      throw malformed(memberPath(path, 'subagent_id'), problem);
    }
    if (written !== undefined || worker.rounds.length === 0)
      worker.rounds.push({ items: written ?? [], outputs: [] });
    this.#calls.set(item.callId, worker);
    this.#gathered.add(item);
  }

  /** Reads the output of a function. */
  output(item: CallOutputItem): void {
    const worker = this.#calls.get(item.callId);
    if (worker === undefined) return;
    worker.rounds.at(-1)?.outputs.push(item);
    this.#gathered.add(item);
  }

  /** The conversation of the model that answers. Every worker stands where it was called, as it ended. */
  fold(items: readonly Item[]): Item[] {
    if (this.#gathered.size === 0) return [...items];
    const workers = new Map<Item, ReadWorker>();
    for (const worker of this.#workers.values()) workers.set(worker.item, worker);
    return items.flatMap((item, index): readonly Item[] => {
      if (this.#gathered.has(item)) return [];
      const place = item.place ?? index;
      const worker = workers.get(item);
      if (worker === undefined || worker.rounds.length === 0) return [{ ...item, place }];
      const { item: first, ended, rounds } = worker;
      return [{ ...first, fields: ended?.fields ?? first.fields, rounds, place }];
    });
  }
}

function isEnded({ fields: { outcome, error } }: ServiceItem): boolean {
  return outcome !== undefined || error !== undefined;
}
