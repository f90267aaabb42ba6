import type { Delta } from '../core/delta.ts';
import type { AnswerBatches } from '../ports/upstream.ts';
import type { Meter } from '../settlement/meter.ts';

/** Milliseconds for which a provider is read on for the usage alone. */
const longest = 10_000;
/** Characters of deltas, as JSON, that are read for it. */
const mostRead = 64 * 1024;

/**
 * What happens to a provider's answer when its client leaves (docs/spec/money.md#who-leaves): it is closed, unless all that
 * can be seen has come and only the usage is left.
 */
export class Parting {
  readonly #meter: Pick<Meter, 'watch' | 'usage' | 'finishReason'>;
  #source: AnswerBatches | undefined;
  #abort: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param meter Reads what the provider sends. */
  constructor(meter: Pick<Meter, 'watch' | 'usage' | 'finishReason'>) {
    this.#meter = meter;
  }

  /** The provider has begun to answer. Returns its answer, which is left open where its reader stops: it has no `return`. */
  opened(source: AnswerBatches): AsyncIterable<readonly Delta[]> {
    this.#source = source;
    return this;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<readonly Delta[], unknown>> {
    return this.#source?.next() ?? Promise.resolve({ done: true, value: undefined });
  }

  /** Whether the client has gone while the call goes on. */
  get isLeft(): boolean {
    return this.#abort !== undefined;
  }

  /**
   * The client has gone. Returns whether the call goes on for its usage.
   * @param abort Ends the call. Where it goes on, this is called when the call is over or its time is up.
   */
  leave(abort: () => void): boolean {
    if (!this.#awaitsUsage) return false;
    this.#abort ??= abort;
    this.#timer ??= setTimeout(abort, longest);
    return true;
  }

  /** Reads the usage that is still to come. Never fails: what does not come is estimated. */
  async readOn(): Promise<void> {
    const source = this.#source;
    if (source === undefined || !this.#awaitsUsage) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), longest);
    });
    try {
      for (let read = 0; read < mostRead && this.#awaitsUsage; ) {
        const result = await Promise.race([source.next(), late]);
        if (result === undefined || result.done === true) return;
        this.#meter.watch(result.value);
        read += JSON.stringify(result.value).length;
      }
    } catch {
      // It ended without, or was aborted.
    } finally {
      clearTimeout(timer);
    }
  }

  /** Closes the provider's answer, wherever it stands. */
  async close(): Promise<void> {
    const source = this.#source;
    this.#source = undefined;
    await source?.return?.();
  }

  /** The call is over: whoever leaves from now on waits for nothing. */
  end(): void {
    this.#source = undefined;
    clearTimeout(this.#timer);
    this.#abort?.();
  }

  get #awaitsUsage(): boolean {
    const { finishReason, usage } = this.#meter;
    return this.#source?.isOver === true && (finishReason === undefined || usage?.output === undefined);
  }
}
