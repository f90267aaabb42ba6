import { randomBytes } from 'node:crypto';
import { mkdir, open, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../util/message-of.ts';
import { DatabaseError } from './sql/database-error.ts';
import { ThreadClient } from './sqlite/thread-client.ts';

/** How the names of spool files end. */
export const spoolEnding = '.spool';

const schema =
  'create table if not exists charges (position integer primary key, lines text not null, count integer not null) strict';

/** Charges that were spooled together. */
export interface SpooledBatch {
  readonly position: bigint;
  /** Charge lines, some with terms. */
  readonly lines: string;
  readonly count: bigint;
}

/**
 * A SQLite file of charges that wait for the database. The process that has it open has it alone: the operating system
 * releases the lock when the process dies, however it dies.
 */
export class SpoolFile {
  readonly path: string;
  readonly #thread: ThreadClient;

  private constructor(path: string, thread: ThreadClient) {
    this.path = path;
    this.#thread = thread;
  }

  /** Makes an empty file in a directory, which is created if it is missing. @throws as the file system or SQLite does. */
  static async create(directory: string): Promise<SpoolFile> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const path = join(directory, `${randomBytes(8).toString('hex')}${spoolEnding}`);
    await (await open(path, 'wx', 0o600)).close();
    const file = new SpoolFile(path, startThread(path));
    try {
      await file.#change(schema);
      return file;
    } catch (error) {
      await file.delete().catch(() => undefined);
      throw error;
    }
  }

  /**
   * Opens a file whose process has died; undefined while its process lives, and if it is gone or was never written to.
   * @throws Error for the operator if it cannot be read.
   */
  static async openLeft(path: string): Promise<SpoolFile | undefined> {
    // Its process may just be about to lock it.
    if (((await stat(path).catch(() => undefined))?.size ?? 0) === 0) return undefined;
    const file = new SpoolFile(path, startThread(path));
    try {
      await file.#change(schema);
      return file;
    } catch (error) {
      await file.close().catch(() => undefined);
      if (error instanceof DatabaseError && error.trouble === 'locked') return undefined;
      if ((await stat(path).catch(() => undefined)) === undefined) return undefined;
      throw new Error(
        `"${path}" cannot be read (${messageOf(error)}), and charges may be in it. Let this user read and write it; if it is damaged, keep a copy and move it away.`,
        { cause: error },
      );
    }
  }

  /** Adds charge lines. Resolves when they are durable; rejects when none of them is. */
  async append(lines: readonly string[]): Promise<void> {
    await this.#change('insert into charges (lines, count) values (?, ?)', [lines.join(''), lines.length]);
  }

  /** The oldest batch, or undefined if there is none. */
  async first(): Promise<SpooledBatch | undefined> {
    const sql = 'select position, lines, count from charges order by position limit 1';
    const rows = await this.#thread.send({ kind: 'rows', sql, values: [] });
    // The thread answers in the shape of the statement.
    return Array.isArray(rows) ? (rows[0] as SpooledBatch | undefined) : undefined;
  }

  /** Removes a batch durably. */
  async remove({ position }: SpooledBatch): Promise<void> {
    await this.#change('delete from charges where position = ?', [position]);
  }

  /** Lets other processes have the file. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  /** Closes and deletes the file. */
  async delete(): Promise<void> {
    await this.close();
    await unlink(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }

  async #change(sql: string, values: readonly (string | number | bigint)[] = []): Promise<void> {
    await this.#thread.send({ kind: 'change', sql, values });
  }
}

function startThread(file: string): ThreadClient {
  return new ThreadClient({ file, readOnly: false, busyTimeout: 0, exclusive: true });
}
