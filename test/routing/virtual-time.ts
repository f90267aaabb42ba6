import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock.ts';

/** A clock nobody waits for: it jumps from one thing that is due to the next. */
export class VirtualTime implements Clock {
  #now = 0;
  #due: { readonly at: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  /** Resolves when that many milliseconds of this clock have passed. */
  sleep(duration: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#due.push({ at: this.#now + duration, wake: resolve });
    this.#due.sort((one, other) => one.at - other.at);
    return promise;
  }

  /** Goes on until nobody sleeps any more. */
  async run(): Promise<void> {
    for (;;) {
      // Whoever was woken does all it can before the next one is.
      await setImmediate();
      const next = this.#due.shift();
      if (next === undefined) return;
      this.#now = next.at;
      next.wake();
    }
  }
}
