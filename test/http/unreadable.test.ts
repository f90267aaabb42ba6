import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

function open(): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.on('error', () => undefined);
  return socket;
}

function head(...more: string[]): string {
  const lines = ['POST /api/v1/responses HTTP/1.1', 'Host: a', `Authorization: Bearer ${gateway.key}`];
  return `${[...lines, ...more].join('\r\n')}\r\n\r\n`;
}

test('what is no HTTP request is refused in the words of every other error', async () => {
  const cases: [string, RegExp][] = [
    ['GARBAGE\r\n\r\n', /not a valid HTTP request/],
    [head(`X-Long: ${'a'.repeat(20_000)}`), /headers of the request are too large/],
    [head('Content-Length: 5', 'Transfer-Encoding: chunked'), /not a valid HTTP request/],
    [`${head('Transfer-Encoding: chunked')}zz\r\n`, /not a valid HTTP request/],
    [head('Content-Length: 0').replace('Host: a\r\n', ''), /not a valid HTTP request/],
    ['GET /health/live HTTP/1.1\r\n\r\n', /not a valid HTTP request: it names no Host/],
    [head('host: b'), /it names two Hosts/],
    [head().replace('Host: a', 'Host: a/b'), /its Host is no host/],
    [head().replace('Host: a', 'Host: a b'), /its Host is no host/],
    [`${head('Transfer-Encoding: gzip, chunked')}0\r\n\r\n`, /its Transfer-Encoding is not chunked/],
  ];
  for (const [sent, message] of cases) {
    const socket = open();
    socket.write(sent);
    const text = Buffer.concat(await socket.toArray()).toString();
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/);
    assert.match(text, /\r\nx-generation-id: gen-/);
    assert.match(text, /\r\nconnection: close\r\n/);
    const problem = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
    checkContract('BadRequestResponse', problem);
    assert.equal(problem.error.code, 400);
    assert.equal(problem.error.metadata.error_type, 'invalid_request');
    assert.match(problem.error.message, message);
  }
});

test('a request without Host is refused after the answers before it', async () => {
  const socket = open();
  socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /health/live HTTP/1.1\r\n\r\n');
  const text = Buffer.concat(await socket.toArray()).toString();
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 400']);
});

test('what a client expects beyond 100-continue keeps nobody from an answer', async () => {
  for (const [path, status, holds] of [
    ['/health/live', 200, /"status":"ok"/],
    ['/api/v1/nowhere', 404, /"error_type":"not_found"/],
  ] as const) {
    const socket = open();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nExpect: wonders\r\nConnection: close\r\n\r\n`);
    const text = Buffer.concat(await socket.toArray()).toString();
    assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text);
    assert.match(text, /\r\nx-generation-id: gen-/);
    assert.match(text, holds);
  }
});

test('no refusal is written into an answer that has begun', async () => {
  upstream.play({ steps: chatStream('Good ').slice(0, 2), ending: 'hang' });
  const body = JSON.stringify({ model: 'acme/atlas-4', input: 'Hello', stream: true });
  const socket = open();
  socket.write(head(`Content-Length: ${body.length}`) + body);
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  const closed = once(socket, 'close');
  while (!Buffer.concat(parts).includes('response.output_text.delta')) await once(socket, 'data');
  socket.write('GARBAGE\r\n\r\n');
  await closed;
  const text = Buffer.concat(parts).toString();
  assert.equal(text.split('HTTP/1.1').length, 2, text);
  assert.doesNotMatch(text, /response\.completed/);
});
