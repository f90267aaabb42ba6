/** A task that runs again and again, with a pause after each run. Does not keep the process alive. */
export class RecurringTask {
  readonly #task: () => Promise<void>;
  readonly #pause: () => number;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /**
   * @param task Never rejects.
   * @param pause Milliseconds, read before each pause.
   */
  constructor(task: () => Promise<void>, pause: () => number) {
    this.#task = task;
    this.#pause = pause;
    this.#wait();
  }

  /** Begins the pause anew, with its length of now. */
  restart(): void {
    this.#wait();
  }

  /** Stops for good. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const timer = setTimeout(async () => {
      await this.#task();
      if (timer === this.#timer) this.#wait();
    }, this.#pause()).unref();
    this.#timer = timer;
  }
}
