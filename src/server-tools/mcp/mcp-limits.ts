/** What a server may take. */
export interface McpLimits {
  /** Milliseconds of one request. */
  readonly timeout: number;
  /** Bytes of one answer. */
  readonly maxBody: number;
}
