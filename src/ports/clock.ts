/** The time, which tests can set. */
export interface Clock {
  /** Milliseconds: Unix time, or monotonic time where the user of a clock needs it. */
  now(): number;
}

/** The system clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since an arbitrary moment, monotonic: for leases and waits. */
export const monotonicClock: Clock = { now: () => performance.now() };
