import type { Delta } from '../core/delta.ts';
import { toHeadgateError } from '../core/errors.ts';
import type { AttemptWatch } from './attempt-watch.ts';

type Batch = readonly Delta[];

const over = { done: true, value: undefined } as const;

/**
 * Everything that an endpoint sends once it answers: first the batches buffered until a delta was visible, then the
 * rest as it comes, with each batch reported to the watch. An explicit iterator instead of a generator: every batch
 * of every answer passes here, and every open stream would keep a generator's state in memory.
 */
export class OpenedStream implements AsyncIterableIterator<Batch> {
  readonly #stream: AsyncIterator<Batch>;
  readonly #watch: AttemptWatch;
  #buffered: Batch[];

  /** @param held Batches that were already read and reported to the watch. */
  constructor(buffered: readonly Batch[], stream: AsyncIterator<Batch>, watch: AttemptWatch) {
    this.#buffered = [...buffered];
    this.#stream = stream;
    this.#watch = watch;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    const value = this.#buffered.shift();
    return value === undefined ? this.#hear() : Promise.resolve({ done: false, value });
  }

  /** Called when the reader stops. */
  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.#buffered = [];
    this.#watch.left();
    await this.#stream.return?.();
    return over;
  }

  async #hear(): Promise<IteratorResult<Batch, undefined>> {
    try {
      const result = await this.#stream.next();
      if (result.done !== true) {
        this.#watch.read(result.value);
        return result;
      }
      this.#watch.finished();
      return over;
    } catch (thrown) {
      this.#watch.failed(toHeadgateError(thrown));
      throw thrown;
    }
  }
}
