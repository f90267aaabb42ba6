import { close, constants, fdatasync, fsync, ftruncate, open, write } from 'node:fs';
import { mkdir, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { segmentMark } from './frame.ts';

const openFile = promisify(open);
const closeFile = promisify(close);
const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);
const truncateFile = promisify(ftruncate);

// Where a write itself can wait for the disk, one call of the thread pool does for two.
const writesThrough = process.platform === 'linux';

/** A file whose writes are on the disk when they resolve. */
export interface SegmentFile {
  readonly path: string;
  /** Open for reading in all threads of the process. */
  readonly descriptor: number;
  /** @throws when not all bytes are on the disk. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
  /** Deletes the file and closes it. */
  remove(): Promise<void>;
}

/** Makes a file with `size` bytes set aside, readable by its owner only; nothing is left when that fails. */
export type CreateSegmentFile = (path: string, size: number) => Promise<SegmentFile>;

/**
 * Creates a segment of the journal: its mark, then zeros. With the room set aside, running requests can still
 * be booked when the disk is full, and a write changes no metadata, which spares half of its cost.
 */
export const createSegmentFile: CreateSegmentFile = async (path, size) => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const through = writesThrough ? constants.O_DSYNC : 0;
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | through;
  const file = new RealSegmentFile(path, await openFile(path, flags, 0o600));
  try {
    const room = Buffer.alloc(size);
    segmentMark.copy(room);
    await file.write(room, 0);
    await syncDirectory(dirname(path));
    return file;
  } catch (error) {
    await file.remove().catch(() => undefined);
    throw error;
  }
};

class RealSegmentFile implements SegmentFile {
  readonly path: string;
  readonly descriptor: number;

  constructor(path: string, descriptor: number) {
    this.path = path;
    this.descriptor = descriptor;
  }

  async write(bytes: Buffer, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      done += await writeSome(this.descriptor, bytes, done, position + done);
    }
    if (!writesThrough) await syncData(this.descriptor);
  }

  truncate(length: number): Promise<void> {
    return truncateFile(this.descriptor, length);
  }

  close(): Promise<void> {
    return closeFile(this.descriptor);
  }

  async remove(): Promise<void> {
    try {
      await unlink(this.path);
    } finally {
      await this.close();
    }
  }
}

function writeSome(descriptor: number, bytes: Buffer, from: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(descriptor, bytes, from, bytes.length - from, position, (error, written) => {
      if (error === null) resolve(written);
      else reject(error);
    });
  });
}

/** Makes the name of a new file survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, constants.O_RDONLY);
  try {
    await syncAll(directory);
  } finally {
    await closeFile(directory);
  }
}
