/** The message of an error; any other thrown value as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The message of the first error in a chain of causes. */
export function rootMessageOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause !== undefined
    ? rootMessageOf(thrown.cause)
    : messageOf(thrown);
}
