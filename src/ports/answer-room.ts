/** The memory that one answer may take while it is made. */
export interface AnswerRoom {
  /** The longest answer, in bytes; also the longest event or body of a provider. */
  readonly limit: number;
  /** Notes bytes that stay in memory until the answer is over; negative: they are kept no more. */
  keep(bytes: number): void;
  /** Notes bytes that are buffered until the rest of an event or body arrives; negative: they are buffered no more. */
  buffer(bytes: number): void;
}

/** Room for an answer that nobody counts, such as a test's. */
export function roomOf(limit: number): AnswerRoom {
  return { limit, keep: () => undefined, buffer: () => undefined };
}
