import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import type { Change } from '../../src/ports/invalidation.ts';
import type { SharedState } from '../../src/ports/shared-state.ts';
import { unique } from '../conformance/fixtures.ts';
import { body, firstOf, knownOf, textOf } from '../conformance/stored-answers.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { openProcess, until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';
import { startRedisCluster } from '../support/start-redis-cluster.ts';
import { roomInWindow } from '../support/windows.ts';

/** What the tests need of a server or a cluster. */
interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

const terms = { budget: parseUsd(5), lease: 900_000, settlementWindow: 120_000 };
type TestContext = Parameters<typeof openProcess>[1];

describeProcesses('Redis', () => startRedis());
describeProcesses('Redis Cluster', () => startRedisCluster());

function describeProcesses(name: string, start: () => Promise<Running>): void {
  describe(`several processes on one ${name}`, () => {
    let redis: Running;
    before(async () => {
      redis = await start();
    });
    after(() => redis.stop());
    const open = (t: TestContext, count: number) =>
      Promise.all(Array.from({ length: count }, () => openProcess(redis.url, t)));
    describeMoney(open);
    describeAnswers(open);
    describeNews(open);
  });
}

type OpenProcesses = (t: TestContext, count: number) => Promise<readonly SharedState[]>;

function describeMoney(open: OpenProcesses): void {
  test('of 2,000 holds asked for at once in three processes exactly those are taken that fit', async (t) => {
    const processes = await open(t, 3);
    const accountId = unique('user_');
    const holds = Array.from({ length: 2_000 }, (_, index) => {
      const { inFlightBudget } = processes[index % 3] ?? assert.fail();
      return inFlightBudget.hold({ accountId, requestId: `r${index}` }, parseUsd('0.125'), terms);
    });
    const outcomes = await Promise.all(holds);
    assert.equal(outcomes.filter(({ held }) => held).length, 40, '40 x 0.125 = 5');
    for (const { inFlightBudget } of processes)
      assert.equal(await inFlightBudget.inFlight(accountId), parseUsd(5));
  });

  test('a lapsed hold is named once, by whichever process sweeps', async (t) => {
    const processes = await open(t, 3);
    const [first] = processes;
    assert.ok(first);
    const ids = Array.from({ length: 30 }, () => ({ accountId: unique('user_'), requestId: unique('r') }));
    for (const id of ids) await first.inFlightBudget.hold(id, parseUsd(1), { ...terms, lease: 50 });
    const named: string[] = [];
    await until(async () => {
      const swept = await Promise.all(processes.map(({ inFlightBudget }) => inFlightBudget.sweep()));
      named.push(...swept.flat().map(({ requestId }) => requestId));
      return named.length >= ids.length;
    });
    assert.deepEqual(named.toSorted(), ids.map(({ requestId }) => requestId).toSorted());
  });

  test('free requests are counted together', async (t) => {
    const processes = await open(t, 3);
    const accountId = unique('user_');
    const limits = { perMinute: 1_000, perDay: 50 };
    await roomInWindow('day', 10_000);
    const counts = Array.from({ length: 300 }, (_, index) =>
      (processes[index % 3] ?? assert.fail()).freeRequests.count(accountId, limits),
    );
    const outcomes = await Promise.all(counts);
    assert.equal(outcomes.filter(({ counted }) => counted).length, 50);
  });
}

function describeAnswers(open: OpenProcesses): void {
  test('an answer is followed from its start in another process while it is made', async (t) => {
    const [maker, follower] = await open(t, 2);
    assert.ok(maker && follower);
    const key = unique('k');
    const { recorder, answer } = firstOf(await maker.storedAnswers.claim(key, 'f', 'account'));
    // Its own reader reads from the start: once the answer is stored, its maker keeps it for nobody else.
    const read = textOf(answer);
    recorder.write(body('first '));
    const followed = knownOf(await follower.storedAnswers.claim(key, 'f', 'account'))[Symbol.asyncIterator]();
    assert.deepEqual((await followed.next()).value, body('first '));
    const next = followed.next();
    recorder.write(body('second'));
    assert.deepEqual((await next).value, body('second'));
    recorder.end(true);
    assert.equal((await followed.next()).done, true);
    assert.equal(await read, 'first second');
    assert.equal(
      await textOf(knownOf(await follower.storedAnswers.claim(key, 'f', 'account'))),
      'first second',
    );
    assert.equal((await follower.storedAnswers.claim(key, 'g', 'account')).outcome, 'conflict');
  });

  test('one process makes the answer, however many are asked at once', async (t) => {
    const processes = await open(t, 3);
    const key = unique('k');
    const claims = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        (processes[index % 3] ?? assert.fail()).storedAnswers.claim(key, 'f', 'account'),
      ),
    );
    const [first, ...more] = claims.filter(({ outcome }) => outcome === 'first');
    assert.ok(first?.outcome === 'first');
    assert.equal(more.length, 0);
    const texts = claims.map((claim) => ('answer' in claim ? textOf(claim.answer) : ''));
    const pieces = Array.from({ length: 500 }, (_, index) => `${index} `);
    for (const piece of pieces) first.recorder.write(body(piece));
    first.recorder.end(false);
    for (const text of await Promise.all(texts)) assert.equal(text, pieces.join(''));
    const again = firstOf(await (processes[1] ?? assert.fail()).storedAnswers.claim(key, 'f', 'account'));
    again.recorder.end(false);
  });

  test('conversations stay where another process served them', async (t) => {
    const [one, other] = await open(t, 2);
    assert.ok(one && other);
    const key = unique('c');
    await one.stickyEndpoints.remember(key, { tag: 'north', credentialClass: 2 }, 60_000);
    await until(async () => (await other.stickyEndpoints.find([key]))[0] !== undefined);
    assert.deepEqual(await other.stickyEndpoints.find([key]), [{ tag: 'north', credentialClass: 2 }]);
  });
}

function describeNews(open: OpenProcesses): void {
  test('what endpoints did in one process is known in the others', async (t) => {
    const [one, other] = await open(t, 2);
    assert.ok(one && other);
    const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: unique('north') })]).endpoints;
    assert.ok(endpoint);
    for (let time = 0; time < 20; time += 1) {
      one.statistics.record({ endpoint, outcome: 'success', timeToFirstToken: 100, throughput: 50 });
      one.statistics.record({ endpoint, credentialId: 'own', outcome: 'rate_limited', retryAfter: 20 });
      one.statistics.recordToolCalls(endpoint, time !== 0);
    }
    await until(() => other.statistics.answers(endpoint)?.toolCalls.requests === 20);
    for (const { statistics } of [one, other]) {
      assert.deepEqual(statistics.outcomes({ endpoint })?.uptime('5m'), { attempts: 20, failures: 0 });
      assert.equal(statistics.outcomes({ endpoint, credentialId: 'own' })?.coolingDown, true);
      assert.equal(statistics.answers(endpoint)?.samples('latency', '5m'), 20);
      assert.deepEqual(statistics.answers(endpoint)?.toolCalls, { requests: 20, marked: 1 });
    }
  });

  test('what one process changed the others hear, and it does not', async (t) => {
    const [one, other] = await open(t, 2);
    assert.ok(one && other);
    const heard: Change[] = [];
    const own: Change[] = [];
    other.invalidation.subscribe((change) => heard.push(change));
    one.invalidation.subscribe((change) => own.push(change));
    const changes: Change[] = [
      { kind: 'callers', keyHash: 'a1' },
      { kind: 'credential', id: 'c1' },
      { kind: 'everything' },
    ];
    for (const change of changes) one.invalidation.publish(change);
    await until(() => heard.length === changes.length);
    // News that go by different nodes of a cluster may overtake each other.
    const sorted = (some: readonly Change[]) => some.map((one) => JSON.stringify(one)).toSorted();
    assert.deepEqual(sorted(heard), sorted(changes));
    assert.deepEqual(own, []);
  });
}
