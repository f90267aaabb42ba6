import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const hello = { model: 'acme/atlas-4', input: 'Hello' };
/** Five of them are more than all that is kept. */
const large = { whole: chatBody('x'.repeat(28 * 1024 * 1024)) };
const small = { whole: chatBody('Good day.') };

let upstream: FakeUpstream;
let gateway: TestGateway;

beforeEach(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])] });
});

afterEach(async () => {
  await gateway.stop();
  await upstream.close();
});

/** A key of another account. */
async function keyOfNeighbour(): Promise<string> {
  const account = newAccount('Neighbour', 'invoice', Date.now());
  await gateway.storage.accounts.create(account);
  const raw = createRawKey();
  const owner = {
    accountId: account.id,
    workspaceId: account.defaultWorkspaceId,
    createdAt: Date.now(),
  };
  await gateway.storage.keys.create(newKey(raw, { ...owner, kind: 'inference', name: 'theirs' }));
  return raw;
}

async function ask(name: string, key = gateway.key) {
  const headers = { 'idempotency-key': name, authorization: `Bearer ${key}` };
  const response = await gateway.post(hello, headers);
  const text = await response.text();
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), text };
}

const spentBy = async (key: string) =>
  (await gateway.storage.ledger.keySpend(hashKey(key), Date.now())).usage.total;

test('however much another tenant stores, my retry is read again and not charged again', async () => {
  const neighbour = await keyOfNeighbour();
  upstream.play(small, large);
  const first = await ask('mine');
  const spent = await spentBy(gateway.key);
  for (let count = 0; count < 5; count += 1) assert.equal((await ask(`l${count}`, neighbour)).status, 200);
  const again = await ask('mine');
  assert.deepEqual([again.status, again.replayed], [200, 'true']);
  assert.equal(again.text, first.text);
  assert.equal(upstream.requests.length, 6);
  assert.equal(await spentBy(gateway.key), spent);
});

test('an answer of mine that is kept no more is a 422 that says so, never a second charge', async () => {
  upstream.play(small, large);
  await ask('small');
  for (let count = 0; count < 5; count += 1) assert.equal((await ask(`l${count}`)).status, 200);
  const spent = await spentBy(gateway.key);
  const gone = await ask('l0');
  assert.equal(gone.status, 422);
  assert.match(gone.text, /Idempotency-Key: .*charged already.*use a new key/);
  assert.equal((await ask('small')).replayed, 'true', 'small ones go last');
  assert.equal((await ask('l4')).replayed, 'true');
  assert.equal(upstream.requests.length, 6);
  assert.equal(await spentBy(gateway.key), spent);
});
