import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { Account } from '../../src/ports/accounts.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import { generation, ledgerEntry } from '../conformance/fixtures.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContractAt } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { roomInWindow } from '../support/windows.ts';

const keySchema = '/paths/~1key/get/responses/200/content/application~1json/schema';
let gateway: TestGateway;

before(async () => {
  const provider = providerOf({ slug: 'deepinfra', baseUrl: 'http://127.0.0.1:1/v1' });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [provider])], billingMode: 'prepaid' });
});

// Today's figures are of one day.
beforeEach(() => roomInWindow('day', 30_000));

after(() => gateway.stop());

const call = (key: string, method: string, path: string, body?: object) =>
  callApi(gateway, key, method, path, body);

/** Another account, and a way to give it keys. */
async function newNeighbour(kind?: Account['kind']) {
  const account = newAccount('Neighbour', 'prepaid', Date.now(), kind);
  await gateway.storage.accounts.create(account);
  const createKey = async (kind: ApiKey['kind']) => {
    const raw = createRawKey();
    const workspaceId = kind === 'management' ? null : account.defaultWorkspaceId;
    const owner = { accountId: account.id, workspaceId, createdAt: Date.now() };
    await gateway.storage.keys.create(newKey(raw, { ...owner, kind, name: 'theirs' }));
    return raw;
  };
  return { account, createKey };
}

test('what belongs to another account is not there: nothing of it is shown, and nothing changes', async () => {
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const { createKey } = await newNeighbour();
  const theirs = await createKey('management');
  const { id: accountId, defaultWorkspaceId } = gateway.account;
  const credential = { provider: 'deepinfra', key: 'sk-abcdefghijklmnop' };
  const { id } = (await call(boss, 'POST', '/byok', credential)).body.data;
  const yesterday = Date.now() - 86_400_000;
  const endpoint = { model: 'acme/atlas-4', provider: 'deepinfra', endpointTag: 'deepinfra' };
  const record = generation({ ...endpoint, accountId, keyHash: gateway.keyHash, settledAt: yesterday });
  await gateway.storage.ledger.settle(record);
  const paths = [`/keys/${gateway.keyHash}`, `/byok/${id}`, `/workspaces/${defaultWorkspaceId}`];
  const everything = () => Promise.all(paths.map((path) => call(boss, 'GET', path)));
  const before = await everything();
  for (const path of paths) {
    for (const [method, body] of [['GET'], ['PATCH', { name: 'taken' }], ['DELETE']] as const) {
      const query = method === 'DELETE' ? '?confirm_default_workspace_deletion=true' : '';
      const answer = await call(theirs, method, path + query, body);
      assert.deepEqual([answer.status, answer.body.error.metadata.error_type], [404, 'not_found'], path);
    }
  }
  assert.deepEqual(await everything(), before);
  for (const path of [`/generation?id=${record.id}`, `/activity?workspace_id=${defaultWorkspaceId}`]) {
    assert.equal((await call(boss, 'GET', path)).status, 200, path);
    assert.equal((await call(theirs, 'GET', path)).status, 404, path);
  }
  for (const [method, path, body] of [
    ['GET', `/keys?workspace_id=${defaultWorkspaceId}`],
    ['GET', `/byok?workspace_id=${defaultWorkspaceId}`],
    ['POST', '/keys', { name: 'k', workspace_id: defaultWorkspaceId }],
    ['POST', '/byok', { ...credential, workspace_id: defaultWorkspaceId }],
    ['POST', '/byok', { ...credential, allowed_api_key_hashes: [gateway.keyHash] }],
  ] as const) {
    assert.equal((await call(theirs, method, path, body)).status, 400, `${method} ${path}`);
  }
  for (const path of ['/keys', '/byok', '/activity', `/activity?api_key_hash=${gateway.keyHash}`]) {
    assert.deepEqual((await call(theirs, 'GET', path)).body.data, [], path);
  }
  assert.equal((await call(theirs, 'GET', '/workspaces')).body.total_count, 1, 'its own');
  assert.deepEqual((await call(theirs, 'GET', '/credits')).body.data, { total_credits: 0, total_usage: 0 });
});

test('GET /key tells what the account bought: free tier until the first purchase, the higher limit from 9', async () => {
  const { account, createKey } = await newNeighbour();
  const key = await createKey('inference');
  const told = async () => {
    const { body } = await call(key, 'GET', '/key');
    checkContractAt(keySchema, body);
    return [body.data.is_free_tier, body.data.free_model_daily_requests.limit];
  };
  const credit = (amount: string, countsAsPurchase: boolean) =>
    gateway.storage.ledger.append(ledgerEntry(account.id, { amount: parseUsd(amount), countsAsPurchase }));
  assert.deepEqual(await told(), [true, 50]);
  await credit('100', false);
  assert.deepEqual(await told(), [true, 50], 'given, not bought');
  await credit('5', true);
  assert.deepEqual(await told(), [false, 50]);
  await credit('4', true);
  assert.deepEqual(await told(), [false, 1000]);
});

test('GET /key tells whose key it is and of which kind; who made it only for keys of an organization', async () => {
  const { account, createKey } = await newNeighbour('organization');
  const boss = await createKey('management');
  const external = { user: 'partner-7', api_key: 'abcdefghijklmnopqrstuvwxyz0123456789' };
  const made = await call(boss, 'POST', '/keys', { name: 'k', creator_user_id: 'user_anna', external });
  assert.equal(made.status, 201);
  assert.deepEqual(
    [made.body.data.creator_user_id, made.body.data.external_user],
    ['user_anna', 'partner-7'],
  );
  assert.ok(!JSON.stringify(made.body).includes(external.api_key));
  const facts = async (key: string) => {
    const { data } = (await call(key, 'GET', '/key')).body;
    return {
      creator: data.creator_user_id,
      organization: data.organization_id,
      workspace: data.workspace_id,
      kinds: [data.is_management_key, data.is_provisioning_key],
      regions: data.allowed_data_regions,
    };
  };
  const shared = { organization: account.id, regions: ['global'] };
  assert.deepEqual(await facts(made.body.key), {
    ...shared,
    creator: 'user_anna',
    workspace: account.defaultWorkspaceId,
    kinds: [false, false],
  });
  assert.deepEqual(await facts(boss), { ...shared, creator: null, workspace: null, kinds: [true, true] });
  const personal = await facts(gateway.key);
  assert.deepEqual([personal.organization, personal.creator], [null, null]);
});

test('what is left of a limit follows its window and what counts toward it, from the change on', async () => {
  const { account, createKey } = await newNeighbour();
  const boss = await createKey('management');
  const { key, data } = (await call(boss, 'POST', '/keys', { name: 'capped', limit: 100 })).body;
  const now = Date.now();
  const longAgo = now - 40 * 86_400_000;
  for (const [settledAt, cost, listCost, isByok] of [
    [longAgo, '30', '30', false],
    [now, '25.5', '25.5', false],
    [now, '0', '17.38', true],
  ] as const) {
    const amounts = { cost: parseUsd(cost), listCost: parseUsd(listCost), isByok };
    const call = generation({ ...amounts, accountId: account.id, keyHash: data.hash, settledAt });
    await gateway.storage.ledger.settle(call);
  }
  for (const [change, left] of [
    [{}, 44.5],
    [{ limit_reset: 'monthly' }, 74.5],
    [{ limit_reset: 'weekly' }, 74.5],
    [{ limit_reset: 'daily', include_byok_in_limit: true }, 57.12],
    [{ limit_reset: null }, 27.12],
    [{ limit: 40 }, 0],
    [{ limit: null }, null],
  ] as const) {
    const changed = (await call(boss, 'PATCH', `/keys/${data.hash}`, change)).body.data;
    const told = (await call(key, 'GET', '/key')).body.data;
    for (const shown of [changed, told]) {
      assert.equal(shown.limit_remaining, left, JSON.stringify(change));
      assert.deepEqual([shown.usage, shown.usage_monthly, shown.usage_daily], [55.5, 25.5, 25.5]);
      assert.deepEqual([shown.byok_usage, shown.byok_usage_weekly], [17.38, 17.38]);
    }
  }
});

test('keys are listed a hundred at a time, newest first, disabled ones only when asked for', async () => {
  const { account, createKey } = await newNeighbour();
  const boss = await createKey('management');
  const { id: accountId, defaultWorkspaceId: workspaceId } = account;
  const now = Date.now();
  const names = Array.from({ length: 102 }, (_, age) => `${age} ms old`);
  for (const [age, name] of names.entries()) {
    const members = { accountId, workspaceId, kind: 'inference', name, disabled: age === 50 } as const;
    await gateway.storage.keys.create(newKey(createRawKey(), { ...members, createdAt: now - age }));
  }
  const listed = async (query: string) =>
    (await call(boss, 'GET', `/keys${query}`)).body.data.map(({ name }: { name: string }) => name);
  assert.deepEqual(await listed('?include_disabled=true'), names.slice(0, 100));
  assert.deepEqual(await listed('?include_disabled=true&offset=100'), names.slice(100));
  assert.deepEqual(await listed('?offset=100'), names.slice(101));
  assert.deepEqual(await listed('?offset=101'), []);
});
