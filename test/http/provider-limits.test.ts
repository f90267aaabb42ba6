import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { CallLimits } from '../../src/core/catalogue.ts';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/* What this installation sends to a provider at most (docs/spec/routing.md#limits-of-providers). */

const good: Script = { steps: chatStream('Good day.'), whole: chatBody('Good day.') };

/** A server that answers after a while, and knows how many it answered at the same time. */
async function start(t: TestContext, limits: CallLimits & { maxWait?: number }, delay = 150) {
  const upstream = await startFakeUpstream({ ...good, delay });
  const other = await startFakeUpstream(good);
  const { maxWait = 30_000, ...most } = limits;
  const slots = providerOf({ slug: 'slots', baseUrl: `${upstream.url}/v1`, limits: { ...most, maxWait } });
  const free = providerOf({ slug: 'free', baseUrl: `${other.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('local/alone', [slots]), modelOf('local/pair', [slots, free])],
  });
  t.after(async () => {
    await gateway.stop();
    await Promise.all([upstream.close(), other.close()]);
  });
  return { upstream, other, gateway };
}

async function ask(gateway: TestGateway, model: string, more: object = {}, headers = {}) {
  const answer = await gateway.post({ model, input: 'Hello', max_output_tokens: 20, ...more }, headers);
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}

test('a server with two slots gets two requests at a time; others wait for their turn', async (t) => {
  const open = new Set<ServerResponse>();
  let most = 0;
  const server = createServer((request, response) => {
    request.resume();
    open.add(response);
    most = Math.max(most, open.size);
    setTimeout(() => {
      open.delete(response);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(chatBody('Good day.'));
    }, 40);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const slots = providerOf({ slug: 'slots', baseUrl, limits: { parallel: 2, maxWait: 60_000 } });
  const gateway = await startGateway({ models: [modelOf('local/alone', [slots])] });
  t.after(async () => {
    await gateway.stop();
    server.closeAllConnections();
    server.close();
  });
  const answers = await Promise.all(Array.from({ length: 9 }, () => ask(gateway, 'local/alone')));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(most, 2);
});

/** Takes the one place of a server that never answers. Returns what gives it up. */
async function occupy(upstream: FakeUpstream, gateway: TestGateway, body: object): Promise<() => void> {
  upstream.play({ ending: 'hang' });
  const leaving = new AbortController();
  const asked = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hello', ...body }),
    signal: leaving.signal,
  });
  asked.catch(() => {});
  await eventually('the first', () => upstream.requests.length === 1);
  return () => leaving.abort();
}

test('where another endpoint is free, nobody waits', async (t) => {
  const { upstream, other, gateway } = await start(t, { parallel: 1 });
  const order = { provider: { order: ['slots', 'free'] } };
  const leave = await occupy(upstream, gateway, { model: 'local/pair', ...order });
  const second = await ask(gateway, 'local/pair', order);
  leave();
  assert.equal(second.status, 200);
  assert.deepEqual([upstream.requests.length, other.requests.length], [1, 1]);
});

test('who waits too long is told when to come again, and was not sent', async (t) => {
  const { upstream, gateway } = await start(t, { parallel: 1, maxWait: 100 });
  const leave = await occupy(upstream, gateway, { model: 'local/alone' });
  const late = await ask(gateway, 'local/alone');
  leave();
  assert.equal(late.status, 429);
  const { error } = JSON.parse(late.body);
  assert.equal(error.metadata.error_type, 'rate_limit_exceeded');
  assert.equal(error.metadata.availability.code, 'capacity_exhausted');
  assert.match(error.message, /at most 1 requests at the same time/);
  assert.equal(late.headers.get('retry-after'), '1');
  assert.equal(upstream.requests.length, 1);
});

test('requests and tokens a minute are counted; what can never fit is refused at once', async (t) => {
  const requests = await start(t, { requestsPerMinute: 2, maxWait: 50 }, 0);
  const statuses = [];
  for (let count = 0; count < 3; count += 1)
    statuses.push((await ask(requests.gateway, 'local/alone')).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  const tokens = await start(t, { tokensPerMinute: 40, maxWait: 60_000 }, 0);
  const large = await ask(tokens.gateway, 'local/alone', { input: 'word '.repeat(500) });
  assert.equal(large.status, 429);
  assert.equal(tokens.upstream.requests.length, 0);
  assert.equal((await ask(tokens.gateway, 'local/alone')).status, 200);
});

test('a place is free again after every end: failures, clients that leave, and answers that are not read', async (t) => {
  const { upstream, gateway } = await start(t, { parallel: 1, maxWait: 60_000 }, 0);
  upstream.play({ status: 503, headers: {} });
  assert.equal((await ask(gateway, 'local/alone')).status, 529);
  upstream.play({ ending: 'cut' });
  assert.equal((await ask(gateway, 'local/alone')).status, 502);
  upstream.play({ steps: chatStream('Good day.').slice(0, 2), ending: 'hang' });
  const leaving = await gateway.post({ model: 'local/alone', input: 'Hello', stream: true });
  const reader = leaving.body?.getReader();
  await reader?.read();
  await reader?.cancel();
  upstream.play(good);
  assert.equal((await ask(gateway, 'local/alone')).status, 200);
});

test('a client that leaves while it waits gives its turn up', async (t) => {
  const { upstream, gateway } = await start(t, { parallel: 1 });
  const leave = await occupy(upstream, gateway, { model: 'local/alone' });
  const leaving = new AbortController();
  const gone = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'local/alone', input: 'Hello' }),
    signal: leaving.signal,
  });
  gone.catch(() => {});
  const waiting = ask(gateway, 'local/alone');
  setTimeout(() => leaving.abort(), 50);
  await assert.rejects(gone);
  upstream.play(good);
  leave();
  assert.equal((await waiting).status, 200);
  assert.equal(upstream.requests.length, 2, 'nothing was sent for the one that left');
});
