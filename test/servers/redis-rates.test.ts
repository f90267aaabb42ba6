import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { RateRules } from '../../src/core/limits.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { defaultLimits } from '../support/limits.ts';
import { until } from '../support/redis-processes.ts';
import { startRedis } from '../support/start-redis.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const hello = { model: 'acme/atlas-4', input: 'Hello' };

/** Three gateways on one database file and one Redis. */
async function begin(
  t: TestContext,
  upstreamUrl: string,
  rates: Partial<RateRules>,
  onFailure: 'reject' | 'local' = 'reject',
) {
  const redis = await startRedis();
  t.after(() => redis.stop());
  const directory = temporaryFolder();
  const open = async () => {
    const gateway = await startGateway({
      models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstreamUrl}/v1` })])],
      databaseUrl: `sqlite:${join(directory, 'headgate.db')}`,
      config: {
        sharedState: { url: redis.url, onFailure },
        limits: { ...defaultLimits, rates: { ...defaultLimits.rates, ...rates } },
      },
    });
    t.after(() => gateway.stop());
    return gateway;
  };
  const gateways = [await open(), await open(), await open()] as const;
  const [first] = gateways;
  const headersOf = async (fields = {}) => ({ authorization: `Bearer ${await first.createKey(fields)}` });
  const post = (index: number, headers: Record<string, string>) =>
    (gateways[index % 3] ?? first).post(hello, headers);
  const statuses = (count: number, headers: Record<string, string>) =>
    Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const response = await post(index, headers);
        await response.text();
        return response.status;
      }),
    );
  return { redis, first, headersOf, post, statuses };
}

const count = (statuses: readonly number[], status: number) =>
  statuses.filter((one) => one === status).length;

test('three gateways on one Redis admit exactly the limit of one', async (t) => {
  const upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  t.after(() => upstream.close());
  const { headersOf, statuses } = await begin(t, upstream.url, { account: { requestsPerMinute: 90 } });
  const limited = await headersOf({ requestsPerMinute: 40 });
  const first = await statuses(120, limited);
  assert.deepEqual([count(first, 200), count(first, 429)], [40, 80]);
  const others = await statuses(120, await headersOf());
  assert.deepEqual([count(others, 200), count(others, 429)], [50, 70], 'the account has 50 left');
  assert.equal(upstream.requests.length, 90);
});

test('parallel requests are counted over all gateways, and places are free once their requests end', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const { headersOf, post } = await begin(t, upstream.url, {});
  const limited = await headersOf({ parallel: 3 });
  const running = [post(0, limited), post(1, limited), post(2, limited)];
  await upstream.reached(3);
  for (const index of [0, 1, 2]) assert.equal((await post(index, limited)).status, 429);
  upstream.release();
  for (const answer of running) assert.equal((await answer).status, 200);
  for (const index of [0, 1, 2]) assert.equal((await post(index, limited)).status, 200);
});

for (const onFailure of ['reject', 'local'] as const) {
  test(`while Redis is away limited keys are ${onFailure === 'reject' ? 'refused' : 'counted by each gateway'}, others served`, async (t) => {
    const upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
    t.after(() => upstream.close());
    const { redis, first, headersOf, statuses } = await begin(t, upstream.url, {}, onFailure);
    const limited = await headersOf({ requestsPerMinute: 2 });
    const free = await headersOf();
    assert.equal(count(await statuses(6, limited), 200), 2);
    await redis.kill();
    await until(async () => {
      const health = await (await first.get('/health/ready')).text();
      return health.includes('unreachable') || health.includes('degraded');
    });
    const away = await statuses(12, limited);
    if (onFailure === 'reject') assert.equal(count(away, 503), 12, away.join());
    else assert.deepEqual([count(away, 200), count(away, 429)], [6, 6], away.join());
    assert.equal(count(await statuses(6, free), 200), 6);
  });
}
