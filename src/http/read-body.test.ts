import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdChunks, RequestCutOff, readBody } from './body.ts';
import type { BodyRoom } from './body-budget.ts';

/** A request as a server gets it whose client sent these bytes; the client is at hand. */
async function receive(t: TestContext, text: string): Promise<{ request: IncomingMessage; client: Socket }> {
  const server = createServer();
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.write(text);
  const [request]: IncomingMessage[] = await once(server, 'request');
  assert.ok(request);
  return { request, client };
}

const nothing = () => undefined;
const any: BodyRoom = { begin: nothing, take: nothing, arrived: nothing, drop: nothing };

const head = (length: number) => `POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\n`;

test('a body is read whole, however it is cut', async (t) => {
  const { request, client } = await receive(t, `${head(10)}01234`);
  const body = readBody(request, 10, any);
  client.write('567');
  setImmediate(() => client.write('89'));
  assert.equal((await body).toString(), '0123456789');
});

test('a body announced too long is refused before it comes', async (t) => {
  const { request } = await receive(t, head(11));
  await assert.rejects(readBody(request, 10, any), { code: 'payload_too_large' });
});

test('a body of no announced length is refused once it is too long', async (t) => {
  const chunked = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nb\r\n01234567890\r\n';
  const { request } = await receive(t, chunked);
  await assert.rejects(readBody(request, 10, any), { code: 'payload_too_large' });
});

test('a client that goes away in the middle ends the wait', async (t) => {
  const { request, client } = await receive(t, `${head(10)}01234`);
  const body = assert.rejects(readBody(request, 10, any), RequestCutOff);
  client.destroy();
  await body;
});

test('a client that had gone before anybody read ends the wait as well', async (t) => {
  const { request, client } = await receive(t, `${head(10)}01234`);
  client.destroy();
  await new Promise<void>((resolve) => request.once('close', () => resolve()));
  await assert.rejects(readBody(request, 10, any), RequestCutOff);
});

test('what has no room is refused as soon as it comes, and asks for no more', async (t) => {
  const { request, client } = await receive(t, `${head(10)}01234`);
  const asked: number[] = [];
  const take = (bytes: number) => {
    asked.push(bytes);
    throw new Error('full');
  };
  const body = readBody(request, 10, { ...any, take });
  await assert.rejects(body, /full/);
  client.write('56789');
  await once(request, 'end');
  assert.deepEqual(asked, [5]);
});

test('a body in chunks of a byte is given up beyond 4,096 of them', async (t) => {
  const headed = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const few = await receive(t, `${headed}${'1\r\nx\r\n'.repeat(4_096)}0\r\n\r\n`);
  assert.equal((await readBody(few.request, 10_000, any)).length, 4_096);
  const many = await receive(t, `${headed}${'1\r\nx\r\n'.repeat(4_097)}0\r\n\r\n`);
  await assert.rejects(readBody(many.request, 10_000, any), { code: 'invalid_request' });
});

test('of a body in chunks of a byte nothing more is read: its chunks would take time even if they were dropped', async (t) => {
  const headed = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const { request, client } = await receive(t, headed);
  holdChunks(request);
  const body = assert.rejects(readBody(request, 10_000_000, any), { code: 'invalid_request' });
  client.write('1\r\nx\r\n'.repeat(1_000_000));
  await body;
  const { bytesRead } = request.socket;
  await sleep(100);
  assert.equal(request.socket.bytesRead, bytesRead);
  assert.ok(bytesRead < 1_000_000, `${bytesRead} bytes were read`);
});

test('of a body in chunks nothing more is read until somebody wants it, and then all of it', async (t) => {
  const headed = 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n';
  const { request, client } = await receive(t, headed);
  holdChunks(request);
  client.write(`${'1\r\nx\r\n'.repeat(3_000)}f4240\r\n${'x'.repeat(1_000_000)}\r\n0\r\n\r\n`);
  await sleep(100);
  const { bytesRead } = request.socket;
  assert.ok(bytesRead < 200_000, `${bytesRead} bytes were read`);
  assert.equal((await readBody(request, 10_000_000, any)).length, 1_003_000);
});
