import { pushAll } from '../../util/push-all.ts';

const maxEntries = 512;
const maxBytes = 64 * 1024;

/** What the reader gets: a batch or the end. */
type Taken<T> = IteratorResult<readonly T[], undefined>;

/**
 * Holds what a socket pushes until the one reader takes it, all that came meanwhile as one batch. It never
 * refuses anything: whoever pushes looks at `full` and stops the socket, and is told by `onDrained` when
 * everything was taken.
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

  /** True when enough waits unread that no more should be fetched. */
  get full(): boolean {
    return this.#batch.length >= maxEntries || this.#bytes >= maxBytes;
  }

  /**
   * @param entries belong to the queue from now on.
   * @param bytes what the entries took on the wire.
   */
  push(entries: T[], bytes: number): void {
    if (this.#outcome) return;
    if (this.#batch.length === 0) this.#batch = entries;
    else pushAll(this.#batch, entries);
    this.#bytes += bytes;
    this.#answer();
  }

  /** Nothing more will come; what waits can still be read. */
  end(): void {
    this.#settle({ failed: false });
  }

  /** What waits can still be read, then the reader gets `error`. */
  fail(error: unknown): void {
    this.#settle({ failed: true, error });
  }

  /** Drops what waits; the reader gets `error` at once. */
  abort(error: unknown): void {
    this.#batch = [];
    this.#settle({ failed: true, error });
  }

  /** Everything that waits, as soon as there is something, or the end. One call at a time. */
  next(): Promise<Taken<T>> {
    const reader = Promise.withResolvers<Taken<T>>();
    this.#reader = reader;
    this.#answer();
    return reader.promise;
  }

  /** Gives a waiting reader what there is. */
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
