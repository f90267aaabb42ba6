import type { Delta } from '../core/delta.ts';
import { type HeadgateError, toHeadgateError } from '../core/errors.ts';
import type { AnswerBatches } from '../ports/upstream.ts';
import type { AnswerLength } from './answer-length.ts';
import type { AttemptWatch } from './attempt-watch.ts';

type Batch = readonly Delta[];

const over = { done: true, value: undefined } as const;

/**
 * Everything that an endpoint sends once it answers: first the batches buffered until a delta was visible, then the
 * rest as it comes, with each batch reported to the watch. An explicit iterator instead of a generator: every batch
 * of every answer passes here, and every open stream would keep a generator's state in memory.
 */
export class OpenedStream implements AnswerBatches {
  readonly #stream: AnswerBatches;
  readonly #watch: AttemptWatch;
  readonly #length: AnswerLength;
  #buffered: Batch[];
  #tooLong: HeadgateError | undefined;

  /** @param buffered Read from the stream already, reported to the watch and counted. */
  constructor(
    buffered: readonly Batch[],
    stream: AnswerBatches,
    { watch, length }: { readonly watch: AttemptWatch; readonly length: AnswerLength },
  ) {
    this.#buffered = [...buffered];
    this.#stream = stream;
    this.#watch = watch;
    this.#length = length;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  get isOver(): boolean {
    return this.#stream.isOver === true;
  }

  next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#tooLong !== undefined) return this.#cutOff(this.#tooLong);
    const value = this.#buffered.shift();
    if (value === undefined) return this.#hear();
    this.#count(value);
    return Promise.resolve({ done: false, value });
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
        this.#count(result.value);
        return result;
      }
      this.#watch.finished();
      return over;
    } catch (thrown) {
      this.#watch.failed(toHeadgateError(thrown));
      throw thrown;
    }
  }

  /** Counts a batch. The one that makes the answer too long is still given: what was produced is charged. */
  #count(batch: Batch): void {
    try {
      this.#length.add(batch);
    } catch (thrown) {
      this.#tooLong = toHeadgateError(thrown);
    }
  }

  async #cutOff(error: HeadgateError): Promise<never> {
    this.#watch.failed(error);
    await this.#stream.return?.();
    throw error;
  }
}
