/** The time, so that tests can set it. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number;
}

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };
