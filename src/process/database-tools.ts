import { access } from 'node:fs/promises';
import type { DatabaseTools } from '../cli/cli-environment.ts';
import type { Config } from '../config/config.ts';
import { FileDirectory } from '../files/file-directory.ts';
import { copyToPostgres } from '../storage/transfer/copy-to-postgres.ts';
import { backupSqlite, restoreSqlite } from '../storage/transfer/sqlite-backup.ts';
import { filesDirectory } from './open-database.ts';

/** Copies of whole databases (docs/spec/operations.md#backups). */
export const databaseTools: DatabaseTools = {
  backup: async (config, copy) => {
    const file = fileOf(config, 'pg_dump --format=custom --file=FILE makes a backup');
    await access(file).catch(() => {
      throw new Error(`There is no database at "${file}": nothing to back up.`);
    });
    return backupSqlite(file, copy);
  },
  restore: (config, copy, now) =>
    restoreSqlite(copy, fileOf(config, 'pg_restore --clean --if-exists --dbname=URL FILE restores one'), now),
  copy: (config, url) => {
    if (!/^postgres(ql)?:/.test(url)) {
      throw new Error(
        'The target must be postgres://USER:PASSWORD@HOST/DATABASE; "headgate db backup" copies into a file.',
      );
    }
    const directory = new FileDirectory(filesDirectory(config));
    const file = fileOf(config, 'pg_dump and pg_restore copy it');
    return copyToPostgres({ file, url, readContents: (scope, hash) => directory.read(scope, hash) });
  },
};

/** The file of a SQLite database. @param instead What to use for PostgreSQL. */
function fileOf({ database }: Config, instead: string): string {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(database.url)?.[1];
  if (file !== undefined) return file;
  const isPostgres = /^postgres(ql)?:/.test(database.url);
  throw new Error(
    isPostgres
      ? `The database is PostgreSQL: ${instead}.`
      : 'The database is in the memory of the server (database.url).',
  );
}
