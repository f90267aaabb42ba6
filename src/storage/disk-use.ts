import { readdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskUse } from '../ports/storage.ts';
import type { SqlDatabase } from './sql/database.ts';
import { type SqlStatement, sql } from './sql/statement.ts';

/** What the database says of itself: its bytes, and those of the contents of files, wherever these are kept. */
export async function bytesOf(
  db: SqlDatabase,
  database: SqlStatement,
): Promise<Pick<DiskUse, 'database' | 'files'>> {
  const [whole] = await db.rows<{ readonly bytes: bigint }>(database);
  const [files] = await db.rows<{ readonly bytes: bigint | number | null }>(sql`
    select cast(sum(size) as bigint) as bytes from (select max(size) as size from files group by scope, hash) as contents`);
  return { database: Number(whole?.bytes ?? 0n), files: Number(files?.bytes ?? 0) };
}

/** Bytes of a file; zero where there is none. */
export async function bytesOfFile(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

/** Bytes of the files in a directory; zero where there is none. */
export async function bytesInside(directory: string): Promise<number> {
  const names = await readdir(directory).catch(() => []);
  const sizes = await Promise.all(names.map((name) => bytesOfFile(join(directory, name))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes that are free on the disk of a path; undefined where they cannot be read. */
export async function freeBytes(path: string): Promise<number | undefined> {
  const disk = await statfs(path)
    .catch(() => statfs(dirname(path)))
    .catch(() => undefined);
  return disk && disk.bavail * disk.bsize;
}
