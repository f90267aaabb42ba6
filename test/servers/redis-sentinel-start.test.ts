import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { parseUsd } from '../../src/core/money.ts';
import { unique } from '../conformance/fixtures.ts';
import { body, firstOf, knownOf, textOf } from '../conformance/stored-answers.ts';
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
      assert.equal(shared.state(), 'unreachable');
      assert.doesNotMatch(inspect(shared.reasons, { depth: 9 }), /secret/);
    }
  });
}

test('the access lists in the manual suffice', async (t) => {
  const manual = await readFile(new URL('../../docs/redis.md', import.meta.url), 'utf8');
  const listFrom = (start: string) => manual.slice(manual.indexOf(start)).split('`')[0] ?? '';
  const { redis, server, open } = await begin(t, {
    lines: [`user headgate on >secret-2 resetchannels -@all ${listFrom('+sentinel|')}`, 'user default off'],
  });
  const rights = `${listFrom('+eval ')} +role ~hg:* resetchannels &hg:*`.split(' ');
  assert.equal(await server.ask('ACL', 'SETUSER', 'headgate', 'on', '>secret-1', ...rights), '+OK\r\n');
  const url = redis.url.replace('//', '//headgate:secret-1@');
  const withBoth = `${url}?sentinel_username=headgate&sentinel_password=secret-2`;
  const [one, other] = [await open(withBoth), await open(withBoth)];
  await assertServes(one);
  await useAll(one, other);
  for (const { told, troubles } of [one, other]) assert.deepEqual([told, troubles], [['ok'], []]);
  assert.equal(await server.ask('ACL', 'LOG'), '*0\r\n', 'nothing was denied');
});

async function useAll(one: TestProcess, other: TestProcess): Promise<void> {
  const { inFlightBudget, freeRequests } = one;
  const accountId = unique('user_');
  const id = { accountId, requestId: 'a' };
  assert.deepEqual(await inFlightBudget.hold(id, parseUsd(1), { ...terms, note: 'a' }), { held: true });
  await inFlightBudget.raise(id, parseUsd(2), terms.lease);
  await inFlightBudget.renew([id], terms.lease);
  await inFlightBudget.sweep();
  await inFlightBudget.settle(id, parseUsd(1), terms.settlementWindow);
  assert.equal(await inFlightBudget.inFlight(accountId), parseUsd(1));
  assert.equal((await freeRequests.count(accountId, { perMinute: 20, perDay: 50 })).counted, true);
  assert.equal(await freeRequests.countedToday(accountId), 1);
  const key = unique('k');
  const { recorder } = firstOf(await one.storedAnswers.claim(key, 'f', 'account'));
  recorder.write(body('said'));
  const read = textOf(knownOf(await other.storedAnswers.claim(key, 'f', 'account')));
  recorder.end(true);
  assert.equal(await read, 'said');
  await one.stickyEndpoints.remember(key, { tag: 'north', credentialClass: 2 }, 60_000);
  await until(async () => (await other.stickyEndpoints.find([key]))[0] !== undefined);
  let heard = false;
  other.invalidation.subscribe(() => {
    heard = true;
  });
  one.invalidation.publish({ kind: 'everything' });
  await until(() => heard);
}
