/** A function that runs in a child process. Its input and its result are plain data. */
export interface IsolatedTask<Input, Result> {
  /** The address of the module that exports it. */
  readonly module: string;
  /** The name of the export. */
  readonly name: string;
  /** Never set: what the function takes and returns. */
  readonly types?: (input: Input) => Result;
}

/** For whom a task runs, and within which bounds. */
export interface TaskRun {
  /** Milliseconds it may run, without the wait for a process. */
  readonly time: number;
  /** The account that asks: accounts take turns, and one alone never has all processes. */
  readonly owner: string;
  /** Bytes of the input, which are in memory while it waits. */
  readonly bytes: number;
  /** Aborted when the result is not wanted any more: then it waits no longer. A task that runs ends on its own. */
  readonly signal?: AbortSignal;
}

/**
 * Why a task has no result: as many wait as may, it waited too long, or it is not wanted any more (`busy`); it ran too long
 * (`too_slow`); its process took too much memory (`too_large`); its process or the function failed (`failed`).
 */
export type IsolationProblem = 'busy' | 'too_slow' | 'too_large' | 'failed';

/** The outcome of a task. */
export type IsolationOutcome<Result> = { readonly result: Result } | { readonly problem: IsolationProblem };

/**
 * Names a function to run in a child process.
 * @param base `import.meta.url` of the caller.
 * @param file The module that exports it, relative to `base` and without its ending.
 */
export function isolatedTask<Input, Result>(
  base: string,
  file: string,
  name: string,
): IsolatedTask<Input, Result> {
  return { module: new URL(`${file}.${base.endsWith('.ts') ? 'ts' : 'js'}`, base).href, name };
}
