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
