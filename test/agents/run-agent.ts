import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  /** The folder it worked in. */
  readonly folder: string;
}

const longestRun = 120_000;

/** Runs an agent with an empty environment, a home and a working folder of its own. */
export async function runAgent({
  command,
  args,
  environment,
  homeFiles = {},
}: AgentRun): Promise<AgentResult> {
  const home = await mkdtemp(join(tmpdir(), 'agent-home-'));
  const folder = await mkdtemp(join(tmpdir(), 'agent-work-'));
  for (const [path, text] of Object.entries(homeFiles)) {
    await mkdir(join(home, path, '..'), { recursive: true });
    await writeFile(join(home, path), text);
  }
  const env = { PATH: process.env.PATH ?? '', HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...environment };
  const filled = args.map((arg) => arg.replaceAll('{folder}', folder));
  const child = spawn(command, filled, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
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
  return { code, output, folder };
}
