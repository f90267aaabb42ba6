import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway, usualDestinations } from '../support/gateway.ts';

let gateway: TestGateway;
let upstream: FakeUpstream;
let broken: FakeUpstream;
let boss: string;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  broken = await startFakeUpstream({ status: 503, headers: {}, steps: ['{}'] });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const south = providerOf({ slug: 'south', baseUrl: `${broken.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas', [north]), modelOf('globex/ibis', [south])],
    config: {
      presets: { filed: { config: { model: 'acme/atlas' } } },
      observability: { refusals: true, plans: 'off', keep: 604_800_000, destinations: usualDestinations },
    },
    parts: { notePause: 20 },
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await Promise.all([upstream.close(), broken.close()]);
});

async function get(path: string, key = boss) {
  const response = await gateway.get(`/api/v1${path}`, { authorization: `Bearer ${key}` });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

/** Sends a request and waits until its row is listed. Returns its id. */
async function send(body: object): Promise<string> {
  const sent = await gateway.post({ input: 'Hello', ...body });
  await sent.text();
  const id = sent.headers.get('x-generation-id') ?? '';
  await eventually('the row', async () => (await get(`/generations/${id}`)).status === 200);
  return id;
}

test('requests are found by status, requested model, preset and workspace, refused ones too', async () => {
  const stored = await fetch(`${gateway.url}/api/v1/presets/Terse/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${boss}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/atlas', temperature: 0.5 }),
  });
  assert.equal(stored.status, 200);
  const { id: presetId } = ((await stored.json()) as { data: { id: string } }).data;
  const plain = await send({ model: 'acme/atlas' });
  const terse = await send({ model: 'acme/atlas@preset/TERSE' });
  const filed = await send({ preset: 'filed' });
  const failed = await send({ model: 'globex/ibis' });
  // Routing finds no endpoint for it, so it is turned away.
  const refused = await send({ preset: 'terse', provider: { only: ['south'] } });

  const idsOf = async (query: string) =>
    (await get(`/generations?${query}`)).body.data.map(({ id }: { id: string }) => id);
  const { row, record } = (await get(`/generations/${terse}`)).body.data;
  assert.deepEqual([row.preset, row.router, record.preset_id], ['terse', null, presetId]);
  const { row: ofFile, record: fileRecord } = (await get(`/generations/${filed}`)).body.data;
  assert.deepEqual([ofFile.preset, fileRecord.preset_id], ['filed', null]);

  assert.deepEqual(await idsOf('preset=Terse'), [refused, terse]);
  assert.deepEqual(await idsOf('preset=filed'), [filed]);
  assert.deepEqual(await idsOf('status=200'), [filed, terse, plain]);
  const { status } = (await get(`/generations/${failed}`)).body.data.row;
  assert.deepEqual(await idsOf(`status=${status}`), [failed]);
  const { row: turnedAway } = (await get(`/generations/${refused}`)).body.data;
  assert.deepEqual(await idsOf(`status=${turnedAway.status}`), [refused]);
  assert.deepEqual(await idsOf('requested_model=globex/*'), [failed]);
  assert.deepEqual(await idsOf('requested_model=acme/atlas&outcome=ok&status=200'), [filed, terse, plain]);
  assert.deepEqual(await idsOf('router=service/auto'), []);
  const { workspace_id: workspace } = row;
  assert.equal((await idsOf(`workspace=${workspace}`)).length, 5);
  assert.deepEqual(await idsOf('workspace=ws_none'), []);

  const { next } = (await get('/generations?status=200&limit=1')).body;
  assert.deepEqual(await idsOf(`status=200&limit=1&cursor=${next}`), [terse]);
  for (const other of ['status=503', 'status=200&preset=filed', 'status=200&requested_model=acme/atlas'])
    assert.equal((await get(`/generations?${other}&limit=1&cursor=${next}`)).status, 400, other);
  for (const wrong of ['status=99', 'status=ok', 'status=600'])
    assert.equal((await get(`/generations?${wrong}`)).status, 400, wrong);
});
