import { setFlagsFromString } from 'node:v8';

/**
 * Tells the engine what suits a server. To be called in every process, also of other commands, before anything else is
 * loaded: what the compile cache holds is bound to it (docs/performance.md).
 *
 * What is called often is compiled sooner: a request runs through much code, and through most of it once; the engine
 * counts calls and would take tens of thousands of requests until all of it is compiled well.
 *
 * Memory is not collected for being idle: ten seconds after a burst of requests that would throw away the shapes of objects
 * of which none is alive, with them all that was compiled for them, and the next burst would take two seconds of the
 * processor to compile it again.
 *
 * Nothing is made among old objects from the start. Requests that go through the stages together are all alive whenever
 * memory is collected, which the engine takes for a sign that such objects live long. They die a moment later, and until
 * old objects are collected each keeps what belongs to its request. (Decision 0025; said here for processes that
 * `restartTuned` could not start anew.)
 */
export function tuneEngine(): void {
  setFlagsFromString('--invocation-count-for-turbofan=800');
  setFlagsFromString('--memory-reducer-gc-count=0');
  setFlagsFromString('--no-allocation-site-pretenuring');
}
