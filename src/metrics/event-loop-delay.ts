import { Histogram } from './histogram.ts';

/** Milliseconds between two samples. */
const interval = 100;

/** Seconds of delay. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures the delay of timers, which is also how long the event loop is blocked. */
export class EventLoopDelay {
  readonly delays = new Histogram(bounds);
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let expected = performance.now() + interval;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.delays.observe(Math.max(now - expected, 0) / 1000);
      expected = now + interval;
    }, interval).unref();
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.#timer);
  }
}
