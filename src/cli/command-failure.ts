/** A command that was refused or failed: one line saying why and what to do; exit code 1. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
