import { after, before } from 'node:test';
import { Client } from 'pg';
import { describeTampering } from '../conformance/tampering.ts';
import { openOnPostgres } from '../support/open-on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';

let server: PostgresServer;
before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

describeTampering('PostgreSQL', async (clock, t) => {
  const { name, storage } = await openOnPostgres(server, t, { clock });
  const other = new Client({ connectionString: server.url(name) });
  await other.connect();
  // Numbers come as text; all of these are whole.
  other.setTypeParser(20, (text: string) => BigInt(text));
  t.after(() => other.end());
  return {
    storage,
    keepsDailyUsage: true,
    run: async (statement) => (await other.query<Record<string, string | bigint | null>>(statement)).rows,
    columnsOf: async (table) => {
      const query = 'select column_name from information_schema.columns where table_name = $1';
      const { rows } = await other.query<{ column_name: string }>(query, [table]);
      return rows.map(({ column_name: column }) => column);
    },
  };
});
