import { performance } from 'node:perf_hooks';

/** Milliseconds between two measurements. */
const interval = 50;

/** Looks now and then how busy the event loop of this process is. */
export class LoopLoad {
  #last = performance.eventLoopUtilization();
  #measuredAt = performance.now();
  #value = 0;

  /** The share of the time in which the loop had work, from 0 to 1, over the last interval that was looked at. */
  get value(): number {
    const now = performance.now();
    if (now - this.#measuredAt >= interval) {
      const current = performance.eventLoopUtilization();
      this.#value = performance.eventLoopUtilization(current, this.#last).utilization;
      this.#last = current;
      this.#measuredAt = now;
    }
    return this.#value;
  }
}
