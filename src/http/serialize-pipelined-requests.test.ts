import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { serializePipelinedRequests } from './server.ts';

/** The largest piece the runtime reads of a connection at once. */
const largestRead = 64 * 1024;
const padded = `GET / HTTP/1.1\r\nHost: a\r\nX-Padding: ${'a'.repeat(470)}\r\n\r\n`;

/** A server that answers each request a turn of the event loop later; counts those begun and those that wait. */
async function startServer(t: TestContext, limit?: number) {
  const count = { parsed: 0, begun: 0, mostWaiting: 0 };
  const serve = serializePipelinedRequests((_request, response) => {
    count.begun += 1;
    setImmediate(() => response.end('x'.repeat(10_000)));
  }, limit);
  const server = createServer((request, response) => {
    count.parsed += 1;
    count.mostWaiting = Math.max(count.mostWaiting, count.parsed - count.begun);
    serve(request, response);
  });
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const open = () => connect((server.address() as AddressInfo).port, '127.0.0.1');
  return { count, open };
}

for (const reads of [true, false]) {
  test(`of one connection few requests wait, however many come, ${reads ? 'and all are answered' : 'also when no answer is read'}`, async (t) => {
    const { count, open } = await startServer(t);
    const socket = open();
    const all = 5_000;
    let answers = 0;
    if (reads) {
      socket.on('data', (data) => {
        answers += data.toString('latin1').split('HTTP/1.1 200').length - 1;
      });
    }
    for (let sent = 0; sent < all; sent += 100) socket.write(padded.repeat(100));
    for (let last = -1; reads ? count.begun < all : last !== count.begun; ) {
      last = count.begun;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // What one read brings is parsed whole.
    const bound = 16 + Math.ceil(largestRead / padded.length) + 2;
    assert.ok(count.mostWaiting <= bound, `${count.mostWaiting} waited, ${bound} may`);
    if (reads) {
      while (answers < all) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(answers, all);
    } else assert.ok(count.parsed < all, `${count.parsed} were read`);
    socket.destroy();
  });
}

test('while many requests wait on all connections, one that brings more than its own is ended', async (t) => {
  const { count, open } = await startServer(t, 300);
  const socket = open();
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(10_000));
  socket.resume();
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  assert.ok(count.begun <= 310, `${count.begun} were begun`);
  // What waited on it waits no more.
  const next = open();
  next.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200));
  let answers = 0;
  for await (const data of next) {
    answers += data.toString('latin1').split('HTTP/1.1 200').length - 1;
    if (answers === 200) break;
  }
});
