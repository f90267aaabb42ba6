import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { chatChunk } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { startRedis } from '../support/start-redis.ts';
import { startRedisCluster } from '../support/start-redis-cluster.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const price = { prompt: parsePricePerMillion(1), completion: parsePricePerMillion(15) };

/** Two gateways on one database file and one Redis, with a provider that does not come to an end. */
async function begin(t: TestContext, redis: { readonly url: string; stop(): Promise<void> }) {
  t.after(() => redis.stop());
  const upstream = await startFakeUpstream({ steps: [chatChunk({ content: 'Good' })], ending: 'hang' });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const databaseUrl = `sqlite:${join(temporaryFolder(), 'headgate.db')}`;
  const open = async () => {
    const gateway = await startGateway({
      models: [modelOf('acme/atlas', [north], { price })],
      databaseUrl,
      config: { sharedState: { url: redis.url, onFailure: 'reject' } },
    });
    t.after(() => gateway.stop());
    return gateway;
  };
  const [one, other] = [await open(), await open()];
  const boss = await one.createKey({ kind: 'management', workspaceId: null });
  return { one, other, boss };
}

interface Told {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: events of many shapes, each checked by its test.
  readonly data: any;
}

/** A viewer of a gateway, with the events that it got. */
async function watch(t: TestContext, gateway: TestGateway, key: string) {
  const leave = new AbortController();
  t.after(() => leave.abort());
  const response = await fetch(`${gateway.url}/api/v1/live`, {
    headers: { authorization: `Bearer ${key}` },
    signal: leave.signal,
  });
  const events: Told[] = [];
  const read = async () => {
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/m.exec(block) ?? [];
        if (name !== '') events.push({ name, data: JSON.parse(data) });
      }
    }
  };
  void read().catch(() => {});
  return (fits: (event: Told) => boolean) => eventually('an event', async () => events.find(fits));
}

for (const [name, start] of [
  ['Redis', startRedis],
  ['Redis Cluster', startRedisCluster],
] as const) {
  test(`a viewer of one gateway sees and stops what the other runs, on ${name}`, async (t) => {
    const { one, other, boss } = await begin(t, await start());
    const find = await watch(t, one, boss);
    await find(({ name: event }) => event === 'snapshot');
    const answer = await other.post(
      { model: 'acme/atlas', input: 'Hello', stream: true },
      { authorization: `Bearer ${one.key}` },
    );
    assert.equal(answer.status, 200);
    const id = answer.headers.get('x-generation-id') ?? '';
    const isHere = ({ data }: Told) => data.id === id;
    const rows = ({ data }: Told) => (data.rows ?? []) as { readonly id: string }[];
    await find((event) => isHere(event) || rows(event).some((row) => row.id === id));
    await find(({ name: event, data }) => event === 'count' && data.running === 1);

    const stop = async (of: string) => {
      const stopped = await fetch(`${one.url}/api/v1/live/${of}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${boss}`, 'content-type': 'application/json' },
        body: '{}',
      });
      return stopped.status;
    };
    assert.equal(await stop('gen-none'), 404);
    assert.equal(await stop(id), 202);
    await assert.rejects(answer.text());
    const ended = await find((event) => event.name === 'end' && isHere(event));
    assert.equal(ended.data.outcome, 'cancelled');
    const record = await eventually('the record', () => one.storage.generations.find(id));
    assert.equal(record.cancelled, true);
    assert.equal(ended.data.cost_nano, String(record.cost));
    const audit = await one.get('/api/v1/audit?action=request.cancel', { authorization: `Bearer ${boss}` });
    const { data } = (await audit.json()) as { data: { outcome: string; object: { id: string } }[] };
    assert.deepEqual(
      data.filter(({ outcome }) => outcome === 'ok').map(({ object }) => object.id),
      [id],
    );
  });
}
