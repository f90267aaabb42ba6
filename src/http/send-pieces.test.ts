import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../test/support/eventually.ts';
import { HttpReply, sendPieces } from './reply.ts';

const piece = 'x'.repeat(65_536);

/** A server that sends one file, and what became of it. */
async function serve(t: TestContext, pieces: AsyncGenerator<string>, sendTimeout = 60_000) {
  const over = Promise.withResolvers<unknown>();
  const server = createServer((_, response) => {
    const reply = new HttpReply(response, { 'x-request-id': 'one' }, sendTimeout);
    sendPieces(reply, { type: 'text/plain', name: 'file.txt', pieces }, sendTimeout).then(
      () => over.resolve(undefined),
      (error) => {
        over.resolve(error);
        response.destroy();
      },
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { over: over.promise, port, url: `http://127.0.0.1:${port}/` };
}

/** Pieces without end, and how many were asked for. */
function endless() {
  const made = { count: 0, isOver: false };
  async function* make() {
    try {
      for (;;) {
        made.count += 1;
        yield piece;
      }
    } finally {
      made.isOver = true;
    }
  }
  return { made, pieces: make() };
}

test('a file comes whole, with its name and its type', async (t) => {
  const { url, over } = await serve(
    t,
    (async function* () {
      yield 'one, ';
      yield 'zwei: ü';
    })(),
  );
  const response = await fetch(url);
  assert.equal(response.headers.get('content-type'), 'text/plain');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="file.txt"');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('x-request-id'), 'one');
  assert.equal(await response.text(), 'one, zwei: ü');
  assert.equal(await over, undefined);
});

test('of a client that reads nothing little is asked for, and nothing more once it has gone', async (t) => {
  const { made, pieces } = endless();
  const { port, over } = await serve(t, pieces);
  const client = connect(port, '127.0.0.1');
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  client.pause();
  await eventually('the first piece', async () => made.count > 0);
  let before = -1;
  await eventually('a pause', async () => {
    const isStill = made.count === before;
    before = made.count;
    await sleep(100);
    return isStill;
  });
  // The buffers of the system take some megabytes.
  assert.ok(made.count < 512, `${made.count} pieces`);
  client.destroy();
  assert.equal(await over, undefined);
  assert.equal(made.isOver, true);
});

test('a client that takes nothing for a while loses the connection', async (t) => {
  const { made, pieces } = endless();
  const { port, over } = await serve(t, pieces, 300);
  const client = connect(port, '127.0.0.1');
  t.after(() => client.destroy());
  client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  client.pause();
  assert.equal(await over, undefined);
  assert.equal(made.isOver, true);
});

test('half a file does not look whole', async (t) => {
  const failure = new Error('the database has gone');
  const { url, over } = await serve(
    t,
    (async function* () {
      yield piece;
      throw failure;
    })(),
  );
  await assert.rejects(async () => (await fetch(url)).text());
  assert.equal(await over, failure);
});
