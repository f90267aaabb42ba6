import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { hold, TroubledPostgres } from '../support/troubled-postgres.ts';

const postgres = new TroubledPostgres();

/** A role that may open few connections, in a database of its own. */
async function withRole(limit: number) {
  const { server } = postgres;
  const name = await server.createDatabase();
  const role = `few_${name}`;
  await server.run(`create role ${role} login password 'few' connection limit ${limit}`);
  await server.run(`grant all on database ${name} to ${role}`);
  await server.run(`grant all on schema public to ${role}`, name);
  return { name, role, url: `postgres://${role}:few@127.0.0.1:${server.port}/${name}` };
}

test('a process is not ready while its requests get no connection, and is ready again', async (t) => {
  const { name, role, url } = await withRole(-1);
  const gateway = await startGateway({ models: [], databaseUrl: url });
  t.after(() => gateway.stop());
  const status = async () => (await fetch(`${gateway.url}/health/ready`)).status;
  assert.equal(await status(), 200);
  await postgres.server.run(`alter role ${role} connection limit 0`);
  const lock = await hold(postgres.server, name, 'lock table api_keys in access exclusive mode');
  // They need more connections than those that are open, and these are kept busy.
  const asked = Array.from({ length: 12 }, () =>
    gateway
      .get('/api/v1/key', { authorization: `Bearer sk-${Math.random()}` })
      .then((answer) => answer.status),
  );
  await eventually('requests are refused', async () => (await status()) === 503);
  await lock.query('rollback');
  await lock.end();
  assert.ok((await Promise.all(asked)).includes(503));
  assert.match(gateway.log.join(''), /too many connections for role/);
  await postgres.server.run(`alter role ${role} connection limit -1`);
  await eventually('ready again', async () => (await status()) === 200);
});

test('the storage says how many connections it may want and how many are allowed', async (t) => {
  const few = await withRole(7);
  const { storage } = await postgres.open(t, { poolSize: 10 }, () => few.url);
  assert.deepEqual(await storage.connectionRoom?.(), { wanted: 11, allowed: 7 });
  const owner = await postgres.open(t, { poolSize: 10 });
  assert.deepEqual(await owner.storage.connectionRoom?.(), { wanted: 11, allowed: 57 });
});
