import { parentPort, workerData } from 'node:worker_threads';

/**
 * Ticks at random moments with exponentially distributed gaps, like arrivals of independent clients, and finer than
 * the millisecond of a timer: the worker thread sleeps on a futex. The same seed always gives the same arrivals.
 */

/** The worker's data. */
export interface Arrivals {
  readonly perSecond: number;
  readonly seconds: number;
  readonly seed: number;
}

const { perSecond, seconds, seed }: Arrivals = workerData;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));

let state = seed >>> 0;
/** Uniform in (0, 1): a 32-bit linear congruential generator is random enough for gaps. */
function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return (state + 0.5) / 2 ** 32;
}

const start = performance.now();
let due = start;
for (;;) {
  due -= (Math.log(random()) / perSecond) * 1000;
  if (due > start + seconds * 1000) break;
  const wait = due - performance.now();
  if (wait > 0) Atomics.wait(neverNotified, 0, 0, wait);
  parentPort?.postMessage(true);
}
parentPort?.postMessage(false);
