import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeTampering } from './tampering.ts';

describeTampering('SQLite', async (clock, t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file, { clock });
  await storage.migrate();
  const other = new DatabaseSync(file, { timeout: 10_000 });
  t.after(async () => {
    other.close();
    await storage.close();
  });
  const rowsOf = (statement: string) => {
    const prepared = other.prepare(statement);
    prepared.setReadBigInts(true);
    return prepared.all() as Record<string, string | bigint | null>[];
  };
  return {
    storage,
    keepsDailyUsage: false,
    run: async (statement) => rowsOf(statement),
    columnsOf: async (table) => rowsOf(`pragma table_info(${table})`).map(({ name }) => String(name)),
  };
});
