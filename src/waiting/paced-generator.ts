import { setTimeout as sleep } from 'node:timers/promises';

/** How much longer others may work than a piece took. */
const timesAsLong = 3;
/** The longest pause, in milliseconds. */
const longest = 250;

/** What tells the time, and waits; in milliseconds. */
interface Timing {
  readonly now: () => number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

const real: Timing = { now: () => performance.now(), wait: (milliseconds) => sleep(milliseconds) };

/** The same pieces with pauses: making them takes at most a quarter of the time, so that requests keep the rest. */
export async function* pacedGenerator<Piece>(
  pieces: AsyncGenerator<Piece>,
  { now, wait }: Timing = real,
): AsyncGenerator<Piece> {
  try {
    for (;;) {
      const began = now();
      const { done, value } = await pieces.next();
      if (done === true) return;
      const pause = Math.min(longest, (now() - began) * timesAsLong);
      yield value;
      await wait(pause);
    }
  } finally {
    await pieces.return(undefined);
  }
}
