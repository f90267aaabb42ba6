import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Finished, runProgram, userEnvironment } from './programs.ts';

const root = join(import.meta.dirname, '../../..');

let interpreter: string | undefined;

/** Runs a Python script of this repository with the pinned client library. */
export function runPython(script: string, env: Readonly<Record<string, string>>): Promise<Finished> {
  interpreter ??= execFileSync(join(root, 'scripts/e2e-python.sh'), { encoding: 'utf8' }).trim();
  return runProgram(interpreter, [join(root, script)], { env: userEnvironment(env) });
}
