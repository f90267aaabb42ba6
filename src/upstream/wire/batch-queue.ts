import { pushAll } from '../../util/push-all.ts';

const maxEntries = 512;
const maxBytes = 64 * 1024;

/** What the reader gets: a batch or the end. */
type Taken<T> = IteratorResult<readonly T[], undefined>;

/**
 * Queues what a socket pushes until the one reader takes it, as one batch. It never refuses entries. For
 * back-pressure the writer checks `full` and pauses the socket; `onDrained` reports that the queue is empty again.
 */
export class BatchQueue<T> {
  readonly #onDrained: () => void;
  #batch: T[] = [];
  #bytes = 0;
  #reader: PromiseWithResolvers<Taken<T>> | undefined;
  #outcome: { readonly failed: boolean; readonly error?: unknown } | undefined;

  constructor(onDrained: () => void) {
    this.#onDrained = onDrained;
  }

  /** True when so much is queued that the socket should pause. */
  get full(): boolean {
    return this.#batch.length >= maxEntries || this.#bytes >= maxBytes;
  }

  /**
   * @param entries owned by the queue from now on.
   * @param bytes the size of the entries on the wire.
   */
  push(entries: T[], bytes: number): void {
    if (this.#outcome) return;
    if (this.#batch.length === 0) this.#batch = entries;
    else pushAll(this.#batch, entries);
    this.#bytes += bytes;
    this.#answer();
  }

  /** Marks the end; queued entries can still be read. */
  end(): void {
    this.#settle({ failed: false });
  }

  /** Ends with `error`, which the reader gets after the queued entries. */
  fail(error: unknown): void {
    this.#settle({ failed: true, error });
  }

  /** Drops the queued entries; the reader gets `error` immediately. */
  abort(error: unknown): void {
    this.#batch = [];
    this.#settle({ failed: true, error });
  }

  /** Everything that is queued, as soon as there is something, or the end. One call at a time. */
  next(): Promise<Taken<T>> {
    const reader = Promise.withResolvers<Taken<T>>();
    this.#reader = reader;
    this.#answer();
    return reader.promise;
  }

  /** Resolves a waiting reader if it can. */
  #answer(): void {
    const reader = this.#reader;
    if (reader === undefined || (this.#batch.length === 0 && this.#outcome === undefined)) return;
    this.#reader = undefined;
    if (this.#batch.length > 0) reader.resolve({ done: false, value: this.#drain() });
    else if (this.#outcome?.failed) reader.reject(this.#outcome.error);
    else reader.resolve({ done: true, value: undefined });
  }

  #drain(): readonly T[] {
    const batch = this.#batch;
    this.#batch = [];
    this.#bytes = 0;
    this.#onDrained();
    return batch;
  }

  #settle(outcome: { readonly failed: boolean; readonly error?: unknown }): void {
    this.#outcome ??= outcome;
    this.#answer();
  }
}
