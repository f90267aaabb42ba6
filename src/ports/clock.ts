/** The time, so that tests can set it. */
export interface Clock {
  /** Milliseconds: Unix time, unless whoever asks for a clock wants one that is never set. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };

/** Milliseconds since some moment, never set back or forward: for leases and waits. */
export const monotonicClock: Clock = { now: () => performance.now() };
