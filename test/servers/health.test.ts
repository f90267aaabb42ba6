import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeverableProxy } from '../../scripts/chaos/severable-proxy.ts';
import type { DependencyStates } from '../../src/metrics/dependency-health.ts';
import { generation } from '../conformance/fixtures.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { readMetrics } from '../support/read-metrics.ts';
import { startPostgres } from '../support/start-postgres.ts';
import { startRedis } from '../support/start-redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Readiness {
  readonly status: string;
  readonly dependencies: DependencyStates;
}

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly err?: { readonly message: string };
}

/** Milliseconds: the two seconds a database has, and what a busy machine adds. */
const bound = 5000;

test('health and metrics name what hangs, in time, and what is back', async (t) => {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  t.after(() => Promise.all([postgres.stop(), redis.stop()]));
  const database = await postgres.createDatabase();
  const toDatabase = await SeverableProxy.start(postgres.port);
  const toRedis = await SeverableProxy.start(redis.port);
  const gateway = await startGateway({
    models: [],
    databaseUrl: postgres.urlWith(database, { port: toDatabase.port }),
    config: { sharedState: { url: `redis://127.0.0.1:${toRedis.port}/0`, onFailure: 'reject' } },
  });
  t.after(async () => {
    await Promise.all([toDatabase.set({ delay: 0 }), toRedis.set({ delay: 0 })]);
    await gateway.stop();
    await Promise.all([toDatabase.close(), toRedis.close()]);
  });
  const ask = async () => {
    const beganAt = performance.now();
    const response = await fetch(`${gateway.url}/health/ready`);
    const { status, dependencies } = (await response.json()) as Readiness;
    const took = performance.now() - beganAt;
    assert.ok(took < bound, `it took ${took} ms`);
    return { code: response.status, status, ...dependencies };
  };
  const until = async (holds: (now: Awaited<ReturnType<typeof ask>>) => boolean) => {
    for (let tries = 0; tries < 200; tries += 1) {
      const now = await ask();
      if (holds(now)) return now;
      await sleep(50);
    }
    assert.fail(`it stays ${JSON.stringify(await ask())}`);
  };
  const well = { code: 200, status: 'ok', database: 'ok', journal: 'ok', shared_state: 'ok' };
  assert.deepEqual(await until(({ code }) => code === 200), well);

  await toDatabase.set('silent');
  const without = await until(({ database }) => database === 'unreachable');
  assert.equal(without.code, 503);
  const beganAt = performance.now();
  const metrics = readMetrics(await (await fetch(`${gateway.url}/metrics`)).text());
  assert.ok(performance.now() - beganAt < bound);
  assert.equal(metrics.get('headgate_dependency_state{dependency="database",state="unreachable"}'), 1);
  assert.equal((await fetch(`${gateway.url}/health/live`)).status, 200);
  await toDatabase.set({ delay: 0 });
  assert.deepEqual(await until(({ code }) => code === 200), well);

  await toRedis.set('refusing');
  const alone = await until(({ shared_state }) => shared_state === 'unreachable');
  assert.deepEqual([alone.code, alone.status, alone.database], [200, 'degraded', 'ok']);
  await toRedis.set({ delay: 0 });
  assert.deepEqual(await until(({ status }) => status === 'ok'), well);

  const logged = gateway.log.map((line) => JSON.parse(line) as LogLine);
  const ofDatabase = logged.filter(({ msg }) => msg.startsWith('the database is '));
  assert.deepEqual(
    ofDatabase.map(({ level, msg }) => [level, msg]),
    [
      [50, 'the database is unreachable, or takes no charges: requests that need it are refused'],
      [30, 'the database is reachable'],
    ],
    'once each, however often it was asked',
  );
  assert.match(ofDatabase[0]?.err?.message ?? '', /no answer within|timeout|The storage cannot be reached/);
});

test('an outage nobody asks about is logged with its reason and without a password, and what it leaves behind', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const gateway = await startGateway({
    models: [],
    databaseUrl: postgres.url(await postgres.createDatabase()),
    config: { dataDirectory: temporaryFolder() },
  });
  t.after(() => gateway.stop());
  const logged = async (word: string) => {
    for (let tries = 0; tries < 1000; tries += 1) {
      const line = gateway.log.find((one) => one.includes(word));
      if (line !== undefined) return line;
      await sleep(20);
    }
    assert.fail(`no line says "${word}": ${gateway.log.join('')}`);
  };
  await postgres.kill();
  const lost = await logged('the database is unreachable');
  assert.match(lost, /ECONNREFUSED|terminat/);
  assert.doesNotMatch(lost, /a password with|a%20password/);
  assert.equal((await gateway.get('/api/v1/key')).status, 503);
  assert.match(await logged('request refused'), /"cause":"[^"]*(ECONNREFUSED|terminat)/);
  await postgres.start();
  await logged('the database is reachable');
  await postgres.kill();
  await gateway.storage.ledger.settle(generation());
  await gateway.stop();
  assert.match(await logged('charges are in the data directory'), /"charges":1,"directory":"[^"]+"/);
});

test('a data directory that takes no charges is told at the start, though the database is well, and what to do', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const dataDirectory = join(temporaryFolder(), 'data');
  await writeFile(dataDirectory, 'in the way of the folder');
  const databaseUrl = postgres.url(await postgres.createDatabase());
  const gateway = await startGateway({ models: [], databaseUrl, config: { dataDirectory } });
  t.after(() => gateway.stop());
  const ready = async () => {
    const response = await gateway.get('/health/ready');
    const { status, dependencies } = (await response.json()) as Readiness;
    return [response.status, status, dependencies.database, dependencies.journal];
  };
  await eventually('it is told', () => gateway.log.some((line) => /no room for charges/.test(line)));
  const line = gateway.log.find((one) => /no room for charges/.test(one)) ?? '';
  assert.match(line, /"level":40,.*ENOTDIR.*let this user write there, with 8 MiB free/);
  assert.ok(line.includes(dataDirectory));
  assert.deepEqual(await ready(), [200, 'degraded', 'ok', 'no_room']);
  const metrics = readMetrics(await (await gateway.get('/metrics')).text());
  assert.equal(metrics.get('headgate_dependency_state{dependency="journal",state="no_room"}'), 1);
  await rm(dataDirectory);
  await eventually('recovery', async () => (await ready())[1] === 'ok');
  await postgres.kill();
  assert.equal((await gateway.get('/health/ready')).status, 503);
  await gateway.storage.ledger.settle(generation());
});
