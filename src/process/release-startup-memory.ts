import { collectGarbage } from './collect-garbage.ts';

/** Milliseconds after the start: by then nothing of it is under way any more. */
const settleTime = 1_000;

/**
 * Gives back what starting needed and serving does not, about 15 MB of garbage and of room for it, which the engine
 * would keep. That stops the process for some tens of milliseconds once, a second after its start, and is left out
 * while requests run.
 */
export function releaseStartupMemory(isBusy: () => boolean): void {
  setTimeout(() => {
    if (!isBusy()) collectGarbage();
  }, settleTime).unref();
}
