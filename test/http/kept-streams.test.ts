import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';

/** A gateway before a provider that says "Good day.", after so many milliseconds. */
async function start(t: TestContext, options: Partial<GatewayOptions> = {}, delay = 0): Promise<TestGateway> {
  const upstream = await startFakeUpstream({
    steps: chatStream('Good day.'),
    whole: chatBody('Good day.'),
    delay,
  });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])], ...options });
  t.after(async () => {
    await gateway.stop();
    await upstream.close();
  });
  return gateway;
}

const doors = [
  { path: '/api/v1/responses', fields: { input: 'Hello' }, last: 'data: [DONE]\n\n' },
  {
    path: '/api/v1/chat/completions',
    fields: { messages: [{ role: 'user', content: 'Hello' }] },
    last: 'data: [DONE]\n\n',
  },
  {
    path: '/api/v1/messages',
    fields: { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 50 },
    last: 'data: {"type":"message_stop"}\n\n',
  },
] as const;

interface Asked {
  readonly door?: (typeof doors)[number];
  readonly version?: string;
  readonly headers?: readonly string[];
}

function requestFor(key: string, { door = doors[0], version = '1.1', headers = [] }: Asked = {}): string {
  const body = JSON.stringify({ model: 'acme/atlas-4', stream: true, ...door.fields });
  const own = [`Authorization: Bearer ${key}`, `Content-Length: ${body.length}`, 'Host: x', ...headers];
  return `${[`POST ${door.path} HTTP/${version}`, ...own].join('\r\n')}\r\n\r\n${body}`;
}

function connectTo(t: TestContext, gateway: TestGateway): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').setEncoding('utf8');
  t.after(() => socket.destroy());
  return socket;
}

/** What comes until this text ends it. */
async function readUntil(socket: Socket, last: string): Promise<string> {
  let text = '';
  while (!text.endsWith(last)) text += String((await once(socket, 'data'))[0]);
  return text;
}

const lastChunk = '\r\n0\r\n\r\n';

test('streams of every dialect come one after the other on one connection', async (t) => {
  const gateway = await start(t);
  const socket = connectTo(t, gateway);
  for (const door of [...doors, ...doors]) {
    socket.write(requestFor(gateway.key, { door }));
    const answer = await readUntil(socket, lastChunk);
    assert.match(answer, /^HTTP\/1\.1 200 OK\r\n/);
    assert.doesNotMatch(answer, /\r\nconnection: close\r\n/i);
    assert(answer.endsWith(`${door.last}${lastChunk}`), answer.slice(-200));
  }
});

test('a stream ends the connection of a client that wants it so, and of one of HTTP/1.0', async (t) => {
  const gateway = await start(t);
  const ends: readonly Asked[] = [
    { headers: ['Connection: close'] },
    { version: '1.0' },
    { version: '1.0', headers: ['Connection: keep-alive'] },
  ];
  for (const asked of ends) {
    const socket = connectTo(t, gateway);
    socket.write(requestFor(gateway.key, asked));
    const answer = (await socket.toArray()).join('');
    assert.match(answer, /\r\nconnection: close\r\n/i, JSON.stringify(asked));
    assert(answer.includes('data: [DONE]\n\n'));
  }
});

test('compat.close_streams ends the connection with each stream, and with nothing else', async (t) => {
  const gateway = await start(t, {
    config: { compat: { ...configOf({ models: [] }).compat, closeStreams: true } },
  });
  for (const headers of [[], ['Idempotency-Key: once']]) {
    const socket = connectTo(t, gateway);
    socket.write('GET /api/v1/models HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.write(requestFor(gateway.key, { headers }));
    const answer = (await socket.toArray()).join('');
    assert.match(answer, /\r\nconnection: close\r\n/i);
    assert(answer.endsWith(`data: [DONE]\n\n${lastChunk}`));
  }
});

test('a stream that runs while the server is told to stop is sent whole, and ends its connection', async (t) => {
  const gateway = await start(t, { server: { keepAlive: 20, drainTimeout: 30_000 } }, 300);
  const socket = connectTo(t, gateway);
  socket.write(requestFor(gateway.key));
  // A comment: the answer has begun, with a header that does not end the connection.
  const [begun] = await once(socket, 'data');
  assert.doesNotMatch(String(begun), /\r\nconnection: close\r\n/i);
  const stopped = gateway.stop();
  const rest = (await socket.toArray()).join('');
  assert(rest.endsWith(`data: [DONE]\n\n${lastChunk}`), rest.slice(-200));
  await stopped;
});

test('a failure within a stream is an event and does not end the connection', async (t) => {
  const upstream = await startFakeUpstream({ steps: chatStream('Good day.').slice(0, -3), ending: 'cut' });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
  t.after(async () => {
    await gateway.stop();
    await upstream.close();
  });
  const socket = connectTo(t, gateway);
  for (let count = 0; count < 2; count += 1) {
    socket.write(requestFor(gateway.key));
    const answer = await readUntil(socket, lastChunk);
    assert.match(answer, /event: response\.failed\n/);
  }
});
