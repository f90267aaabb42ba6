import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CliEnvironment, ServeOptions } from '../../src/cli/cli-environment.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { Config } from '../../src/config/config.ts';
import { openCredentialTools } from '../../src/process/credential-tools.ts';
import { databaseTools } from '../../src/process/database-tools.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** When commands of tests run, unless they are told otherwise. */
export const now = Date.parse('2026-11-21T12:00:00Z');

/** What a command came to. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Makes the database of the usual configuration, as a first start does. */
export async function makeDatabase(folder: string): Promise<void> {
  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  await storage.migrate();
  await storage.close();
}

/** Runs a command in a folder, with real storage; `given` takes the place of what surrounds it. */
export async function runIn(
  folder: string,
  argv: readonly string[],
  given: Partial<CliEnvironment> = {},
): Promise<Outcome> {
  const { clock = { now: () => now } } = given;
  let [out, err] = ['', ''];
  const code = await runCommandLine(argv, {
    env: {},
    cwd: folder,
    stdout: (text) => {
      out += text;
    },
    stderr: (text) => {
      err += text;
    },
    openStorage: (config, options) => openStorage(config.database.url, { clock, ...options }),
    openCredentials: async (config, storage) => openCredentialTools(config, storage),
    openDatabaseTools: async () => databaseTools,
    serve: async () => 0,
    clock,
    ...given,
  });
  return { code, out, err };
}

/**
 * A folder of its own, with a configuration file if one is given, a new database where the usual configuration has it, and a
 * way to run commands in it.
 */
export async function workplace(file?: string, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  await makeDatabase(folder);
  if (file !== undefined) await writeFile(join(folder, 'headgate.yaml'), file);
  const served: [Config, ServeOptions][] = [];
  const time = { now };
  const serve: CliEnvironment['serve'] = async (config, options) => {
    served.push([config, options]);
    return 0;
  };
  const run = (...argv: string[]) => runIn(folder, argv, { env, serve, clock: { now: () => time.now } });
  /** The answer of a command that must succeed, as JSON. */
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run(...argv, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  return { folder, run, json, served, time };
}
