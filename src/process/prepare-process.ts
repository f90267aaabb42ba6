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

/**
 * Has its full effect only if it is set before the engine runs its first function (`tuneEngine` explains it).
 */
const option = '--no-allocation-site-pretenuring';

/**
 * Restarts this process in place with an engine option that must be set from the beginning. Call it before anything
 * else: only the process id and the standard streams are kept. Returns where that is already done or impossible; then
 * everything works, only more slowly.
 */
export function restartTuned(): void {
  const { execArgv, execPath, argv } = process;
  // A parent with a message channel to this process would lose it.
  if (process.send !== undefined || execArgv.includes(option)) return;
  try {
    process.execve?.(execPath, [execPath, option, ...execArgv, ...argv.slice(1)], process.env);
  } catch {
    // Not available on Windows.
  }
}

/**
 * Keeps the process from crashing when its standard output fails. A reader that stops early, such as `head`, is no
 * failure; a full disk is one, although the command itself is done. Failures of standard error are ignored.
 */
export function surviveLostOutput(): void {
  let isReported = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    process.exitCode = 1;
    process.stderr.write(
      `error: the answer cannot be written (${message}); the command itself was carried out\n`,
    );
  });
}
