import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { operator } from '../../src/management/actor.ts';
import { rotateKey } from '../../src/management/keys/keys.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { startPostgres } from '../support/start-postgres.ts';
import { startRedis } from '../support/start-redis.ts';

test('two processes on PostgreSQL and Redis count both secrets of a key in one limit, and end the old one together', async (t) => {
  const [postgres, redis, upstream] = await Promise.all([startPostgres(), startRedis(), startFakeUpstream()]);
  t.after(() => Promise.all([postgres.stop(), redis.stop(), upstream.close()]));
  upstream.play({ steps: chatStream('Hi') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const databaseUrl = postgres.url(await postgres.createDatabase());
  const open = async () => {
    const gateway = await startGateway({
      models: [modelOf('acme/atlas-4', [north])],
      databaseUrl,
      config: { sharedState: { url: redis.url, onFailure: 'reject' } },
    });
    t.after(() => gateway.stop());
    return gateway;
  };
  const [one, other] = [await open(), await open()];
  const ask = async (at: typeof one, key: string) => {
    const answer = await at.post({ model: 'acme/atlas-4', input: 'Hi' }, { authorization: `Bearer ${key}` });
    // biome-ignore lint/suspicious/noExplicitAny: only the cost is read.
    return { status: answer.status, body: (await answer.json()) as any };
  };
  const status = async (at: typeof one, key: string) => (await ask(at, key)).status;
  const nano = (amount: number) => BigInt(Math.round(amount * 1e9));
  const price = nano((await ask(one, one.key)).body.usage.cost);
  const calls = 16n;
  const old = one.key;
  const services = {
    storage: one.storage,
    clock: systemClock,
    invalidate: () => {},
    refusals: { note: async () => {} },
  };
  const hash = hashKey(old);
  const { raw } = await rotateKey(operator, { hash }, services);
  // The first call was before the rotation.
  const rest = Array.from({ length: Number(calls) - 1 }, (_, at) =>
    ask(at % 2 === 0 ? one : other, at % 3 === 0 ? old : raw),
  );
  assert.deepEqual(new Set((await Promise.all(rest)).map((answer) => answer.status)), new Set([200]));
  const { usage } = await one.storage.ledger.keySpend(hash, Date.now());
  assert.equal(usage.total, price * calls);
  await rotateKey(operator, { hash, grace: 0 }, services);
  for (const gateway of [one, other]) {
    for (const key of [old, raw]) {
      await eventually('the end of an earlier secret', async () => (await status(gateway, key)) === 401);
    }
  }
});
