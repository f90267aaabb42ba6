import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** More than the buffers of any system hold, so that a client can only send it to a server that reads it. */
const length = 64 * 1024 * 1024;

let gateway: TestGateway;

before(async () => {
  gateway = await startGateway({ models: [], server: { bodyLimit: 1024 } });
});

after(() => gateway.stop());

/** Sends a whole body before it reads anything, as Python's client does, then a second request. */
async function sendAll(key: string, framing: string, body: readonly Buffer[]): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  const head = ['POST /api/v1/responses HTTP/1.1', 'Host: a', `Authorization: Bearer ${key}`, framing];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  for (const piece of body) {
    await new Promise<void>((resolve, reject) => {
      socket.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }
  socket.write('GET /health/live HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  return Buffer.concat(await socket.toArray()).toString();
}

test('whoever is refused before all of the body has come can send the rest, and reads why', async () => {
  const piece = Buffer.alloc(1024 * 1024, 'a');
  const pieces = Array.from({ length: length / piece.length }, () => piece);
  const chunk = Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
  const chunks = [...pieces.map(() => chunk), Buffer.from('0\r\n\r\n')];
  const announced = `Content-Length: ${length}`;
  for (const [status, answer] of [
    [413, await sendAll(gateway.key, announced, pieces)],
    [413, await sendAll(gateway.key, 'Transfer-Encoding: chunked', chunks)],
    [401, await sendAll('sk-hg-v1-unknown', announced, pieces)],
  ] as const) {
    assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), [`HTTP/1.1 ${status}`, 'HTTP/1.1 200']);
    assert.match(answer, new RegExp(`"code":${status},`));
  }
});
