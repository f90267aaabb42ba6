import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { SeverableProxy } from '../../scripts/chaos/severable-proxy.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import { parseUsd } from '../../src/core/money.ts';
import type { Change } from '../../src/ports/invalidation.ts';
import { unique } from '../conformance/fixtures.ts';
import { body, firstOf, knownOf, textOf } from '../conformance/stored-answers.ts';
import { freePort } from '../support/free-port.ts';
import { openProcess, shortTimes, until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';
import { roomInWindow } from '../support/windows.ts';

const terms = { budget: parseUsd(5), lease: 900_000, settlementWindow: 120_000 };
const freeLimits = { perMinute: 20, perDay: 50 };
const usd = parseUsd;

type CountBooked = (accountId: string, since: number) => Promise<number>;

async function begin(
  t: { after: (cleanUp: () => Promise<void>) => void },
  onFailure: 'reject' | 'local',
  unlike: { readonly countBooked?: CountBooked; readonly probe?: number } = {},
) {
  const { countBooked = async () => 0, probe = shortTimes.probe } = unlike;
  const redis = await startRedis();
  t.after(() => redis.stop());
  const shared = await openProcess(redis.url, t, {
    onFailure,
    times: { ...shortTimes, probe },
    countBooked,
  });
  const accountId = unique('user_');
  const id = (requestId: string) => ({ accountId, requestId });
  const hold = (requestId: string, amount: number) =>
    shared.inFlightBudget.hold(id(requestId), usd(amount), terms);
  const inFlight = () => shared.inFlightBudget.inFlight(accountId);
  return { redis, shared, accountId, id, hold, inFlight };
}

/** Milliseconds until this is refused because nobody answers. */
async function refused(asked: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await assert.rejects(
    asked,
    (error) => error instanceof HeadgateError && error.code === 'service_unavailable',
  );
  return performance.now() - start;
}

test('a server that is killed refuses what needs it, and is told what runs when it is back, empty', async (t) => {
  const { redis, shared, accountId, hold, inFlight } = await begin(t, 'reject');
  const heard: Change[] = [];
  shared.invalidation.subscribe((change) => heard.push(change));
  await hold('running', 3);
  await redis.kill();
  await until(() => shared.state() === 'unreachable');
  await refused(() => hold('b', 1));
  await refused(() => shared.freeRequests.count(accountId, freeLimits));
  await refused(() => shared.storedAnswers.claim(unique('k'), 'f', 'account'));
  assert.equal(await shared.freeRequests.countedToday(accountId), 0, 'as the books have it');
  assert.deepEqual(await shared.stickyEndpoints.find(['x']), [undefined]);
  await redis.restart();
  await until(() => shared.state() === 'ok');
  assert.equal(await inFlight(), usd(3), 'no other process had to wait for a renewal');
  assert.equal((await hold('c', 3)).held, false);
  assert.equal((await hold('d', 2)).held, true);
  assert.deepEqual(heard, [{ kind: 'everything' }], 'something may have been missed');
  assert.deepEqual(shared.told, ['ok', 'unreachable', 'ok']);
});

for (const onFailure of ['reject', 'local'] as const) {
  test(`a replica that only reads counts as away until it is a primary: ${onFailure}`, async (t) => {
    // Nothing runs here that it would be told of when it is connected to.
    const { redis, shared, accountId } = await begin(t, onFailure);
    const primary = await startRedis();
    t.after(() => primary.stop());
    await redis.ask('REPLICAOF', '127.0.0.1', String(primary.port));
    await until(async () => (await redis.ask('INFO', 'replication')).includes('master_link_status:up'));
    const oneADay = { perMinute: 50, perDay: 1 };
    await roomInWindow('day', 10_000);
    const outcomes: boolean[] = [];
    for (let times = 0; times < 5; times += 1) {
      const asked = shared.freeRequests.count(accountId, oneADay);
      outcomes.push(
        await asked.then(
          ({ counted: one }) => one,
          () => false,
        ),
      );
      await setTimeout(2 * shortTimes.longestPause);
    }
    assert.deepEqual(outcomes, [onFailure === 'local', false, false, false, false]);
    const away = onFailure === 'local' ? 'local' : 'unreachable';
    assert.deepEqual(shared.told, ['ok', away]);
    assert.match(String(shared.reasons.at(-1)), /READONLY/);
    await redis.ask('REPLICAOF', 'NO', 'ONE');
    await until(() => shared.state() === 'ok');
    assert.deepEqual(shared.told, ['ok', away, 'ok']);
  });
}

test('a server that keeps its connections and answers nothing is given up in time', async (t) => {
  // Asked by nobody else meanwhile: a probe sent a moment before would end the wait too.
  const { redis, shared, hold, inFlight, id } = await begin(t, 'reject', { probe: 60_000 });
  await hold('running', 2);
  await hold('ending', 1);
  redis.pause();
  const first = await refused(() => hold('doubtful', 1));
  assert.ok(first >= shortTimes.reply - 5, 'it had its chance');
  await shared.inFlightBudget.settle(id('ending'), usd('0.5'), terms.settlementWindow);
  await until(() => shared.state() === 'unreachable');
  const start = performance.now();
  for (let time = 0; time < 20; time += 1) await refused(() => hold(`r${time}`, 1));
  assert.ok(performance.now() - start < 20 * shortTimes.reply, 'nobody waits for what is known to be away');
  redis.resume();
  await until(() => shared.state() === 'ok');
  await until(async () => (await inFlight()) === usd('2.5'));
  await setTimeout(1_500);
  assert.equal(await inFlight(), usd('2.5'), 'the refused hold was let go of, the settlement told');
});

test('a process decides alone if so wished, then tells what it decided', async (t) => {
  const booked = new Map<string, number>();
  const { redis, shared, accountId, hold, inFlight, id } = await begin(t, 'local', {
    countBooked: async (account) => booked.get(account) ?? 0,
  });
  await roomInWindow('minute', 10_000);
  await hold('before', 3);
  assert.equal((await shared.freeRequests.count(accountId, freeLimits)).counted, true);
  booked.set(accountId, 1);
  await redis.kill();
  await until(() => shared.state() === 'local');
  assert.equal((await hold('b', 3)).held, false, 'it knows what it holds itself');
  assert.equal((await hold('c', 2)).held, true);
  await shared.inFlightBudget.settle(id('before'), usd(1), terms.settlementWindow);
  assert.equal(await inFlight(), usd(3));
  for (let count = 1; count < 20; count += 1)
    assert.equal((await shared.freeRequests.count(accountId, freeLimits)).counted, true);
  assert.equal((await shared.freeRequests.count(accountId, freeLimits)).counted, false);
  const key = unique('k');
  const { recorder } = firstOf(await shared.storedAnswers.claim(key, 'f', 'account'));
  recorder.write(body('alone'));
  recorder.end(true);
  assert.equal(await textOf(knownOf(await shared.storedAnswers.claim(key, 'f', 'account'))), 'alone');
  booked.set(accountId, 20);
  await redis.restart();
  await until(() => shared.state() === 'ok');
  await until(async () => (await inFlight()) === usd(3));
  assert.equal((await shared.freeRequests.count(accountId, freeLimits)).counted, false);
  assert.equal(await shared.freeRequests.countedToday(accountId), 20);
});

test('an answer is made once by a process that decides alone while it is made, and no more then', async (t) => {
  const { redis, shared } = await begin(t, 'local');
  const claim = (key: string) => shared.storedAnswers.claim(key, 'f', 'account');
  const [early, late] = [unique('k'), unique('k')];
  const before = firstOf(await claim(early)).recorder;
  before.write(body('before'));
  await redis.kill();
  await until(() => shared.state() === 'local');
  const joined = knownOf(await claim(early));
  const alone = firstOf(await claim(late)).recorder;
  await redis.restart();
  await until(() => shared.state() === 'ok');
  const joinedLate = knownOf(await claim(late));
  alone.write(body('alone'));
  alone.end(true);
  before.end(true);
  assert.deepEqual(await Promise.all([textOf(joined), textOf(joinedLate)]), ['before', 'alone']);
});

test('a server that comes back with an older memory is told what the books have of free requests', async (t) => {
  let booked = 0;
  const { redis, shared, accountId } = await begin(t, 'reject', { countBooked: async () => booked });
  await roomInWindow('day', 20_000);
  const count = () => shared.freeRequests.count(accountId, { perMinute: 100, perDay: 7 });
  for (let made = 0; made < 2; made += 1) await count();
  await redis.ask('SAVE');
  for (let made = 0; made < 3; made += 1) await count();
  booked = 5;
  await redis.kill();
  await until(() => shared.state() === 'unreachable');
  await redis.restart();
  await until(() => shared.state() === 'ok');
  assert.equal(await shared.freeRequests.countedToday(accountId), 2, 'it has the older memory');
  assert.equal((await count()).counted, true);
  assert.equal(await shared.freeRequests.countedToday(accountId), 6);
  booked = 1;
  assert.equal((await count()).counted, true, 'books that are behind take nothing away');
  assert.equal((await count()).counted, false);
});

test('counts made alone are added to what a server that was only unreachable has kept', async (t) => {
  const { redis, shared, accountId } = await begin(t, 'local', { countBooked: async () => 3 });
  await roomInWindow('day', 10_000);
  for (let count = 0; count < 2; count += 1) await shared.freeRequests.count(accountId, freeLimits);
  assert.equal(await shared.freeRequests.countedToday(accountId), 5);
  redis.pause();
  await until(() => shared.state() === 'local');
  for (let count = 0; count < 4; count += 1) await shared.freeRequests.count(accountId, freeLimits);
  redis.resume();
  await until(() => shared.state() === 'ok');
  assert.equal(await shared.freeRequests.countedToday(accountId), 9);
});

test('a process starts without its server and finds it when it comes', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  await redis.kill();
  const shared = await openProcess(redis.url, t, { times: shortTimes });
  assert.equal(shared.state(), 'unreachable');
  await redis.restart();
  await until(() => shared.state() === 'ok');
  const id = { accountId: unique('user_'), requestId: 'a' };
  assert.deepEqual(await shared.inFlightBudget.hold(id, usd(1), terms), { held: true });
});

test('wrong passwords and addresses nobody listens on end no process', async (t) => {
  const redis = await startRedis('--requirepass', 'right');
  t.after(() => redis.stop());
  for (const url of [
    redis.url,
    redis.url.replace('//', '//:wrong@'),
    `redis://127.0.0.1:${await freePort()}`,
  ])
    assert.equal((await openProcess(url, t, { times: shortTimes })).state(), 'unreachable');
  assert.equal((await openProcess(redis.url.replace('//', '//:right@'), t)).state(), 'ok');
});

test('a server that went away and wants another password since says so', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const link = await SeverableProxy.start(redis.port);
  t.after(() => link.close());
  const times = { ...shortTimes, repeat: 0 };
  const shared = await openProcess(`redis://127.0.0.1:${link.port}`, t, { times });
  await link.set('refusing');
  await until(() => /ECONNREFUSED/.test(String(shared.reasons.at(-1))));
  await redis.ask('CONFIG', 'SET', 'requirepass', 'another');
  await link.set({ delay: 0 });
  await until(() => /NOAUTH/.test(String(shared.reasons.at(-1))));
  assert.equal(new Set(shared.reasons.map(String)).size, shared.reasons.length, 'each is told once');
});

for (const onFailure of ['reject', 'local'] as const) {
  test(`a server that is full counts as away until it has room, and says why: ${onFailure}`, async (t) => {
    const { redis, shared, hold, inFlight } = await begin(t, onFailure);
    const away = onFailure === 'local' ? 'local' : 'unreachable';
    await hold('running', 2);
    await redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    if (onFailure === 'reject') await refused(() => hold('b', 1));
    else assert.equal((await hold('b', 1)).held, true);
    await until(() => shared.state() === away);
    await setTimeout(2 * shortTimes.longestPause);
    assert.deepEqual(shared.told, ['ok', away], 'it is not found well in between');
    assert.match(String(shared.reasons.at(-1)), /OOM/);
    await redis.ask('CONFIG', 'SET', 'maxmemory', '0');
    await until(() => shared.state() === 'ok');
    assert.equal((await hold('c', 1)).held, true);
    await until(async () => (await inFlight()) === usd(onFailure === 'local' ? 4 : 3));
    assert.equal(await redis.ask('EXISTS', 'hg:probe'), ':0\r\n');
  });
}

test('a server with too few replicas, or one that forbids scripts, counts as away as well', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const shared = await openProcess(redis.url, t, { times: shortTimes });
  const falls = async (lose: readonly string[], reason: RegExp, restore: readonly string[]) => {
    await redis.ask(...lose);
    await until(() => shared.state() === 'unreachable');
    assert.match(String(shared.reasons.at(-1)), reason);
    await redis.ask(...restore);
    await until(() => shared.state() === 'ok');
  };
  const replicas = ['CONFIG', 'SET', 'min-replicas-to-write'];
  await falls([...replicas, '1'], /NOREPLICAS/, [...replicas, '0']);
  const access = ['ACL', 'SETUSER', 'default'];
  await falls([...access, '-eval'], /NOPERM/, [...access, '+eval']);
});

test('a server whose access list lacks a command refuses what needs it, and says why', async (t) => {
  const { redis, shared, hold } = await begin(t, 'reject');
  await redis.ask('ACL', 'SETUSER', 'default', '-zadd');
  await refused(() => hold('a', 1));
  assert.match(String(shared.troubles), /can't run this command|NOPERM/);
  assert.equal(shared.state(), 'ok', 'others are served');
});

test('what Redis has lost while connected is told again with the next renewal', async (t) => {
  const { redis, shared, id, hold, inFlight } = await begin(t, 'reject');
  await hold('running', 2);
  await redis.ask('FLUSHALL');
  assert.equal(await inFlight(), 0n);
  await shared.inFlightBudget.renew([id('running')], terms.lease);
  assert.equal(await inFlight(), usd(2));
});
