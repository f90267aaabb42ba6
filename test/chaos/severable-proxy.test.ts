import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SeverableProxy } from '../../scripts/chaos/severable-proxy.ts';

/** A server that sends back what it gets, a link to it, and a connection through that. */
async function linked(t: TestContext) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  const link = await SeverableProxy.start(address.port);
  t.after(() => link.close());
  return link;
}

async function dial(t: TestContext, link: SeverableProxy): Promise<Socket> {
  const socket = connect(link.port, '127.0.0.1').setEncoding('utf8');
  socket.on('error', () => undefined);
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function echo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

test('an open link passes bytes on, a slow one late', async (t) => {
  const link = await linked(t);
  const socket = await dial(t, link);
  assert.equal(await echo(socket, 'one'), 'one');
  await link.set({ delay: 100 });
  const began = performance.now();
  assert.equal(await echo(socket, 'two'), 'two');
  assert.ok(performance.now() - began >= 190, 'there and back');
});

test('a silent link says nothing and hangs up on nobody; what it held back comes late', async (t) => {
  const link = await linked(t);
  const socket = await dial(t, link);
  assert.equal(await echo(socket, 'one'), 'one');
  await link.set('silent');
  let heard = '';
  socket.on('data', (text) => {
    heard += text;
  });
  socket.write('two');
  const late = await dial(t, link);
  late.write('three');
  await sleep(150);
  assert.equal(heard, '');
  assert.ok(!socket.destroyed && !late.destroyed);
  // Two connections: whose bytes come first is nobody's promise.
  const answered = Promise.all([once(late, 'data'), once(socket, 'data')]);
  await link.set({ delay: 0 });
  assert.deepEqual(await answered, [['three'], ['two']]);
  assert.equal(heard, 'two');
});

test('a refusing link hangs up and takes nobody, until it is open again on its port', async (t) => {
  const link = await linked(t);
  const socket = await dial(t, link);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await link.set('refusing');
  await closed;
  await assert.rejects(dial(t, link), { code: 'ECONNREFUSED' });
  await link.set({ delay: 0 });
  assert.equal(await echo(await dial(t, link), 'again'), 'again');
});
