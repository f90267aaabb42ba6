import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MasterKey, readMasterKeys } from './master-key.ts';

const fileName = 'master.key';
const lockWait = 20;
const lockTries = 150;

/**
 * The file in the data directory with the master keys, one per line, the current one first; readable by its owner
 * only (docs/spec/operations.md#master-keys, `HEADGATE_MASTER_KEY`). It is replaced atomically, never edited in place.
 */
export class MasterKeyFile {
  readonly #path: string;

  constructor(dataDirectory: string) {
    this.#path = join(dataDirectory, fileName);
  }

  /**
   * The keys in the file; the first start creates one. @throws Error when the file contains something else.
   */
  async read(): Promise<readonly MasterKey[]> {
    const text = await readFile(this.#path, 'utf8').catch(ignoreMissing);
    if (text !== undefined) return readMasterKeys(text, this.#path);
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await this.#createOnce();
    return readMasterKeys(await readFile(this.#path, 'utf8'), this.#path);
  }

  /** Identifies the current content of the file; differs after every change. */
  async version(): Promise<string> {
    const found = await stat(this.#path, { bigint: true }).catch(ignoreMissing);
    return found === undefined ? '' : `${found.dev}:${found.ino}:${found.mtimeNs}`;
  }

  /**
   * Replaces the keys. Durable once it resolves; a lock excludes concurrent changes.
   * @throws Error when another process does not finish its change.
   */
  async change(next: (keys: readonly MasterKey[]) => readonly MasterKey[]): Promise<void> {
    const lock = `${this.#path}.lock`;
    await takeLock(lock);
    try {
      const text = next(await this.read())
        .map((key) => `${key.toBase64()}\n`)
        .join('');
      const fresh = `${this.#path}.new`;
      await unlink(fresh).catch(ignoreMissing);
      await writeDurably(fresh, text);
      await rename(fresh, this.#path);
      await syncDirectory(dirname(this.#path));
    } finally {
      await unlink(lock);
    }
  }

  async #createOnce(): Promise<void> {
    const fresh = `${this.#path}.${randomUUID()}`;
    await writeDurably(fresh, `${MasterKey.create().toBase64()}\n`);
    try {
      // Created atomically; if another start was first, its key is used.
      await link(fresh, this.#path).catch(ignoreExisting);
      await syncDirectory(dirname(this.#path));
    } finally {
      await unlink(fresh);
    }
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function takeLock(path: string): Promise<void> {
  for (let tries = 0; tries < lockTries; tries += 1) {
    try {
      await (await open(path, 'wx', 0o600)).close();
      return;
    } catch (error) {
      ignoreExisting(error);
    }
    await sleep(lockWait);
  }
  throw new Error(
    `"${path}" is there: another command changes the master keys. If none runs, delete that file.`,
  );
}

function ignoreMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  return undefined;
}

function ignoreExisting(error: unknown): void {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}
