import type { Delta } from '../core/delta.ts';
import type { AnswerBatches } from '../ports/upstream.ts';
import type { Meter } from '../settlement/meter.ts';
import { ClientGone } from './services.ts';

/** Milliseconds for which a provider is read on for the usage alone. */
const longest = 10_000;
/** Characters of deltas, as JSON, that are read for it. */
const mostRead = 64 * 1024;

/**
 * When a provider's call ends because the one it was made for is gone (docs/spec/money.md#who-leaves): at once, unless the
 * answer that can be seen is over and only its usage is to come.
 */
export class Parting {
  readonly #abort = new AbortController();
  readonly #request: AbortSignal;
  readonly #meter: Pick<Meter, 'watch' | 'usage' | 'finishReason'>;
  #source: AnswerBatches | undefined;
  readonly #onAbort = () => this.#leave();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param request Aborted when the client has gone, or when the request has to end.
   * @param meter Reads what the provider sends.
   */
  constructor(request: AbortSignal, meter: Pick<Meter, 'watch' | 'usage' | 'finishReason'>) {
    this.#request = request;
    this.#meter = meter;
    if (request.aborted) this.#abort.abort(request.reason);
    else request.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** The signal of the provider's call. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** The provider has begun to answer. Returns its answer, which is left open where its reader stops. */
  opened(source: AnswerBatches): AsyncIterable<readonly Delta[]> {
    this.#source = source;
    return { [Symbol.asyncIterator]: () => ({ next: () => source.next() }) };
  }

  /** Reads the usage that is still to come after an answer that is over. Never fails: what does not come is estimated. */
  async readOn(): Promise<void> {
    const source = this.#source;
    if (source === undefined || !this.#awaitsUsage) return;
    this.#wait();
    try {
      for (let read = 0; read < mostRead && this.#awaitsUsage; ) {
        const { done, value } = await source.next();
        if (done === true) return;
        this.#meter.watch(value);
        read += JSON.stringify(value).length;
      }
    } catch {
      // It ended without, or the time is up.
    }
  }

  /** The call is over, and needs no closing. */
  end(): void {
    clearTimeout(this.#timer);
    this.#request.removeEventListener('abort', this.#onAbort);
  }

  /** Ends the call, wherever its answer stands. */
  async close(): Promise<void> {
    this.end();
    await this.#source?.return?.();
  }

  get #awaitsUsage(): boolean {
    const { finishReason, usage } = this.#meter;
    return this.#source?.isOver === true && (finishReason === undefined || usage?.output === undefined);
  }

  #leave(): void {
    const { reason } = this.#request;
    if (reason instanceof ClientGone && this.#awaitsUsage) this.#wait();
    else this.#abort.abort(reason);
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => this.#abort.abort(new ClientGone('The usage did not come.')), longest);
  }
}
