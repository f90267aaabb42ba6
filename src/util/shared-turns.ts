/** The time that tasks may take together, as a part of the time since they ran last. */
const share = 0.25;
/** Milliseconds they may take in a turn at least and at most. */
const [shortest, longest] = [0.25, 2];

/**
 * Begins tasks in their order, for a part of each turn of the event loop, so that everything else has its turn in
 * between. A task that has more to do adds itself again and waits behind the others.
 */
export class SharedTurns {
  #waiting: (() => void)[] = [];
  #next = 0;
  #endedAt = 0;
  #isScheduled = false;
  readonly #onTurn = () => this.#run();

  /** Calls `begin` soon, which must not throw. */
  add(begin: () => void): void {
    this.#waiting.push(begin);
    this.#schedule();
  }

  /** Resolves when it is the caller's turn. */
  join(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  #run(): void {
    const now = performance.now();
    const until = now + Math.min(longest, Math.max(shortest, (now - this.#endedAt) * share));
    do {
      const begin = this.#waiting[this.#next];
      this.#next += 1;
      begin?.();
    } while (this.#next < this.#waiting.length && performance.now() < until);
    this.#endedAt = performance.now();
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    this.#isScheduled = false;
    if (this.#waiting.length > 0) this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTurn);
  }
}

/**
 * Where work on answers of megabytes waits: reading what providers send fast, encoding and sending what is long. Done as it
 * comes, a dozen of such answers would leave nobody else a turn.
 */
export const busyTurns = new SharedTurns();
