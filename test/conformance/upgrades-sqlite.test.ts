import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openSqlite, schemaDialect } from '../../src/storage/sqlite/open-sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { wednesday } from './fixtures.ts';
import { describeUpgrades } from './upgrades.ts';

describeUpgrades('SQLite', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  return {
    dialect: schemaDialect,
    run: async (statement) => {
      const database = new DatabaseSync(file);
      database.exec(statement);
      database.close();
    },
    open: async () => {
      const storage = await openSqlite(file, { clock: { now: () => wednesday } });
      t.after(() => storage.close());
      return storage;
    },
  };
});
