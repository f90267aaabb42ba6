import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseUsd } from '../../src/core/money.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({
    models: [modelOf('acme/echo', [sandbox])],
    server: { headerTimeout: 400, bodyLimit: 100_000, bodiesLimit: 150_000 },
  });
});

after(() => gateway.stop());

function open(text: string): Socket {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.on('error', () => undefined).write(text);
  return socket;
}

const answerOf = async (socket: Socket) => Buffer.concat(await socket.toArray()).toString();
const headOf = (key: string, length: number) =>
  `POST /api/v1/responses HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Length: ${length}\r\n\r\n`;

/** Sends a few bytes again and again until the connection ends. */
async function trickle(socket: Socket, bytes: string): Promise<void> {
  while (!socket.destroyed) {
    socket.write(bytes);
    await sleep(20);
  }
}

test('headers that trickle end after server.header_timeout, and so do those that never come', async () => {
  const trickling = open('GET / HTTP/1.1\r\nHost: a\r\n');
  void trickle(trickling, 'X-A: b\r\n');
  for (const socket of [trickling, open('GET /'), open('')]) {
    assert.match(await answerOf(socket), /^HTTP\/1\.1 408 .*did not arrive in time/s);
  }
});

test('a body that stalls or trickles below the least rate ends; one that is slow and faster is read', async () => {
  const trickling = open(headOf(gateway.key, 50_000));
  void trickle(trickling, 'x');
  for (const socket of [trickling, open(`${headOf(gateway.key, 50_000)}{`)]) {
    assert.match(await answerOf(socket), /^HTTP\/1\.1 408 .*comes too slowly/s);
  }
  const body = JSON.stringify({ model: 'acme/echo', input: 'a'.repeat(20_000) });
  const slow = open(headOf(gateway.key, body.length).replace('Host', 'Connection: close\r\nHost'));
  for (let sent = 0; sent < body.length; sent += 400) {
    slow.write(body.slice(sent, sent + 400));
    await sleep(15);
  }
  assert.match(await answerOf(slow), /^HTTP\/1\.1 200 /);
});

test('bodies that stall do not keep the room from others', async () => {
  const stalled = await Promise.all(
    Array.from({ length: 3 }, async () =>
      open(headOf(await gateway.createKey(), 99_000) + ' '.repeat(45_000)),
    ),
  );
  const began = performance.now();
  const ask = () => gateway.post({ model: 'acme/echo', input: 'a'.repeat(60_000) });
  let response = await ask();
  while (response.status === 503) {
    assert.equal(response.headers.get('retry-after'), '1');
    await sleep(5);
    response = await ask();
  }
  assert.equal(response.status, 200);
  assert.ok(performance.now() - began < 10_000);
  const answers = await Promise.all(stalled.map(answerOf));
  assert.ok(answers.every((answer) => /^HTTP\/1\.1 (408|503) /.test(answer)));
});

test('an account in debt is refused before its body is read', async (t) => {
  const poor = await startGateway({ models: [], billingMode: 'prepaid' });
  t.after(() => poor.stop());
  await poor.storage.ledger.append(ledgerEntry(poor.account.id, { amount: parseUsd('-1') }));
  const socket = connect(Number(new URL(poor.url).port), '127.0.0.1');
  socket.write(headOf(poor.key, 50_000));
  const [answer] = await once(socket, 'data');
  socket.destroy();
  assert.match(String(answer), /^HTTP\/1\.1 402 /);
});
