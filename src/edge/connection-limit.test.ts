import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { test } from 'node:test';
import { ConnectionLimit } from './http-listener.ts';

function open(limit: ConnectionLimit, address: string, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: address });
    limit.admit(socket);
    return socket;
  });
}

function limitOf(rules: ConstructorParameters<typeof ConnectionLimit>[0]) {
  const warnings: unknown[] = [];
  const nothing = () => undefined;
  const log = { info: nothing, error: nothing, warn: (line: unknown) => warnings.push(line) };
  return { limit: new ConnectionLimit(rules, log), warnings };
}

const openOf = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;

test('connections of an address above the limit are closed, told of once, and counted until they close', async () => {
  const { limit, warnings } = limitOf({ connectionsPerAddress: 2, trustProxy: false });
  const first = open(limit, '127.0.0.1', 4);
  assert.equal(openOf(first), 2);
  assert.deepEqual(warnings, [{ client: '127.0.0.1', limit: 2 }]);
  assert.equal(openOf(open(limit, '::ffff:127.0.0.1', 1)), 0, 'the same address in another form');
  assert.equal(openOf(open(limit, '203.0.113.5', 1)), 1);
  first[0]?.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(openOf(open(limit, '127.0.0.1', 2)), 1);
});

test('unless configured, public addresses have a limit and private ones none; behind a proxy nobody has', () => {
  const usual = limitOf({ trustProxy: false }).limit;
  assert.equal(openOf(open(usual, '203.0.113.5', 1030)), 1024);
  assert.equal(openOf(open(usual, '10.0.0.7', 1030)), 1030);
  assert.equal(openOf(open(usual, '::1', 1030)), 1030);
  assert.equal(openOf(open(limitOf({ trustProxy: true }).limit, '203.0.113.5', 1030)), 1030);
  const listed = limitOf({ trustProxy: ['203.0.113.0/24'] }).limit;
  assert.equal(openOf(open(listed, '203.0.113.5', 1030)), 1030);
  assert.equal(openOf(open(listed, '198.51.100.5', 1030)), 1024, 'no proxy that is listed');
  const off = limitOf({ connectionsPerAddress: 0, trustProxy: false }).limit;
  assert.equal(openOf(open(off, '203.0.113.5', 1030)), 1030);
});
