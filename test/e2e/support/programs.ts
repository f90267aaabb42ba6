import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { enginesOf } from './engines.ts';
import { installPackage } from './installed-package.ts';

/** What a program that ran to its end left behind. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that was started, with everything it has written so far. */
export interface Program {
  readonly child: ChildProcess;
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves when it has ended and all it wrote was read. */
  readonly finished: Promise<Finished>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * The environment of a user who has nothing set: no provider's key of this machine reaches a test. The
 * package's own Node comes first on the path, as `npx` puts it.
 */
export function userEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH: `${installPackage()}:${PATH}`, HOME, ...more };
}

/** The installed `headgate` command. */
export function headgateCommand(): string {
  return join(installPackage(), 'headgate');
}

/** Starts a program; it ends with this process at the latest. */
export function startProgram(command: string, args: readonly string[], options: SpawnOptions = {}): Program {
  const child = spawn(command, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
    // Only what needs it pays for an installed package.
    env: options.env ?? userEnvironment(),
  });
  running.add(child);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      written[name] += text;
    });
  }
  const finished = once(child, 'close').then(([code]: (number | null)[]) => {
    running.delete(child);
    return { code: code ?? null, ...written };
  });
  return {
    child,
    finished,
    get stdout() {
      return written.stdout;
    },
    get stderr() {
      return written.stderr;
    },
  };
}

/** How long a program may take that should end by itself, in milliseconds; far more than any needs. */
const patience = 280_000;

/** Waits for the end of a program; one that never ends is killed and has the code null. */
export async function untilFinished({ child, finished }: Program): Promise<Finished> {
  const impatience = setTimeout(() => child.kill('SIGKILL'), patience);
  try {
    return await finished;
  } finally {
    clearTimeout(impatience);
  }
}

/** Runs a program to its end. */
export function runProgram(
  command: string,
  args: readonly string[],
  options: SpawnOptions = {},
): Promise<Finished> {
  return untilFinished(startProgram(command, args, options));
}

/** The environment of a user in a folder of Headgate: what names the folder's engines is set too. */
export async function folderEnvironment(
  directory: string,
  more: Readonly<Record<string, string>> = {},
): Promise<NodeJS.ProcessEnv> {
  const { env } = await enginesOf(directory);
  return userEnvironment({ ...env, ...more });
}

/** Runs `headgate` in a folder to its end. */
export async function runHeadgate(
  directory: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return runProgram(headgateCommand(), args, {
    cwd: directory,
    env: await folderEnvironment(directory, env),
  });
}
