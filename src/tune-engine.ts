import { setFlagsFromString } from 'node:v8';

/**
 * Has the engine compile what is called often sooner. A request runs through much code, and through most of it once; the
 * engine counts calls and would take tens of thousands of requests until all of it is compiled well
 * (docs/performance.md). To be called before anything else is loaded: what the compile cache holds is bound to it.
 */
export function tuneEngine(): void {
  setFlagsFromString('--invocation-count-for-turbofan=800');
}
