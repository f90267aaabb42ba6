import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { HeadgateError } from '../../src/core/errors.ts';
import { parseUsd } from '../../src/core/money.ts';
import { inFlightKeys } from '../../src/shared-state/redis/in-flight-scripts.ts';
import { unique } from '../conformance/fixtures.ts';
import { openProcess, shortTimes, type TestProcess, until } from '../support/redis-processes.ts';
import { startRedis, startSentinel, type TestRedis } from '../support/start-redis.ts';
import { primaryName, startRedisSentinels } from '../support/start-redis-sentinels.ts';

const terms = { budget: parseUsd(5), lease: 900_000, settlementWindow: 120_000 };
/** More than any call may take, even on a busy machine. */
const bound = 10_000;

type TestContext = { after: (cleanUp: () => Promise<void>) => void };

/** Servers behind sentinels, and what one account of a process holds. */
async function begin(t: TestContext) {
  const redis = await startRedisSentinels();
  t.after(() => redis.stop());
  const [old, replica] = redis.servers;
  const [sentinel, other] = redis.sentinels;
  assert.ok(old && replica && sentinel && other);
  const shared = await openProcess(redis.url, t, { times: shortTimes });
  assert.deepEqual(shared.told, ['ok']);
  const accountId = unique('user_');
  return { redis, old, replica, sentinel, other, shared, accountId };
}

/** Whether an amount was held; undefined when that was refused because nobody answers. */
async function hold(shared: TestProcess, accountId: string, amount: number): Promise<boolean | undefined> {
  const start = performance.now();
  try {
    const id = { accountId, requestId: unique('r') };
    return (await shared.inFlightBudget.hold(id, parseUsd(amount), terms)).held;
  } catch (error) {
    assert.ok(error instanceof HeadgateError && error.code === 'service_unavailable');
    return undefined;
  } finally {
    assert.ok(performance.now() - start < bound);
  }
}

/** Asks until somebody decides. */
async function decided(shared: TestProcess, accountId: string, amount: number): Promise<boolean> {
  for (;;) {
    const held = await hold(shared, accountId, amount);
    if (held !== undefined) return held;
    await setTimeout(10);
  }
}

/** Makes a replica forget what it had from its primary. */
async function forget(replica: TestRedis): Promise<void> {
  assert.equal(await replica.ask('CONFIG', 'SET', 'replica-read-only', 'no'), '+OK\r\n');
  assert.equal(await replica.ask('FLUSHALL'), '+OK\r\n');
}

/** What a server answers; nothing where a sentinel that makes it a primary or a replica ends its connections. */
function asked(server: TestRedis, ...args: readonly string[]): Promise<string> {
  return server.ask(...args).catch(() => '');
}

const keyOf = (accountId: string) => inFlightKeys(accountId)[0] ?? '';

for (const end of ['killed', 'silent'] as const) {
  test(`a primary that is ${end}, with a sentinel that is too, is followed by its replica`, async (t) => {
    const { redis, old, replica, sentinel, other, shared, accountId } = await begin(t);
    assert.equal(await hold(shared, accountId, 3), true);
    await forget(replica);
    await redis.goneAfter(1_000);
    for (const one of [old, sentinel]) {
      if (end === 'killed') await one.kill();
      else one.pause();
    }
    const start = performance.now();
    let named = Number.POSITIVE_INFINITY;
    const naming = until(async () => {
      const name = await other.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName);
      return name.includes(String(replica.port));
    }).then(() => {
      named = performance.now();
    });
    assert.equal(await decided(shared, accountId, 3), false, 'it was told what runs before anybody asked');
    const followed = performance.now();
    await naming;
    t.diagnostic(
      `followed after ${Math.round(followed - start)} ms, ${Math.round(followed - named)} ms after the sentinels decided`,
    );
    assert.equal(await shared.inFlightBudget.inFlight(accountId), parseUsd(3));
    assert.equal(await replica.ask('EXISTS', keyOf(accountId)), ':1\r\n');
    assert.equal(shared.told[1], 'unreachable');
  });
}

test('a primary that comes back after another took over is not used', async (t) => {
  const { redis, old, replica, shared, accountId } = await begin(t);
  await redis.goneAfter(1_000);
  await old.kill();
  assert.equal(await decided(shared, accountId, 3), true);
  // From now on nobody else is to take over, however busy the machine is.
  await redis.goneAfter(60_000);
  await old.restart();
  const second = await openProcess(redis.url, t, { times: shortTimes });
  assert.equal(await decided(second, accountId, 3), false, 'it asks the new one');
  // Sentinels take their time to make it a replica; until then it believes itself a primary.
  while (!(await asked(old, 'ROLE')).includes('slave')) {
    assert.equal(await decided(second, accountId, 3), false);
    await setTimeout(50);
  }
  assert.equal(await decided(second, accountId, 2), true);
  assert.equal(await shared.inFlightBudget.inFlight(accountId), parseUsd(5));
  assert.equal(await redis.primary(), replica);
});

test('a primary that goes on although sentinels named another is left', async (t) => {
  const { old, replica, sentinel, shared, accountId } = await begin(t);
  assert.equal(await hold(shared, accountId, 3), true);
  await forget(replica);
  // Otherwise sentinels would make it a replica and end its connections.
  await old.ask('ACL', 'SETUSER', 'default', '-slaveof', '-replicaof');
  assert.equal(await sentinel.ask('SENTINEL', 'FAILOVER', primaryName), '+OK\r\n');
  await until(async () => (await asked(replica, 'EXISTS', keyOf(accountId))) === ':1\r\n');
  assert.equal(await decided(shared, accountId, 3), false);
  assert.equal(await hold(shared, accountId, 2), true);
  assert.match(await old.ask('ROLE'), /master/);
  assert.match(String(shared.reasons), /the sentinels name another primary/);
});

test('what a sentinel says that is behind the others is not followed', async (t) => {
  const { redis, replica, sentinel, accountId } = await begin(t);
  const stray = await startRedis();
  t.after(() => stray.stop());
  // Like one that was cut off before a change-over.
  const behind = await startSentinel(`sentinel monitor ${primaryName} 127.0.0.1 ${stray.port} 2`);
  t.after(() => behind.stop());
  assert.equal(await sentinel.ask('SENTINEL', 'FAILOVER', primaryName), '+OK\r\n');
  await until(async () => (await redis.primary()) === replica);
  const url = redis.url.replace('//', `//127.0.0.1:${behind.port},`);
  for (const one of redis.sentinels) one.pause();
  const shared = await openProcess(url, t, { times: shortTimes });
  await decided(shared, accountId, 3);
  assert.equal(await stray.ask('EXISTS', keyOf(accountId)), ':1\r\n', 'nobody knew better');
  for (const one of redis.sentinels) one.resume();
  await until(async () => (await replica.ask('EXISTS', keyOf(accountId))) === ':1\r\n');
  for (const one of redis.sentinels) one.pause();
  await setTimeout(10 * shortTimes.probe);
  const later = unique('user_');
  await decided(shared, later, 3);
  assert.equal(await replica.ask('EXISTS', keyOf(later)), ':1\r\n');
  assert.equal(await stray.ask('EXISTS', keyOf(later)), ':0\r\n');
});

test('a primary serves while no sentinel answers', async (t) => {
  const { redis, shared, accountId } = await begin(t);
  const [first, ...others] = redis.sentinels;
  first?.pause();
  for (const one of others) await one.kill();
  for (let probes = 0; probes < 10; probes += 1) {
    assert.equal(await hold(shared, accountId, 0.5), true);
    await setTimeout(shortTimes.probe);
  }
  assert.deepEqual(shared.told, ['ok']);
});
