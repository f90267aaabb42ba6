import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { mostOfKey, mostViewers } from '../../src/edge/live/viewer-places.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const management = { kind: 'management', workspaceId: null } as const;
let gateway: TestGateway;

before(async () => {
  gateway = await startGateway({ models: [] });
});

after(() => gateway.stop());

/** A key of another account, and makes further ones of the same. */
async function stranger(name: string) {
  const account = newAccount(name, 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(account);
  return (kind: 'inference' | 'management') =>
    gateway.createKey({
      accountId: account.id,
      kind,
      workspaceId: kind === 'management' ? null : account.defaultWorkspaceId,
    });
}

/** Opens a viewer and says what it was answered. It stays until `leave`. */
async function watch(key: string) {
  const asked = request(`${gateway.url}/api/v1/live`, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  }).end();
  asked.on('error', () => {});
  const [response] = await once(asked, 'response');
  response.resume();
  const { statusCode: status, headers } = response;
  return { status, retryAfter: headers['retry-after'], leave: () => asked.destroy() };
}

const statuses = (viewers: readonly { status: number }[]) => viewers.map(({ status }) => status);
const fill = async (keys: readonly string[], each: number) => {
  const viewers = [];
  for (const key of keys) for (let n = 0; n < each; n += 1) viewers.push(await watch(key));
  return viewers;
};
const watching = (viewers: readonly { status: number }[]) =>
  viewers.filter(({ status }) => status === 200).length;

/** Waits until all viewers' places are free again. */
async function end(viewers: readonly { leave(): void }[], key: string): Promise<void> {
  for (const { leave } of viewers) leave();
  await eventually('room', async () => {
    const tried = await fill([key], mostOfKey);
    for (const { leave } of tried) leave();
    return watching(tried) === mostOfKey;
  });
}

test('one key has four viewers, and keeps out neither its account nor the operator', async () => {
  const operator = await gateway.createKey(management);
  const viewers = await fill([gateway.key], 20);
  assert.deepEqual(statuses(viewers), [...Array(mostOfKey).fill(200), ...Array(16).fill(429)]);
  assert.ok(viewers.slice(mostOfKey).every(({ retryAfter }) => retryAfter === '10'));
  const others = [await watch(operator), await watch(await gateway.createKey())];
  assert.deepEqual(statuses(others), [200, 200]);
  await end([...viewers, ...others], gateway.key);
});

test('however many keys and accounts watch, places are left for managers, and some for operators', async () => {
  const operators = [await gateway.createKey(management), await gateway.createKey(management)];
  const accounts = await Promise.all(['A', 'B', 'C', 'D'].map(stranger));
  const viewers = [];
  for (const key of accounts) {
    const keys = await Promise.all([key('inference'), key('inference'), key('inference')]);
    viewers.push(...(await fill(keys, 4)));
  }
  assert.equal(watching(viewers), 12, 'of all inference keys');
  assert.equal(watching(viewers.slice(0, 12)), 6, 'of the inference keys of one account');
  const managers = [];
  for (const key of accounts) managers.push(...(await fill([await key('management')], 4)));
  assert.equal(watching(managers), 4, 'all who are no operators');
  assert.equal(watching(managers.slice(0, 4)), 2, 'of one account');
  const watchers = await fill(operators, 4);
  assert.equal(watching(watchers), mostViewers - 16);
  await end([...viewers, ...managers, ...watchers], operators[0] ?? '');
});

test('a client that is gone before its viewer begins takes no place', async () => {
  const operator = await gateway.createKey(management);
  const { port } = new URL(gateway.url);
  for (let n = 0; n < 3 * mostOfKey; n += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`GET /api/v1/live HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${operator}\r\n\r\n`);
    // In between the server looks up who the key belongs to.
    await new Promise((resolve) => setTimeout(resolve, n % 4));
    socket.resetAndDestroy();
  }
  await end([], operator);
});

test('an unknown key takes no place', async () => {
  const viewers = await fill([createRawKey()], 6);
  assert.equal(watching(viewers), 0);
  assert.equal((await gateway.get('/health/live')).status, 200);
});
