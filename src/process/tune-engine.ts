import { setFlagsFromString } from 'node:v8';

/**
 * Sets engine options that suit a server. Call it in every process, also for other commands, before anything else is
 * loaded, because the compile cache depends on the options (docs/performance.md).
 *
 * Frequent code is compiled sooner: a request runs through much code, and through most of it once. The engine counts
 * calls and would need tens of thousands of requests to compile all of it well.
 *
 * Idle time triggers no garbage collection. Ten seconds after a burst of requests it would discard the shapes of
 * objects without instances, and all code compiled for them; the next burst would spend two seconds of CPU on
 * compiling it again.
 *
 * No object is allocated in the old generation. Requests that pass the stages together are all alive at each
 * collection, from which the engine concludes that such objects live long. They die a moment later, but in the old
 * generation each keeps its request in memory until the next full collection. (Decision 0025; also set here for
 * processes that `restartTuned` could not restart.)
 */
export function tuneEngine(): void {
  setFlagsFromString('--invocation-count-for-turbofan=800');
  setFlagsFromString('--memory-reducer-gc-count=0');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
