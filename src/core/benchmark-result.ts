/** The benchmarks of endpoints (docs/spec/routing.md#benchmarks), with the number of tasks that a valid run needs. */
export const benchmarks = { science: 50, tool_use: 45 } as const;

/** One benchmark run pinned to one endpoint. */
export interface BenchmarkResult {
  /** The id of the model. */
  readonly model: string;
  /** The endpoint's tag. */
  readonly tag: string;
  readonly benchmark: keyof typeof benchmarks;
  /** How many tasks it was given. */
  readonly tasks: number;
  /** The fraction of solved tasks. */
  readonly score: number;
  /** Unix milliseconds. */
  readonly at: number;
}
