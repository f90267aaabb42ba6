import { randomBytes } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../util/message-of.ts';

/** What SQLite says when somebody else has the lock. */
const busy = 5;

/**
 * The lock of a process on the segments it writes. The operating system lets go of it when the process dies,
 * however it dies. Node can lock no files, but SQLite can: the lock is a transaction on an empty database
 * that is about to write and never does.
 */
export interface OwnerLock {
  /** What the names of the owner's segments begin with. */
  readonly owner: string;
  /** Deletes the lock's file and lets go. Only when the owner has no segments left. */
  remove(): void;
  /** Lets go and leaves the file: there are segments left for others to apply. */
  release(): void;
}

/** Becomes an owner of segments in a directory, under a name nobody has; nothing is left when that fails. */
export function newOwner(directory: string): OwnerLock {
  for (;;) {
    const owner = randomBytes(8).toString('hex');
    const path = lockPath(directory, owner);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const file = openSync(path, 'wx', 0o600);
    const { ino } = fstatSync(file);
    closeSync(file);
    const lock = lockNew(directory, owner);
    // Somebody who tidies up may have found the file before it was locked, and deleted it.
    if (lock !== undefined && statSync(path, { throwIfNoEntry: false })?.ino === ino) return lock;
    lock?.release();
  }
}

function lockNew(directory: string, owner: string): OwnerLock | undefined {
  try {
    return lockOwner(directory, owner);
  } catch (error) {
    rmSync(lockPath(directory, owner), { force: true });
    throw error;
  }
}

/**
 * The lock of an owner who has died; undefined while the owner lives or another process has this lock.
 * @throws Error for the operator when there can be no lock, as in a file of another kind or where the file system has none.
 */
export function lockOwner(directory: string, owner: string): OwnerLock | undefined {
  const path = lockPath(directory, owner);
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // A rollback journal in memory, because a file would stay when the process is killed.
    database.exec('pragma journal_mode = memory; begin immediate');
  } catch (error) {
    database?.close();
    if (isBusy(error)) return undefined;
    const reason = messageOf(error);
    throw new Error(
      `"${path}" cannot be locked (${reason}). It must be a file of Headgate alone that this user may write to, on a file system with locks.`,
      { cause: error },
    );
  }
  return lockOn(database, path, owner);
}

function lockOn(database: DatabaseSync, path: string, owner: string): OwnerLock {
  return {
    owner,
    remove: () => {
      unlinkSync(path);
      database.close();
    },
    release: () => database.close(),
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy;
}

/** The owner a lock file is named after, or undefined when a file is none. */
export function ownerOfLock(name: string): string | undefined {
  return /^([0-9a-f]{16})\.lock$/.exec(name)?.[1];
}

function lockPath(directory: string, owner: string): string {
  return join(directory, `${owner}.lock`);
}
