import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { parseUsd } from '../../src/core/money.ts';
import { unique } from '../conformance/fixtures.ts';
import { openProcess, shortTimes, type TestProcess, until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';
import { primaryName, type SentinelOptions, startRedisSentinels } from '../support/start-redis-sentinels.ts';

type TestContext = { after: (cleanUp: () => Promise<void>) => void };

const terms = { budget: parseUsd(5), lease: 900_000, settlementWindow: 120_000 };

/** One server and one sentinel. */
async function begin(t: TestContext, unlike: SentinelOptions = {}) {
  const redis = await startRedisSentinels({ replicas: 0, sentinels: 1, ...unlike });
  t.after(() => redis.stop());
  const [server] = redis.servers;
  const [sentinel] = redis.sentinels;
  assert.ok(server && sentinel);
  const open = (url = redis.url) => openProcess(url, t, { times: shortTimes });
  return { redis, server, sentinel, open };
}

async function assertServes(shared: TestProcess): Promise<void> {
  assert.deepEqual(shared.told, ['ok'], inspect(shared.reasons));
  const id = { accountId: unique('user_'), requestId: 'a' };
  assert.deepEqual(await shared.inFlightBudget.hold(id, parseUsd(1), terms), { held: true });
}

test('a name no sentinel knows is said, with what to do', async (t) => {
  const { redis, open } = await begin(t);
  const shared = await open(redis.url.replace(primaryName, 'other'));
  assert.equal(shared.state(), 'unreachable');
  assert.match(
    String(shared.reasons),
    /no sentinel names a primary "other" \(127\.0\.0\.1:\d+: ERR No such master with that name\); check .* "sentinel monitor"/,
  );
});

test('a process starts without sentinels and server and finds them when they come', async (t) => {
  const { server, sentinel, open } = await begin(t);
  await sentinel.kill();
  await server.kill();
  const shared = await open();
  assert.equal(shared.state(), 'unreachable');
  assert.match(
    String(shared.reasons),
    /no sentinel names .*ECONNREFUSED.*check the hosts in shared_state\.url/,
  );
  await sentinel.restart();
  await server.restart();
  await until(() => shared.state() === 'ok');
});

test('a silent sentinel is given up in time', async (t) => {
  const { sentinel, open } = await begin(t);
  sentinel.pause();
  const shared = await open();
  assert.match(String(shared.reasons), /no sentinel names .* took longer than/);
  sentinel.resume();
  await until(() => shared.state() === 'ok');
});

test('a replica that a sentinel names is not used', async (t) => {
  const { server, redis, open } = await begin(t);
  const primary = await startRedis();
  t.after(() => primary.stop());
  await server.ask('REPLICAOF', '127.0.0.1', String(primary.port));
  const shared = await open(redis.url);
  assert.equal(shared.state(), 'unreachable');
  assert.match(String(shared.reasons), /named as the primary, is a replica/);
  await server.ask('REPLICAOF', 'NO', 'ONE');
  await until(() => shared.state() === 'ok');
});

for (const [what, lines, query] of [
  ['no password', [], ''],
  ['the password of the server', ['requirepass secret-1'], ''],
  ['a password of their own', ['requirepass secret%2'], '?sentinel_password=secret%252'],
] as const) {
  test(`a server with a password is found by sentinels with ${what}`, async (t) => {
    const { redis, open } = await begin(t, {
      options: ['--requirepass', 'secret-1'],
      lines: [...lines, `sentinel auth-pass ${primaryName} secret-1`],
    });
    const url = redis.url.replace('//', '//:secret-1@');
    await assertServes(await open(`${url}/2${query}`));
    for (const wrong of [
      `${url}?sentinel_password=secret-3`,
      `${redis.url.replace('//', '//:secret-3@')}${query}`,
    ]) {
      const shared = await open(wrong);
      assert.equal(shared.state(), lines.length === 0 && wrong.includes('?') ? 'unreachable' : 'unreachable');
      assert.doesNotMatch(inspect(shared.reasons, { depth: 9 }), /secret/);
    }
  });
}

test('the documented access lists suffice', async (t) => {
  const server =
    'user headgate on >secret-1 ~hg:* &hg:* +eval +evalsha +get +set +publish +subscribe +ping +hello +select +role +@hash +@sortedset +@list +time';
  const sentinel =
    'user headgate on >secret-2 sanitize-payload resetchannels -@all +auth +sentinel|master +sentinel|get-master-addr-by-name';
  const { redis, server: running, open } = await begin(t, { lines: [sentinel, 'user default off'] });
  await running.ask('ACL', 'SETUSER', ...server.split(' ').slice(1));
  const url = redis.url.replace('//', '//headgate:secret-1@');
  await assertServes(await open(`${url}?sentinel_username=headgate&sentinel_password=secret-2`));
});
