import { mkdir, open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseError } from './sql/database.ts';

/** Where room is reserved, and how. */
export interface RoomOptions {
  /** The file that takes the room; its directory is created. */
  readonly path: string;
  /** Milliseconds between two tries to reserve it. */
  readonly retryDelay: number;
  /** Bytes. */
  readonly size?: number;
}

const defaultSize = 4 << 20;

/**
 * Room on the disk that is reserved by a file of zeros. When the disk is full the file is deleted, so that requests which
 * are under way can still be booked while new ones are refused. It is reserved again as soon as there is space.
 */
export class ReservedRoom {
  readonly #path: string;
  readonly #size: number;
  readonly #retryDelay: number;
  #isReserved = false;
  #failure: unknown;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor({ path, retryDelay, size = defaultSize }: RoomOptions) {
    this.#path = path;
    this.#retryDelay = retryDelay;
    this.#size = size;
  }

  /** Why there is no room, as far as is known; undefined while all is well. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Reserves the room, now and, if that fails, again and again. Never rejects. */
  async reserve(): Promise<void> {
    try {
      await fill(this.#path, this.#size);
      this.#isReserved = true;
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
      this.#retryLater();
    }
  }

  /** Runs a write and, if the disk is full, runs it once more in the room that was reserved. */
  async use<Result>(write: () => Promise<Result>): Promise<Result> {
    try {
      return await write();
    } catch (error) {
      if (!this.#isReserved || !(error instanceof DatabaseError && error.trouble === 'full')) throw error;
      await this.distrust(error);
      return write();
    }
  }

  /** Gives up the room and counts as failed until it was reserved anew: the proof that writing works again. */
  async distrust(failure: unknown): Promise<void> {
    this.#failure = failure;
    this.#retryLater();
    await rm(this.#path, { force: true }).catch(() => undefined);
  }

  /** Makes no further try. The file stays for the next start. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #retryLater(): void {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#timer = setTimeout(() => void this.reserve(), this.#retryDelay).unref();
  }
}

/** Makes a file of zeros, unless it is there. Leaves nothing if there is no space for it. */
async function fill(path: string, size: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if ((await stat(path).catch(() => undefined))?.size === size) return;
  const { bavail, bsize } = await statfs(dirname(path));
  // Room that was just given up must stay free for those who need it.
  if (bavail * bsize < size * 2) throw new Error(`The disk of "${path}" is full.`);
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(Buffer.alloc(size));
    await file.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}
