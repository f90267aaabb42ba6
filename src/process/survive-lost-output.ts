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
