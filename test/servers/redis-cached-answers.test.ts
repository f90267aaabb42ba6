import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { openProcess, shortTimes, until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';

const answer = (size = 10, lifetime = 60_000) => ({
  sealed: 'x'.repeat(size),
  storedAt: Date.now(),
  expiresAt: Date.now() + lifetime,
});

test('answers that one process keeps are found by another, as long as there is room', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const cacheLimits = { entry: 2_000, total: 6_000 };
  const one = (await openProcess(redis.url, t, { cacheLimits })).cachedAnswers;
  const other = (await openProcess(redis.url, t, { cacheLimits })).cachedAnswers;
  const kept = answer(1_000);
  await one.keep('a', kept);
  assert.deepEqual(await other.find('a'), kept);
  await one.keep('long', answer(2_001));
  assert.equal(await other.find('long'), undefined);
  await one.forget('a');
  assert.equal(await other.find('a'), undefined);
  // What expires first makes room.
  for (let place = 0; place < 20; place += 1)
    await one.keep(`k${place}`, answer(1_000, 60_000 + place * 1_000));
  const found = await Promise.all(Array.from({ length: 20 }, (_, place) => other.find(`k${place}`)));
  const sizes = found.map((entry) => (entry === undefined ? 0 : JSON.stringify(entry).length));
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= cacheLimits.total);
  assert.deepEqual([found[0], found.at(-1) === undefined], [undefined, false]);
});

test('while Redis is away nothing is found or kept, and nothing fails', async (t) => {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const shared = await openProcess(redis.url, t, { times: shortTimes });
  await shared.cachedAnswers.keep('a', answer());
  await redis.kill();
  await until(() => shared.state() === 'unreachable');
  assert.equal(await shared.cachedAnswers.find('a'), undefined);
  await shared.cachedAnswers.keep('b', answer());
  await shared.cachedAnswers.forget('b');
});

test('requests go on uncached while Redis is away, and are cached again when it is back', async (t) => {
  const upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const redis = await startRedis();
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])],
    config: { sharedState: { url: redis.url, onFailure: 'local' } },
  });
  t.after(async () => {
    await gateway.stop();
    await redis.stop();
    await upstream.close();
  });
  const ask = async () => {
    const response = await gateway.post(
      { model: 'acme/atlas-4', input: 'Hi' },
      { 'x-service-cache': 'true' },
    );
    await response.text();
    return [response.status, response.headers.get('x-service-cache-status')];
  };
  assert.deepEqual(await ask(), [200, 'MISS']);
  await until(async () => (await ask())[1] === 'HIT');
  await redis.kill();
  await until(async () => (await ask())[1] === 'MISS');
  const before = upstream.requests.length;
  assert.deepEqual(await ask(), [200, 'MISS']);
  assert.equal(upstream.requests.length, before + 1);
  await redis.restart();
  await until(async () => (await ask())[1] === 'HIT');
});
