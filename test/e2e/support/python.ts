import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { type Finished, runProgram, userEnvironment } from './programs.ts';

const root = join(import.meta.dirname, '../../..');

let interpreter: string | undefined;

/** A command of the environment with the pinned client libraries, which is installed where it never was. */
export function pythonCommand(name: string): string {
  interpreter ??= execFileSync(join(root, 'scripts/e2e-python.sh'), { encoding: 'utf8' }).trim();
  return join(dirname(interpreter), name);
}

/** Runs a Python script of this repository with the pinned client libraries. */
export function runPython(script: string, env: Readonly<Record<string, string>>): Promise<Finished> {
  return runProgram(pythonCommand('python'), [join(root, script)], { env: userEnvironment(env) });
}
