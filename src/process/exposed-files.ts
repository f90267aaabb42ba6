import { statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const groupAndOthers = 0o077;
const readableByOthers = 0o004;

/**
 * Creates the data directory for its owner alone. Returns a warning when one was there that others may enter: its
 * permissions may be meant, so they stay.
 */
export async function prepareDataDirectory(path: string): Promise<string | undefined> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if (process.platform === 'win32' || (mode & groupAndOthers) === 0) return undefined;
  return `${path}: other users may enter the data directory; chmod 700 ${path}`;
}

/** One warning for each file with secrets that every user of this machine may read. */
export function exposedFiles(paths: readonly string[]): readonly string[] {
  if (process.platform === 'win32') return [];
  return paths
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & readableByOthers) !== 0)
    .map(
      (path) => `${path}: every user of this machine may read it, and it holds secrets; chmod 600 ${path}`,
    );
}

/** The files with secrets that this program writes itself. */
export function ownSecretFiles(dataDirectory: string, databaseFile: string | undefined): readonly string[] {
  const own = ['master.key', 'first-start.txt'].map((name) => join(dataDirectory, name));
  return databaseFile === undefined ? own : [...own, databaseFile];
}
