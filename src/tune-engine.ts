import { setFlagsFromString } from 'node:v8';

/**
 * Tells the engine that this process serves. To be called before anything else is loaded: what the compile cache holds
 * is bound to it (docs/performance.md).
 *
 * What is called often is compiled sooner: a request runs through much code, and through most of it once; the engine
 * counts calls and would take tens of thousands of requests until all of it is compiled well.
 *
 * Memory is not collected for being idle: ten seconds after a burst of requests that would throw away the shapes of objects
 * of which none is alive, with them all that was compiled for them, and the next burst would take two seconds of the
 * processor to compile it again.
 */
export function tuneEngine(): void {
  setFlagsFromString('--invocation-count-for-turbofan=800');
  setFlagsFromString('--memory-reducer-gc-count=0');
}
