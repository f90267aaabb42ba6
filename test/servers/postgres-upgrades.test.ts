import { after, before } from 'node:test';
import { openPostgres, schemaDialect } from '../../src/storage/postgres/open-postgres.ts';
import { wednesday } from '../conformance/fixtures.ts';
import { describeUpgrades } from '../conformance/upgrades.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';
import { patient } from '../support/troubled-postgres.ts';

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});

after(() => server.stop());

describeUpgrades('PostgreSQL', async (t) => {
  const name = await server.createDatabase();
  return {
    dialect: schemaDialect,
    run: (statement) => server.run(statement, name),
    open: async () => {
      const storage = await openPostgres(server.url(name), { ...patient, clock: { now: () => wednesday } });
      t.after(() => storage.close());
      return storage;
    },
  };
});
