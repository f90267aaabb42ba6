import assert from 'node:assert/strict';
import { connect, Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';

const words = (length: number) => ({ model: 'acme/atlas-4', input: 'a '.repeat(length / 2) });

test('bodies of requests that are being answered share what memory there is for them, on every route', async (t) => {
  const upstream = await startFakeUpstream({ ending: 'hang' });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    server: { bodyLimit: 100_000, bodiesLimit: 200_000 },
  });
  t.after(() => gateway.stop());
  const running = new AbortController();
  const otherKey = await gateway.createKey();
  const held = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${otherKey}` },
    body: JSON.stringify(words(90_000)),
    signal: running.signal,
  }).catch(() => undefined);
  while (upstream.requests.length === 0) await sleep(5);

  const plan = (length: number) =>
    fetch(`${gateway.url}/api/v1/responses/plan`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(words(length)),
    });
  for (const refused of [await gateway.post(words(90_000)), await plan(90_000)]) {
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '1');
    const { error } = (await refused.json()) as { error: { message: string } };
    assert.match(error.message, /as many request bodies as it can/);
  }
  assert.equal((await plan(40_000)).status, 200, 'what was refused holds nothing');
  assert.equal((await plan(200_000)).status, 413);

  // A client that leaves in the middle of its body gives back what it had sent.
  const { hostname, port } = new URL(gateway.url);
  const head = `POST /api/v1/responses/plan HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.key}\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n`;
  let client = new Socket();
  const sendPart = () => {
    client.destroy();
    client = connect(Number(port), hostname);
    // It is refused where its bytes meet those of a plan; then it comes again.
    client.once('data', sendPart).on('error', () => undefined);
    client.write(head + ' '.repeat(50_000));
  };
  sendPart();
  while ((await plan(40_000)).status !== 503) await sleep(5);
  client.destroy();
  while ((await plan(40_000)).status !== 200) await sleep(5);
  assert.ok(!gateway.log.some((line) => line.includes('"level":50')), 'nobody is to be alarmed');

  running.abort();
  await held;
  upstream.play({ steps: chatStream('Good ', 'day.') });
  while ((await plan(90_000)).status !== 200) await sleep(5);
});
