/** What an error says; whatever else was thrown, as text. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** What the first of the errors says that led to one another. */
export function rootMessageOf(thrown: unknown): string {
  return thrown instanceof Error && thrown.cause !== undefined
    ? rootMessageOf(thrown.cause)
    : messageOf(thrown);
}
