import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How an agent is run: its program, and what it finds in its home. */
export interface AgentRun {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files by their path below its home. */
  readonly homeFiles?: Readonly<Record<string, string>>;
}

/** What came of a run. */
export interface AgentResult {
  readonly code: number | null;
  readonly output: string;
}

const longestRun = 120_000;

/**
 * Runs an agent with an empty environment and a home of its own.
 * @param folder Where its home and its working folder are made; the latter is `work`, and may exist.
 */
export async function runAgent(
  { command, args, environment, homeFiles = {} }: AgentRun,
  folder: string,
): Promise<AgentResult> {
  const home = join(folder, 'home');
  const work = join(folder, 'work');
  for (const made of [home, work]) await mkdir(made, { recursive: true });
  for (const [path, text] of Object.entries(homeFiles)) {
    await mkdir(join(home, path, '..'), { recursive: true });
    await writeFile(join(home, path), text);
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...environment };
  const child = spawn(command, args, { cwd: work, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  const timer = setTimeout(() => child.kill('SIGKILL'), longestRun);
  const code = await new Promise<number | null>((resolve) => {
    child.once('close', resolve);
    child.once('error', (error) => {
      output += String(error);
      resolve(null);
    });
  });
  clearTimeout(timer);
  return { code, output };
}
