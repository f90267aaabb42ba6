import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Contents younger than this may belong to a file that is just being stored, in milliseconds. */
const settled = 60 * 60_000;

/** Keeps contents of files in a directory, by scope and hash: `<directory>/<scope>/<hash>`. */
export class FileDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Keeps contents; they are on the disk when it resolves. */
  async write(scope: string, hash: string, contents: Uint8Array): Promise<void> {
    const directory = join(this.#path, scope);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, hash);
    if (await exists(path)) return;
    const unfinished = join(directory, `${randomUUID()}.part`);
    const file = await open(unfinished, 'wx', 0o600);
    try {
      await file.writeFile(contents);
      await file.sync();
    } catch (error) {
      await file.close();
      await rm(unfinished, { force: true });
      throw error;
    }
    await file.close();
    await rename(unfinished, path);
  }

  /** Undefined when they are not there. */
  async read(scope: string, hash: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(join(this.#path, scope, hash));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async remove(scope: string, hash: string): Promise<void> {
    await rm(join(this.#path, scope, hash), { force: true });
  }

  /**
   * Removes what no file has: what a process left that ended while it stored one, and what a deleted workspace had.
   * @param used Returns those of some hashes of a scope that belong to a file.
   */
  async sweep(used: (scope: string, hashes: readonly string[]) => Promise<ReadonlySet<string>>, now: number) {
    for (const scope of await namesIn(this.#path)) {
      const old: string[] = [];
      for (const name of await namesIn(join(this.#path, scope))) {
        const known = await stat(join(this.#path, scope, name)).catch(() => undefined);
        if (known !== undefined && now - known.mtimeMs > settled) old.push(name);
      }
      for (let start = 0; start < old.length; start += 100) {
        const names = old.slice(start, start + 100);
        const kept = await used(scope, names);
        for (const name of names) if (!kept.has(name)) await this.remove(scope, name);
      }
    }
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function namesIn(path: string): Promise<readonly string[]> {
  return readdir(path).catch(() => []);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
