/**
 * Keeps the process from dying of its standard output with a stack trace. A reader that has read enough, as `head` has,
 * is no failure; a full disk is one, though what was asked for is done. What nobody hears on standard error changes nothing.
 */
export function surviveLostOutput(): void {
  let told = false;
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || told) return;
    told = true;
    process.exitCode = 1;
    process.stderr.write(
      `error: the answer cannot be written (${message}); the command itself was carried out\n`,
    );
  });
}
