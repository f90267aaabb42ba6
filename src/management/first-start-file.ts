import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Milliseconds for which the keys of the first start stay on disk. */
const lifetime = 24 * 3_600_000;

/** The file with the keys of the first start, for a server without a terminal. */
export function firstStartFile(dataDirectory: string): string {
  return join(dataDirectory, 'first-start.txt');
}

/**
 * Writes the keys of the first start to a file that only its owner can read, never to a log. The file is written
 * atomically and replaces one of an earlier database.
 */
export async function keepFirstStart(dataDirectory: string, text: string): Promise<void> {
  const file = firstStartFile(dataDirectory);
  const fresh = `${file}.new`;
  // The folder may not exist yet where the database is elsewhere and the master key is configured.
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  await rm(fresh, { force: true });
  const end =
    'This file is deleted 24 hours after it was written while the server runs, or by: headgate first-start done\n';
  await writeFile(fresh, `${text}${end}`, { mode: 0o600, flag: 'wx' });
  await rename(fresh, file);
}

/** Deletes the file. Returns false when there is none. */
export async function deleteFirstStart(dataDirectory: string): Promise<boolean> {
  const file = firstStartFile(dataDirectory);
  const exists = (await stat(file).catch(() => undefined)) !== undefined;
  if (exists) await rm(file, { force: true });
  return exists;
}

/**
 * Deletes the file once it is a day old, as long as this process runs. Returns how to stop that.
 * @param onEnd Called after the deletion, or with the reason why it failed.
 */
export async function expireFirstStart(
  dataDirectory: string,
  onEnd: (file: string, failure?: unknown) => void,
): Promise<() => void> {
  const file = firstStartFile(dataDirectory);
  const written = (await stat(file).catch(() => undefined))?.mtimeMs;
  if (written === undefined) return () => undefined;
  const expire = () => {
    deleteFirstStart(dataDirectory).then(
      (deleted) => deleted && onEnd(file),
      (failure: unknown) => onEnd(file, failure),
    );
  };
  const timer = setTimeout(expire, Math.max(0, written + lifetime - Date.now())).unref();
  return () => clearTimeout(timer);
}
