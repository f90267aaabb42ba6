import type { AnswerParts, ProgressPart } from '../core/answer-part.ts';

/** How many parts may wait for the client before tools have to wait. */
export const mostWaiting = 256;

/** What tools say while they run, until somebody reads it. */
export class News {
  #parts: ProgressPart[] = [];
  #wake = Promise.withResolvers<void>();
  #taken = Promise.withResolvers<void>();
  readonly #signal: AbortSignal;

  /** @param signal Ends every wait, because nobody reads then. */
  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Keeps what a tool says. Returns what to wait for before more is said, where much waits already. */
  add(part: ProgressPart): Promise<void> | undefined {
    this.#parts.push(part);
    this.woken();
    return this.#parts.length < mostWaiting ? undefined : this.#untilRead();
  }

  /** Something changed. */
  woken(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }

  next(): Promise<void> {
    return this.#wake.promise;
  }

  /** What was said of calls that are shown by now. */
  take(shown: ReadonlySet<string>): AnswerParts {
    const ready = this.#parts.filter(({ id }) => shown.has(id));
    if (ready.length === 0) return ready;
    this.#parts = this.#parts.filter(({ id }) => !shown.has(id));
    this.#taken.resolve();
    this.#taken = Promise.withResolvers();
    return ready;
  }

  async #untilRead(): Promise<void> {
    while (this.#parts.length >= mostWaiting && !this.#signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const onAbort = () => resolve();
      this.#signal.addEventListener('abort', onAbort, { once: true });
      await Promise.race([this.#taken.promise, promise]);
      this.#signal.removeEventListener('abort', onAbort);
    }
  }
}
