import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import type { Restored, RowCounts } from '../../ports/database-copies.ts';
import { messageOf } from '../../util/message-of.ts';
import { migrations } from '../sql/migrations.ts';

/** More pages than a database can have: one step reads one moment, and is never begun anew because others write. */
const everyPage = 2_000_000_000;
/** Milliseconds to wait for others that write. */
const busyTimeout = 10_000;

/**
 * Copies a SQLite database as it is at one moment into one new file, while others read and write it
 * (docs/spec/operations.md#backups). The copy is complete, checked and on the disk when it has its name.
 * @returns What is in the copy.
 * @throws Error for the operator: the copy exists already, cannot be written, or is not whole.
 */
export async function backupSqlite(file: string, copy: string): Promise<RowCounts> {
  const unfinished = `${copy}.part`;
  // Apart from what follows: what is there already is not ours to remove.
  await makeNew(unfinished);
  try {
    await makeNew(copy);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  try {
    const source = new DatabaseSync(file, { timeout: busyTimeout });
    try {
      await backup(source, unfinished, { rate: everyPage });
    } finally {
      source.close();
    }
    const counts = checkCopy(unfinished);
    await sync(unfinished);
    await rename(unfinished, copy);
    await sync(dirname(copy));
    return counts;
  } catch (error) {
    await removeDatabase(unfinished);
    await rm(copy, { force: true });
    throw new Error(`The backup "${copy}" could not be made (${messageOf(error)}).`, { cause: error });
  }
}

/**
 * Puts a backup in the place of a database, which is kept beside it (docs/spec/operations.md#backups). The backup stays.
 * @param now Unix milliseconds, which name the kept one.
 * @throws Error for the operator: the backup is none of Headgate, is damaged or of a newer version, or a process has the
 *   database open.
 */
export async function restoreSqlite(copy: string, file: string, now: number): Promise<Restored> {
  const unfinished = `${file}.restoring`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await removeDatabase(unfinished);
  try {
    await makeNew(unfinished);
    await copyFile(copy, unfinished);
    const counts = checkCopy(unfinished);
    await sync(unfinished);
    const before = await moveAside(
      file,
      `${file}.before-${new Date(now).toISOString().replace(/[:.]/g, '-')}`,
    );
    await rename(unfinished, file);
    await sync(dirname(file));
    return { counts, before };
  } catch (error) {
    await removeDatabase(unfinished);
    throw new Error(`"${resolve(copy)}" was not restored: ${messageOf(error)}.`, { cause: error });
  }
}

/** Removes a SQLite file of ours with what SQLite puts beside it. */
export async function removeDatabase(file: string): Promise<void> {
  for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${file}${end}`, { force: true });
}

/** Makes an empty file that only its owner may read. @throws when there is one. */
async function makeNew(path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    throw new Error(
      `"${path}" is there already, and nothing is overwritten: name another file, or remove it`,
    );
  }
}

/** Makes sure that a copy is whole, of this program and of one file, and counts its rows. */
function checkCopy(file: string): RowCounts {
  const database = new DatabaseSync(file, { timeout: busyTimeout });
  try {
    // Its log would be a second file of the backup.
    database.exec('pragma journal_mode = delete');
    const [found] = Object.values(database.prepare('pragma quick_check(1)').get() ?? {});
    if (found !== 'ok') throw new Error(`the copy is damaged: ${String(found)}`);
    checkSchema(database);
    const counts = new Map<string, number>();
    for (const table of tablesOf(database)) {
      const row = database.prepare(`select count(*) as rows from "${table}"`).get();
      counts.set(table, Number(row?.rows));
    }
    return counts;
  } finally {
    database.close();
  }
}

/** The names of the tables of a database, in their order. */
export function tablesOf(database: DatabaseSync): readonly string[] {
  const named =
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by name";
  return database
    .prepare(named)
    .all()
    .map(({ name }) => String(name));
}

function checkSchema(database: DatabaseSync): void {
  if (!tablesOf(database).includes('migrations')) throw new Error('it is no database of Headgate');
  const applied = database
    .prepare('select name from migrations')
    .all()
    .map(({ name }) => String(name));
  const unknown = applied.filter((name) => !migrations.has(name));
  if (unknown.length > 0) {
    throw new Error(
      `it is of another version: this one does not know ${unknown.join(', ')}; use that version`,
    );
  }
}

/**
 * Renames a database that no process has open.
 * @returns Its new name, or undefined where there was none.
 */
async function moveAside(file: string, aside: string): Promise<string | undefined> {
  let database: DatabaseSync | undefined;
  try {
    await (await open(file, 'r')).close();
    database = new DatabaseSync(file, { timeout: 0 });
    // What leaves the log behind needs the file for itself.
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = delete; begin exclusive');
  } catch (error) {
    database?.close();
    const reason = failureCode(error);
    if (reason === 'ENOENT') return undefined;
    if (reason === busy) {
      throw new Error(`a process has the database "${file}" open: stop the server first`, { cause: error });
    }
    // A damaged one is what backups are for.
    if (reason !== corrupt && reason !== noDatabase) throw error;
    database = undefined;
  }
  await rename(file, aside);
  for (const end of ['-wal', '-shm']) await rename(`${file}${end}`, `${aside}${end}`).catch(() => undefined);
  database?.close();
  return aside;
}

/** Result codes of SQLite. */
const busy = 5;
const corrupt = 11;
const noDatabase = 26;

function failureCode(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error ? error.code : undefined;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
