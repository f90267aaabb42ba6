/** Where a value was written, for messages. */
export interface Position {
  /** A file's name as the user would type it, `environment NAME` or `command line --NAME`. */
  readonly source: string;
  /** From 1; undefined when the source has no lines. */
  readonly line?: number;
}

const commandLine = 'command line --';

/** Where an option of the command line stands. */
export function positionOfOption(name: string): Position {
  return { source: `${commandLine}${name}` };
}

/** Whether it is an option of the command line. */
export function isCommandLine({ source }: Position): boolean {
  return source.startsWith(commandLine);
}

/** One mistake in the configuration: never holds a secret. */
export interface ConfigProblem {
  readonly position: Position;
  /** Such as `models[2].endpoints[0].provider`; empty for the file as a whole. */
  readonly path: string;
  readonly problem: string;
  /** The values that would do. */
  readonly allowed?: string;
  readonly remedy: string;
}

/**
 * The configuration cannot be used. Lists every mistake, not only the first (docs/spec/operations.md#configuration).
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** Why a file cannot be read: in a word of the system or, for one that is refused here, in the words of the error. */
export function reasonOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'unknown reason';
  return 'code' in failure ? String(failure.code) : failure.message;
}

/** One line: `file:line: key.path: problem; allowed: ...; remedy`. */
function formatProblem(problem: ConfigProblem): string {
  const { source, line } = problem.position;
  const place = line === undefined ? source : `${source}:${line}`;
  const path = problem.path === '' ? '' : `${problem.path}: `;
  const allowed = problem.allowed === undefined ? '' : `allowed: ${problem.allowed}; `;
  return `${place}: ${path}${problem.problem}; ${allowed}${problem.remedy}`;
}
