/** Lets so many works run at the same time, and so many wait for their turn, in their order. */
export class Slots {
  readonly #waiting: PromiseWithResolvers<void>[] = [];
  readonly #mostWaiting: number;
  #free: number;

  constructor(atOnce: number, mostWaiting: number) {
    this.#free = atOnce;
    this.#mostWaiting = mostWaiting;
  }

  /**
   * Runs a work when it is its turn; undefined when as many wait as may.
   * @throws the signal's reason when that is aborted before, and whatever the work throws.
   */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else {
      if (this.#waiting.length >= this.#mostWaiting) return undefined;
      await this.#wait(signal);
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.resolve();
    }
  }

  /** Waits for the slot of somebody else. */
  async #wait(signal: AbortSignal): Promise<void> {
    const turn = Promise.withResolvers<void>();
    this.#waiting.push(turn);
    const leave = () => {
      const index = this.#waiting.indexOf(turn);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      turn.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}
