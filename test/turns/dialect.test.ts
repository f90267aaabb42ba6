import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { door } from '../../src/interface/doors.ts';
import { Type } from '../../src/util/json-schema.ts';
import { chatBody, chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { plainDialect } from './plain-dialect.ts';

const anything = Type.Unknown();
const plainDoor = door({
  dialect: plainDialect,
  id: 'createPlain',
  summary: 'Generate an answer without any form',
  request: ['PlainRequest', anything],
  answer: anything,
});

const answer = { steps: chatStream('Good ', 'day.'), whole: chatBody('Good ', 'day.') };
let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream(answer);
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [provider])],
    parts: { doors: [plainDoor] },
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const ask = (body: object, headers: Record<string, string> = {}) =>
  fetch(`${gateway.url}/api/v1/plain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'acme/atlas-4', say: 'Hi', ...body }),
  });

/** 9 tokens at 3 USD per million, and 2 at 15. */
const whole = '{"model":"acme/atlas-4","text":"Good day.","tokens":11,"cost":0.000057}';

test('another public dialect gets its answer as one body', async () => {
  const response = await ask({});
  assert.equal(response.status, 200);
  assert.equal(await response.text(), whole);
  const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
  assert.equal(record?.cost, 57_000n);
});

test('and as a stream in its own events', async () => {
  const response = await ask({ stream: true });
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const lines = (await response.text()).split('\n\n').filter((line) => line !== '');
  assert.equal(lines.at(-1), `data: ${whole}`);
  const text = lines.slice(0, -1).map((line) => line.replace('data: ', ''));
  assert.equal(text.join(''), 'Good day.');
});

test('a repeated request with an idempotency key gets the same bytes and is charged once', async () => {
  const key = { 'idempotency-key': 'once' };
  const [first, second] = [await ask({ stream: true }, key), await ask({ stream: true }, key)];
  assert.equal(await first.text(), await second.text());
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
});

test('an answer is not repeated in another dialect', async () => {
  const key = { 'idempotency-key': 'two languages' };
  const body = { model: 'acme/atlas-4', say: 'Hi', input: 'Hi' };
  assert.equal((await ask(body, key)).status, 200);
  assert.equal((await gateway.post(body, key)).status, 422);
});

test('its errors have its own shape, before an answer and inside of one', async () => {
  const refused = await ask({ say: 7 });
  assert.deepEqual(
    [refused.status, await refused.json()],
    [400, { failed: 'say: expected texts "model" and "say"', status: 400 }],
  );
  const unknown = await ask({ model: 'acme/nobody' });
  assert.equal(unknown.status, 400);
  assert.match(((await unknown.json()) as { failed: string }).failed, /acme\/nobody/);
  upstream.play({
    steps: [chatChunk({ content: 'Good ' }), 20, dataEvent({ error: { message: 'gone', code: 500 } })],
  });
  // The script before it serves once more.
  await (await ask({})).text();
  const broken = await (await ask({ stream: true })).text();
  assert.match(broken, /^data: Good \n\ndata: \{"failed":/);
});
