import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../util/message-of.ts';
import { ReservedRoom } from '../reserved-room.ts';
import { DatabaseError, throwUnavailable } from '../sql/database.ts';
import { ThreadClient } from '../sqlite/thread-client.ts';

/** How a spool is kept. */
export interface SpoolOptions {
  readonly directory: string;
  /** Books charge lines, some with terms, in the database. */
  readonly book: (lines: readonly string[]) => Promise<void>;
  /** Milliseconds between two tries while the database does not accept charges, or the directory none. */
  readonly retryDelay: number;
  /** Whether room is reserved before it is needed, so that a full disk is noticed at once. */
  readonly reserveRoom: boolean;
}

/** Milliseconds between two searches for files that other processes left. */
const searchInterval = 200;

/**
 * Keeps charges in a file of this process while the database is away and books them when it is back, in the order they
 * came. The id of a charge lets it count once, however often it is tried. The file is deleted when the database has all of
 * it; what a process left when it died is booked by any other with the same directory.
 */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #room: ReservedRoom;
  #file: SpoolFile | undefined;
  #waiting = 0;
  #failure: unknown;
  /** Settles when the file is neither written to nor deleted. */
  #busy: Promise<unknown> = Promise.resolve();
  #booking: Promise<void> | undefined;
  #searching: Promise<void> | undefined;
  #searchedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SpoolOptions) {
    const { directory, retryDelay, reserveRoom } = options;
    this.#options = options;
    this.#room = new ReservedRoom({ path: join(directory, 'room'), retryDelay });
    if (reserveRoom) void this.#room.reserve();
  }

  /** Charges of this process that wait for the database. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Why the database did not accept what waits here; undefined if it did, or nothing waits. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Why charges cannot be kept here, as far as is known. */
  get roomFailure(): unknown {
    return this.#room.failure;
  }

  /**
   * Keeps charge lines, some with terms. Resolves when they are durable.
   * @throws HeadgateError `service_unavailable` when none of them is.
   */
  async append(lines: readonly string[]): Promise<void> {
    await this.#alone(() => this.#append(lines)).catch(throwUnavailable);
    this.#bookLater();
  }

  /** Resolves when the database has every charge that was kept before the call, here or by a process that has died. */
  async catchUp(): Promise<void> {
    while (this.#file !== undefined) await this.#bookOwn();
    await this.#search();
  }

  /** Books what the database accepts and leaves the rest for another process. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#room.close();
    // One that ran already may have missed the last charges.
    await this.#bookOwn()
      .then(() => this.#bookOwn())
      .catch(() => undefined);
    await this.#busy;
    await this.#file?.close().catch(() => undefined);
  }

  async #append(lines: readonly string[]): Promise<void> {
    try {
      this.#forgetLostFile();
      const { directory } = this.#options;
      await this.#room.use(async () => {
        this.#file ??= await SpoolFile.create(directory);
        await this.#file.append(lines);
      });
      this.#waiting += lines.length;
    } catch (error) {
      await this.#room.distrust(error);
      throw error;
    }
  }

  /** Somebody deleted it, or another process booked it after a crash of the thread that had locked it. */
  #forgetLostFile(): void {
    if (this.#file === undefined || existsSync(this.#file.path)) return;
    void this.#file.close().catch(() => undefined);
    this.#file = undefined;
    this.#waiting = 0;
  }

  #bookLater(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#bookOwn().catch(() => undefined);
    }, this.#options.retryDelay).unref();
  }

  #bookOwn(): Promise<void> {
    this.#booking ??= this.#bookAll().finally(() => {
      this.#booking = undefined;
    });
    return this.#booking;
  }

  async #bookAll(): Promise<void> {
    try {
      if (this.#file !== undefined) {
        await this.#bookFile(this.#file, (count) => {
          this.#waiting -= count;
        });
      }
      this.#failure = undefined;
      await this.#alone(() => this.#deleteIfEmpty());
    } catch (error) {
      this.#forgetLostFile();
      this.#failure = this.#file && error;
      this.#bookLater();
      throw error;
    }
  }

  async #deleteIfEmpty(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    if ((await file.first()) !== undefined) {
      this.#bookLater();
      return;
    }
    this.#file = undefined;
    await file.delete();
  }

  async #bookFile(file: SpoolFile, booked: (count: number) => void = () => undefined): Promise<void> {
    for (let batch = await file.first(); batch !== undefined; batch = await file.first()) {
      await this.#options.book(batch.lines.split(/(?<=\n)/));
      await file.remove(batch);
      booked(Number(batch.count));
    }
  }

  #search(): Promise<void> {
    if (performance.now() - this.#searchedAt < searchInterval) return Promise.resolve();
    this.#searching ??= this.#bookLeft().finally(() => {
      this.#searching = undefined;
    });
    return this.#searching;
  }

  async #bookLeft(): Promise<void> {
    const { directory } = this.#options;
    for (const name of await listDirectory(directory)) {
      const path = join(directory, name);
      if (!name.endsWith(spoolEnding) || path === this.#file?.path) continue;
      const file = await SpoolFile.openLeft(path);
      if (file === undefined) continue;
      try {
        await this.#bookFile(file);
      } catch (error) {
        await file.close();
        // Another process that was quicker has booked and deleted it.
        if (await isGone(path)) continue;
        throw error;
      }
      await file.delete();
    }
    this.#searchedAt = performance.now();
  }

  /** Runs work after what was asked for before. */
  #alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const running = this.#busy.then(work);
    this.#busy = running.catch(() => undefined);
    return running;
  }
}

async function isGone(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
  );
}

async function listDirectory(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where there can be no directory, nobody left anything.
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw new Error(
      `${messageOf(error)}: charges that are not booked yet may lie there. Let this user read and write it, or name another data directory.`,
      { cause: error },
    );
  }
}

/** How the names of spool files end. */
const spoolEnding = '.spool';

const schema =
  'create table if not exists charges (position integer primary key, lines text not null, count integer not null) strict';

/** Charges that were spooled together. */
interface SpooledBatch {
  readonly position: bigint;
  /** Charge lines, some with terms. */
  readonly lines: string;
  readonly count: bigint;
}

/**
 * A SQLite file of charges that wait for the database. The process that has it open has it alone: the operating system
 * releases the lock when the process dies, however it dies.
 */
class SpoolFile {
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
