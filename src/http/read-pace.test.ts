import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { readBody } from './body.ts';

const connections = 30;
const size = 4 * 1024 * 1024;
/** What a body may bring before it counts as large. */
const small = 512 * 1024;

test('of many large bodies a few pieces are read in each turn, and all of them come whole', async (t) => {
  let pieces = 0;
  let most = 0;
  const counting = setImmediate(function look() {
    most = Math.max(most, pieces);
    pieces = 0;
    next = setImmediate(look);
  });
  let next = counting;
  t.after(() => clearImmediate(next));
  const server = createServer(async (incoming, response) => {
    let read = 0;
    const take = (bytes: number) => {
      read += bytes;
      if (read > small) pieces += 1;
    };
    const nothing = () => undefined;
    const body = await readBody(incoming, size, { begin: nothing, take, arrived: nothing, drop: nothing });
    response.end(String(body.length));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const bodies = Array.from({ length: connections }, async () => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', agent: false });
    sent.end(Buffer.alloc(size, 'x'));
    const [answer] = await once(sent, 'response');
    return Number(Buffer.concat(await answer.toArray()).toString());
  });
  assert.deepEqual(
    await Promise.all(bodies),
    Array.from({ length: connections }, () => size),
  );
  assert.ok(most <= 8, `${most} pieces were read in one turn`);
});

test('of many bodies that are not large each brings a piece before it waits for the others', async (t) => {
  const length = 200 * 1024;
  const sockets = 200;
  let inTurn = 0;
  let most = 0;
  let next = setImmediate(function look() {
    most = Math.max(most, inTurn);
    inTurn = 0;
    next = setImmediate(look);
  });
  t.after(() => clearImmediate(next));
  const take = (bytes: number) => {
    inTurn += bytes;
  };
  const nothing = () => undefined;
  let waiting: (() => void)[] = [];
  const server = createServer(async (incoming, response) => {
    // All of them are read from the same moment on.
    await new Promise<void>((resolve) => waiting.push(resolve));
    const body = await readBody(incoming, length, { begin: nothing, take, arrived: nothing, drop: nothing });
    response.end(String(body.length));
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const bodies = Array.from({ length: sockets }, async () => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', agent: false });
    sent.end(Buffer.alloc(length, 'x'));
    const [answer] = await once(sent, 'response');
    return Number(Buffer.concat(await answer.toArray()).toString());
  });
  while (waiting.length < sockets) await new Promise((resolve) => setTimeout(resolve, 5));
  for (const begin of waiting) begin();
  waiting = [];
  assert.deepEqual(new Set(await Promise.all(bodies)), new Set([length]));
  assert.ok(most < (sockets * length) / 2, `${most} bytes were read in one turn`);
});
