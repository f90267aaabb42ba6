import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { mostOfKey } from '../../src/edge/live/viewer-places.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let operator: string;
let stranger: string;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const price = { prompt: parsePricePerMillion(1), completion: parsePricePerMillion(15) };
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north], { price })] });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  const other = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  stranger = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(stranger, { ...owner, kind: 'management', name: 'boss' }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Event {
  readonly name: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: events of many shapes, each checked by its test.
  readonly data: any;
}

/** A viewer that keeps the events it got. */
async function watch(key = operator, query = '', lastId?: string) {
  const leave = new AbortController();
  const response = await fetch(`${gateway.url}/api/v1/live${query}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(lastId !== undefined && { 'last-event-id': lastId }),
    },
    signal: leave.signal,
  });
  const events: Event[] = [];
  const reading = (async () => {
    let rest = '';
    for await (const bytes of response.body ?? []) {
      rest += new TextDecoder().decode(bytes);
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        const [, id] = /^id: (.*)$/m.exec(block) ?? [];
        if (name !== undefined && data !== undefined) events.push({ name, id, data: JSON.parse(data) });
      }
    }
  })().catch(() => {});
  const find = (name: string, id?: string) =>
    events.find((event) => event.name === name && (id === undefined || event.data.id === id));
  return {
    status: response.status,
    events,
    find,
    wait: (name: string, id?: string) => eventually(name, async () => find(name, id)),
    end: reading,
    leave: async () => {
      leave.abort();
      await reading;
    },
  };
}

const words = (text: string) => chatChunk({ content: text });
const ask = (stream = true) => gateway.post({ model: 'acme/atlas-4', input: 'Hello', stream });

test('a viewer sees a request begin, answer and end, with nothing of what is said', async () => {
  upstream.play({ steps: [words('secret words'), 300, ...chatStream('more secret')] });
  const viewer = await watch();
  const [first] = await eventually('a snapshot', async () => viewer.events.length > 0 && viewer.events);
  assert.equal(first?.name, 'snapshot');
  checkPublished('LiveSnapshot', first?.data);
  const answer = await ask();
  const id = answer.headers.get('x-generation-id') ?? '';
  const begun = (await viewer.wait('begin', id)).data;
  assert.deepEqual(
    [begun.requested_model, begun.provider, begun.attempt, begun.key_hash, begun.streamed],
    ['acme/atlas-4', 'north', 1, gateway.keyHash, true],
  );
  assert.ok(BigInt(begun.ceiling_nano) > 0n && begun.first_token_ms !== undefined);
  await answer.text();
  const ended = (await viewer.wait('end', id)).data;
  const record = await eventually('the record', () => gateway.storage.generations.find(id));
  assert.deepEqual(
    [ended.phase, ended.outcome, ended.cost_nano, ended.output_tokens],
    ['ended', 'ok', String(record.cost), record.usage.output],
  );
  const counted = await eventually('the count', async () =>
    viewer.events.find(({ name, data }) => name === 'count' && data.done > 0),
  );
  assert.equal(counted.data.failed, 0);
  assert.doesNotMatch(JSON.stringify(viewer.events), /secret/);
  await viewer.leave();
});

test('numbers count what the viewer may see: another account learns nothing of the traffic', async () => {
  upstream.play({ steps: chatStream('Hello') });
  const [own, foreign] = [await watch(), await watch(stranger)];
  await Promise.all([own.wait('snapshot'), foreign.wait('snapshot')]);
  await (await ask()).text();
  const done = ({ name, data }: Event) => name === 'count' && data.done === 1;
  const counted = await eventually('the count', async () => own.events.find(done));
  const later = ({ name, data }: Event) => name === 'count' && data.as_of > counted.data.as_of;
  await eventually('a later count', async () => foreign.events.find(later));
  for (const { data } of foreign.events) {
    assert.deepEqual([data.running, data.streams, data.done, data.failed], [0, 0, 0, 0]);
  }
  await Promise.all([own.leave(), foreign.leave()]);
});

test('requests that run already are in the snapshot; a key sees its own, another account nothing', async () => {
  upstream.play({ ending: 'hang' });
  const otherKey = await gateway.createKey();
  const left = new AbortController();
  const asked = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/atlas-4', input: 'Hello' }),
    signal: left.signal,
  }).catch(() => {});
  const seen = async (key: string, query = '') => {
    const viewer = await watch(key, query);
    const { data } = await viewer.wait('snapshot');
    await viewer.leave();
    return data.rows.length;
  };
  await eventually('the request', async () => (await seen(operator)) === 1);
  assert.equal(await seen(gateway.key), 1);
  assert.equal(await seen(otherKey), 0);
  assert.equal(await seen(otherKey, `?key=${gateway.keyHash}`), 0);
  assert.equal(await seen(stranger), 0);
  assert.equal(await seen(operator, '?all_accounts=true&provider=north'), 1);
  assert.equal(await seen(operator, '?model=acme/other'), 0);
  assert.equal((await watch(stranger, '?all_accounts=true')).status, 403);
  assert.equal((await watch(gateway.key, '?all_accounts=true')).status, 403);
  assert.equal((await watch(operator, '?all_accounts=perhaps')).status, 400);
  left.abort();
  await asked;
});

test('stopping a request ends it as if its client had left, charged so and audited', async () => {
  upstream.play({ steps: [words('Good morning to you all')], ending: 'hang' });
  const viewer = await watch();
  const answer = await ask();
  const id = answer.headers.get('x-generation-id') ?? '';
  await viewer.wait('begin', id);
  const cancel = async (key: string, of = id) =>
    (
      await fetch(`${gateway.url}/api/v1/live/${of}/cancel`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      })
    ).status;
  assert.equal(await cancel(stranger), 404);
  assert.equal(await cancel(gateway.key), 403);
  assert.equal(await cancel(operator, 'gen-none'), 404);
  assert.equal(await cancel(operator), 202);
  await assert.rejects(answer.text());
  const ended = (await viewer.wait('end', id)).data;
  const record = await eventually('the record', () => gateway.storage.generations.find(id));
  assert.deepEqual([ended.outcome, record.cancelled], ['cancelled', true]);
  assert.ok(record.cost > 0n);
  assert.equal(ended.cost_nano, String(record.cost));
  assert.equal(await cancel(operator), 404, 'it is over');
  const audit = await fetch(`${gateway.url}/api/v1/audit?action=request.cancel`, {
    headers: { authorization: `Bearer ${operator}` },
  });
  const { data } = (await audit.json()) as { data: { outcome: string; object: { id: string } }[] };
  assert.deepEqual(
    data.filter(({ outcome }) => outcome === 'ok').map(({ object }) => object.id),
    [id],
  );
  await viewer.leave();
});

test('a viewer that comes back goes on where its connection broke', async () => {
  upstream.play({ steps: [words('Good morning')], ending: 'hang' });
  const viewer = await watch();
  await viewer.wait('snapshot');
  const answer = await ask();
  const id = answer.headers.get('x-generation-id') ?? '';
  await viewer.wait('begin', id);
  await viewer.leave();
  const lastId = viewer.events.at(-1)?.id;
  const stopped = await fetch(`${gateway.url}/api/v1/live/${id}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(stopped.status, 202);
  await answer.text().catch(() => {});
  await eventually('the record', () => gateway.storage.generations.find(id));
  const back = await watch(operator, '', lastId);
  await back.wait('end', id);
  assert.equal(back.find('snapshot'), undefined);
  const stranger = await watch(gateway.key, '', lastId);
  const { data } = await stranger.wait('snapshot');
  assert.deepEqual(data.rows, []);
  await Promise.all([back.leave(), stranger.leave()]);
});

test('a viewer too many waits; one that leaves makes room', async () => {
  const viewers = await Promise.all(Array.from({ length: mostOfKey }, () => watch()));
  assert.deepEqual(new Set(viewers.map(({ status }) => status)), new Set([200]));
  assert.equal((await watch()).status, 429);
  await viewers[0]?.leave();
  const next = await eventually('room', async () => {
    const one = await watch();
    return one.status === 200 && one;
  });
  await Promise.all([...viewers, next].map((one) => one.leave()));
});

test('a viewer whose key or session ends is told so', async () => {
  const key = await gateway.createKey({ kind: 'management', workspaceId: null });
  const viewer = await watch(key);
  const page = new TestBrowser(gateway.url);
  await page.login(key);
  const response = await fetch(`${gateway.url}/ui/api/live`, {
    headers: { cookie: page.cookie, 'x-headgate-csrf': page.csrf, 'sec-fetch-site': 'same-origin' },
  });
  const ofPage = response.text();
  await viewer.wait('snapshot');
  await gateway.storage.keys.update(hashKey(key), { disabled: true }, Date.now());
  await eventually('the end', async () => viewer.find('bye'));
  await viewer.end;
  assert.match(await ofPage, /event: bye/);
});
