import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { chatChunk, chatStream } from '../../../test/fake-upstream/chat-stream.ts';
import { listen, textOf } from '../../../test/fake-upstream/collect.ts';
import {
  type FakeUpstream,
  type Script,
  startFakeUpstream,
} from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { HeadgateError } from '../../core/errors.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { createTransport } from './transport.ts';

const unhurried: Script = { steps: [chatChunk({ content: 'a' }), 30, ...chatStream('b')] };

function callTo(fake: FakeUpstream) {
  return createCall({ provider: { baseUrl: fake.url } });
}

test('calls beyond the limit wait for a connection and share it', async () => {
  const transport = createTransport({ maxConnections: 2 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream(unhurried);
  const answers = await Promise.all(Array.from({ length: 6 }, () => listen(upstream, callTo(fake))));
  assert.deepEqual(
    answers.map(({ deltas }) => textOf(deltas)),
    Array(6).fill('ab'),
  );
  assert.equal(Math.max(...fake.requests.map((request) => request.connection)), 2);
  await transport.close();
  await fake.closedConnections(2);
});

test('many calls at once each get their own answer, and later ones reuse the connections', async () => {
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream(unhurried);
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => listen(upstream, callTo(fake))));
    assert.ok(answers.every(({ deltas, thrown }) => thrown === undefined && textOf(deltas) === 'ab'));
  }
  // An answer counts as complete a moment before its connection is free, so a few more may be opened.
  assert.ok(Math.max(...fake.requests.map((request) => request.connection)) < 200);
  await transport.destroy();
});

test('closing lets running and waiting calls finish', async () => {
  const transport = createTransport({ maxConnections: 1 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream(unhurried);
  const answers = Array.from({ length: 3 }, () => listen(upstream, callTo(fake)));
  while (fake.requests.length === 0) await new Promise(setImmediate);
  await transport.close();
  for (const { deltas, thrown } of await Promise.all(answers)) {
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'ab');
  }
});

test('destroying breaks off what runs and what waits, and refuses what comes later', async () => {
  const transport = createTransport({ maxConnections: 1 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'a' })], ending: 'hang' });
  const answers = Array.from({ length: 3 }, () => listen(upstream, callTo(fake)));
  while (fake.requests.length === 0) await new Promise(setImmediate);
  await transport.destroy();
  for (const { thrown } of await Promise.all(answers)) assert.ok(thrown instanceof Error);
  assert.ok((await listen(upstream, callTo(fake))).thrown instanceof Error);
  assert.equal(fake.requests.length, 1);
});

test('after a refused connection the next call tries again', async () => {
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const gone = await startFakeUpstream();
  await gone.close();
  for (let count = 0; count < 3; count++) {
    assert.ok((await listen(upstream, callTo(gone))).thrown instanceof Error);
  }
  await transport.close();
});

test('a connection the provider closed is not used again', async () => {
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const headers = { 'content-type': 'text/event-stream', connection: 'close' };
  await using fake = await startFakeUpstream({ headers, steps: chatStream('a') });
  for (let count = 0; count < 3; count++) {
    const { deltas, thrown } = await listen(upstream, callTo(fake));
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'a');
  }
  assert.deepEqual(
    fake.requests.map((request) => request.connection),
    [1, 2, 3],
  );
  await transport.close();
});

test('a connection is used for a while only, so that a changed answer of the DNS is followed', async () => {
  const transport = createTransport({ longestLife: 0 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream({ steps: chatStream('a') });
  for (let count = 0; count < 3; count++) {
    const { thrown } = await listen(upstream, callTo(fake));
    assert.equal(thrown, undefined);
  }
  assert.deepEqual(
    fake.requests.map((request) => request.connection),
    [1, 2, 3],
  );
  await transport.close();
});

test('a request that cannot be written takes no connection away', async () => {
  const transport = createTransport({ maxConnections: 1 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream({ steps: chatStream('a') });
  const broken = createCall({ provider: { baseUrl: fake.url, headers: { 'x-team': 'two\nlines' } } });
  for (let count = 0; count < 3; count++) {
    assert.ok((await listen(upstream, broken)).thrown instanceof Error);
    assert.equal(textOf((await listen(upstream, callTo(fake))).deltas), 'a');
  }
  await transport.close();
});

test('a call aborted while it waited uses no connection', async () => {
  const transport = createTransport({ maxConnections: 1 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  await using fake = await startFakeUpstream(unhurried);
  const gone = new AbortController();
  const first = listen(upstream, callTo(fake));
  const second = listen(upstream, { ...callTo(fake), signal: gone.signal });
  const third = listen(upstream, callTo(fake));
  gone.abort('gone');
  assert.equal((await second).thrown, 'gone');
  assert.deepEqual([textOf((await first).deltas), textOf((await third).deltas)], ['ab', 'ab']);
  assert.deepEqual(
    fake.requests.map((request) => request.connection),
    [1, 1],
  );
  await transport.close();
});

test('a kept connection the provider closes without a word costs the next call nothing', async () => {
  // Like llama.cpp: it announces keep-alive, accepts the next request, and closes.
  const server = createServer((socket) => {
    let served = 0;
    socket.on('data', () => {
      served += 1;
      if (served > 1) socket.resetAndDestroy();
      else socket.write(wholeAnswer('a'));
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const call = createCall({ provider: { baseUrl: `http://127.0.0.1:${port}` } });
  for (let count = 0; count < 4; count++) {
    const { deltas, thrown } = await listen(upstream, call);
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'a');
  }
  await transport.destroy();
  server.close();
});

test('a request that kills its connections reaches the provider twice, however many are kept', async () => {
  const deadly = 'Poison';
  let seen = 0;
  const server = createServer((socket) => {
    socket.on('data', (bytes) => {
      if (!bytes.includes(deadly)) {
        setTimeout(() => socket.write(wholeAnswer('a')), 20);
        return;
      }
      seen += 1;
      socket.resetAndDestroy();
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const provider = { baseUrl: `http://127.0.0.1:${port}` };
  const calls = Array.from({ length: 10 }, () => listen(upstream, createCall({ provider })));
  for (const { thrown } of await Promise.all(calls)) assert.equal(thrown, undefined);
  const { thrown } = await listen(upstream, createCall({ provider, endpoint: { upstreamModel: deadly } }));
  assert.ok(thrown instanceof HeadgateError && thrown.code === 'provider_failed');
  assert.equal(seen, 2);
  await transport.destroy();
  server.close();
});

test('a new connection that is reset at once is a failed provider, not an endless retry', async () => {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('data', () => {
      requests += 1;
      socket.resetAndDestroy();
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const { thrown } = await listen(
    upstream,
    createCall({ provider: { baseUrl: `http://127.0.0.1:${port}` } }),
  );
  assert.ok(thrown instanceof HeadgateError && thrown.code === 'provider_failed');
  assert.equal(requests, 1);
  await transport.destroy();
  server.close();
});

test('unused origins are dropped with their connections, and can be called again', async () => {
  const transport = createTransport({ keepAlive: 50 });
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const fakes: FakeUpstream[] = [];
  for (let count = 0; count < 20; count++) fakes.push(await startFakeUpstream({ steps: chatStream('a') }));
  await using slow = await startFakeUpstream(unhurried);
  const gone = await startFakeUpstream();
  await gone.close();
  const running = listen(upstream, callTo(slow));
  for (const fake of fakes) assert.equal(textOf((await listen(upstream, callTo(fake))).deltas), 'a');
  assert.ok((await listen(upstream, callTo(gone))).thrown instanceof Error);
  assert.equal(textOf((await running).deltas), 'ab');
  while (transport.origins > 0) await sleep(5);
  for (const fake of fakes) {
    await fake.closedConnections(1);
    assert.equal(textOf((await listen(upstream, callTo(fake))).deltas), 'a');
  }
  await transport.close();
  assert.equal(transport.origins, 0);
  for (const fake of fakes) await fake.close();
});

test('an origin with a request is kept, though its connection was stale or never came about', async () => {
  const server = createServer((socket) => {
    let served = 0;
    socket.on('data', () => {
      served += 1;
      if (served > 1) socket.resetAndDestroy();
      else setTimeout(() => socket.write(wholeAnswer('a')), 20);
    });
    socket.on('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const transport = createTransport();
  const upstream = createHttpUpstream(openaiChatAdapter, transport);
  const call = () => createCall({ provider: { baseUrl: `http://127.0.0.1:${port}` } });
  await listen(upstream, call());
  assert.equal(transport.origins, 1);
  const second = listen(upstream, call());
  let over = false;
  void second.then(() => {
    over = true;
  });
  while (!over) {
    assert.equal(transport.origins, 1);
    await sleep(1);
  }
  assert.equal(textOf((await second).deltas), 'a');
  await transport.destroy();
  server.close();
});

function wholeAnswer(word: string): string {
  const body = chatStream(word).join('');
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
