import { performance } from 'node:perf_hooks';

/** Milliseconds between two measurements. */
const interval = 50;

/** Shares of the time in which the loop has work: up to one it is at ease, from the other on it is fully busy. */
const busy = { from: 0.8, fully: 0.95 };

/** Looks now and then how busy the event loop of this process is. */
class LoopLoad {
  #last = performance.eventLoopUtilization();
  #measuredAt = performance.now();
  #value = 0;

  /**
   * How little time is left, from 0 (the process is at ease) to 1 (it is fully busy), over the last interval that was
   * looked at. Work is gathered in proportion to it: gathering saves processor time and makes requests wait.
   */
  get pressure(): number {
    const now = performance.now();
    if (now - this.#measuredAt >= interval) {
      const current = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(current, this.#last);
      this.#value = Math.min(1, Math.max(0, (utilization - busy.from) / (busy.fully - busy.from)));
      this.#last = current;
      this.#measuredAt = now;
    }
    return this.#value;
  }
}

/** How busy the event loop of this thread is. */
export const loopLoad = new LoopLoad();
