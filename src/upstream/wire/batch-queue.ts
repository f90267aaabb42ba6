const maxBatches = 16;
const maxBytes = 64 * 1024;

interface Waiting<T> {
  readonly resolve: (batch: T | undefined) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Holds batches between a socket that pushes and one reader that pulls. It never refuses a batch: whoever
 * pushes looks at `full` and stops the socket, and is told by `onDrained` when everything was read.
 */
export class BatchQueue<T> {
  readonly #onDrained: () => void;
  readonly #batches: T[] = [];
  #bytes = 0;
  #waiting: Waiting<T> | undefined;
  #outcome: { readonly error?: unknown; readonly failed: boolean } | undefined;

  constructor(onDrained: () => void) {
    this.#onDrained = onDrained;
  }

  /** True when enough waits unread that no more should be fetched. */
  get full(): boolean {
    return this.#batches.length >= maxBatches || this.#bytes >= maxBytes;
  }

  /** @param bytes what the batch took on the wire. */
  push(batch: T, bytes: number): void {
    if (this.#outcome) return;
    if (this.#waiting) {
      this.#waiting.resolve(batch);
      this.#waiting = undefined;
      return;
    }
    this.#batches.push(batch);
    this.#bytes += bytes;
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
    this.#batches.length = 0;
    this.#settle({ failed: true, error });
  }

  /** The next batch, or undefined at the end. Only one call may be pending. */
  take(): Promise<T | undefined> {
    const batch = this.#batches.shift();
    if (batch !== undefined) {
      if (this.#batches.length === 0) {
        this.#bytes = 0;
        this.#onDrained();
      }
      return Promise.resolve(batch);
    }
    if (this.#outcome?.failed) return Promise.reject(this.#outcome.error);
    if (this.#outcome) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #settle(outcome: { readonly error?: unknown; readonly failed: boolean }): void {
    if (this.#outcome) return;
    this.#outcome = outcome;
    if (outcome.failed) this.#waiting?.reject(outcome.error);
    else this.#waiting?.resolve(undefined);
    this.#waiting = undefined;
  }
}
