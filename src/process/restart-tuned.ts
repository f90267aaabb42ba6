/** Counts in full only if it is set before the engine runs its first function (`tuneEngine` says what for). */
const option = '--no-allocation-site-pretenuring';

/**
 * Starts this process anew in its own place, with what the engine has to know from the beginning. To be called before
 * anything else: nothing of the process is kept but its number and its standard streams. Returns where that is done
 * already or cannot be: all works without it, only slower.
 */
export function restartTuned(): void {
  const { execArgv, execPath, argv } = process;
  // A parent that talks with this process would lose it.
  if (process.send !== undefined || execArgv.includes(option)) return;
  try {
    process.execve?.(execPath, [execPath, option, ...execArgv, ...argv.slice(1)], process.env);
  } catch {
    // Not on Windows.
  }
}
