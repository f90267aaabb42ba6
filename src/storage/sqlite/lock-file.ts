import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../util/message-of.ts';

/** SQLite's result code if another process has the lock. */
const busy = 5;

/**
 * Locks a file that is made for this purpose, and returns what releases it; undefined while it is locked already. The operating
 * system releases it when the process dies, however it dies. Node can lock no files, but SQLite can: the lock is a transaction
 * on an empty database that is about to write and never does.
 * @throws Error for the operator when there can be no lock, as in a file of another kind or on a file system without locks.
 */
export function lockFile(path: string): (() => void) | undefined {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    // A rollback journal in memory, because a file would stay when the process is killed.
    database.exec('pragma journal_mode = memory; begin immediate');
    const locked = database;
    return () => locked.close();
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined;
    throw new Error(
      `"${path}" cannot be locked (${messageOf(error)}). It must be a file of Headgate alone that this user may write to, on a file system with locks.`,
      { cause: error },
    );
  }
}
