import { after, before } from 'node:test';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { describeRoles } from '../support/roles-matrix.ts';
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts';

let server: PostgresServer;

before(async () => {
  server = await startPostgres();
});
after(() => server.stop());

const provider = providerOf({ slug: 'deepinfra', baseUrl: 'http://127.0.0.1:1/v1' });

describeRoles(async () => {
  const databaseUrl = server.url(await server.createDatabase());
  return startGateway({ models: [modelOf('acme/atlas-4', [provider])], databaseUrl });
});
