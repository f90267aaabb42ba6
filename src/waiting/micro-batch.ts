import { loopLoad } from './loop-load.ts';

/** Milliseconds for which a task of a fully busy process waits for others, as long as each turn of the event loop brings some. */
const longestWait = 5;

/** The batch limit of users that wait for tasks of more than one turn. */
export const largestBatch = 64;

/**
 * Starts tasks that arrive close to each other together. Each of their stages then runs for all of them before the
 * next one, with its code and data in the CPU caches: twice as fast under load as one task after the other
 * (docs/performance.md). A task that comes alone starts after a turn that brought no other, which takes microseconds. In a
 * process with time to spare tasks wait for no later turn: under half load they would wait longer than they run.
 */
export class MicroBatch {
  readonly #limit: number;
  readonly #patience: () => number;
  readonly #onTurnOver = () => this.#lookAround();
  #waiting: (() => void)[] = [];
  #seen = 0;
  #deadline = 0;

  /**
   * @param limit of tasks in a batch while more arrive turn after turn; 0: only those of a single turn.
   * @param patience Milliseconds for which they wait for each other; asked once a batch.
   */
  constructor(limit = 0, patience = () => longestWait * loopLoad.pressure) {
    this.#limit = limit;
    this.#patience = patience;
  }

  /** Calls `begin` soon; it must not throw. */
  add(begin: () => void): void {
    if (this.#waiting.push(begin) === 1) setImmediate(this.#onTurnOver);
  }

  /** Resolves when the batch starts. */
  join(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  /** Waits for another turn as long as each brings tasks. */
  #lookAround(): void {
    const count = this.#waiting.length;
    if (count > this.#seen && count < this.#limit && this.#isEarly()) {
      this.#seen = count;
      setImmediate(this.#onTurnOver);
      return;
    }
    const all = this.#waiting;
    this.#waiting = [];
    this.#seen = 0;
    for (const begin of all) begin();
  }

  #isEarly(): boolean {
    const now = performance.now();
    if (this.#seen === 0) this.#deadline = now + this.#patience();
    return now < this.#deadline;
  }
}
