import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '../core/api-key.ts';
import { newAccount } from '../management/accounts/accounts.ts';
import { newKey } from '../management/keys/keys.ts';
import { openStorage } from '../storage/open-storage.ts';
import { Secret } from '../util/secret.ts';
import { bootstrap, firstStartText } from './bootstrap.ts';

const clock = { now: () => 1_800_000_000_000 };

async function emptyStorage(t: { after(action: () => Promise<void>): void }) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

test('the first start makes account, workspace, management key and inference key, once', async (t) => {
  const storage = await emptyStorage(t);
  const config = { bootstrap: { billingMode: 'prepaid' as const } };
  const made = await bootstrap(storage, config, clock);
  assert.ok(made);
  assert.match(made.managementKey, /^sk-hg-v1-[0-9a-f]{64}$/);
  assert.notEqual(made.managementKey, made.inferenceKey);
  const [account] = await storage.accounts.list();
  assert.equal(account?.billingMode, 'prepaid');
  assert.match(account?.defaultWorkspaceId ?? '', /^[0-9a-f-]{36}$/);
  const inference = await storage.keys.findWithAccount(hashKey(made.inferenceKey));
  assert.equal(inference?.key.kind, 'inference');
  assert.equal(inference?.key.workspaceId, account?.defaultWorkspaceId);
  const management = await storage.keys.findWithAccount(hashKey(made.managementKey));
  assert.equal(management?.key.kind, 'management');
  assert.equal(management?.key.workspaceId, null);
  assert.equal(await bootstrap(storage, config, clock), undefined);
  assert.equal((await storage.accounts.list()).length, 1);
});

test('keys from the configuration are used, and only on the first start', async (t) => {
  const storage = await emptyStorage(t);
  const settings = {
    managementKey: new Secret('management-'.padEnd(40, 'm')),
    apiKey: new Secret('inference-'.padEnd(40, 'i')),
    billingMode: 'invoice' as const,
  };
  const made = await bootstrap(storage, { bootstrap: settings }, clock);
  assert.equal(made?.managementKey, settings.managementKey.reveal());
  const found = await storage.keys.findWithAccount(hashKey(settings.apiKey.reveal()));
  assert.equal(found?.key.label, 'inf...iii');
});

test('a start that broke off before the management key is taken up again', async (t) => {
  const storage = await emptyStorage(t);
  const account = newAccount('Early', 'prepaid', 1);
  await storage.accounts.create(account);
  const apiKey = new Secret('k'.repeat(32));
  const stored = { accountId: account.id, workspaceId: account.defaultWorkspaceId, name: 'First key' };
  await storage.keys.create(newKey(apiKey.reveal(), { ...stored, kind: 'inference', createdAt: 1 }));
  const made = await bootstrap(storage, { bootstrap: { apiKey, billingMode: 'invoice' } }, clock);
  assert.equal(made?.accountId, account.id);
  assert.equal(made.billingMode, 'prepaid', 'how the account pays that the keys belong to');
  assert.equal(made.inferenceKey, apiKey.reveal());
  assert.equal((await storage.accounts.list()).length, 1);
  assert.equal((await storage.keys.listByPrefix('', 10)).length, 2);
});

test('the text of the first start holds everything a person needs next', () => {
  const text = firstStartText({
    managementKey: 'sk-hg-v1-management',
    inferenceKey: 'sk-hg-v1-inference',
    url: 'http://127.0.0.1:8484',
    providers: ['Sandbox', 'OpenAI'],
    billingMode: 'invoice',
    link: 'http://127.0.0.1:8484/#login=code',
  });
  for (const part of [
    'Dashboard       http://127.0.0.1:8484/#login=code\n',
    'Management key  sk-hg-v1-management\n',
    'API key         sk-hg-v1-inference\n',
    'Base URL        http://127.0.0.1:8484/api/v1\n',
    'Providers       Sandbox, OpenAI\n',
    'Billing mode    invoice: nothing is refused for lack of credits\n',
    `curl http://127.0.0.1:8484/api/v1/responses -H 'Authorization: Bearer sk-hg-v1-inference' -H 'Content-Type: application/json' -d '{"model":"sandbox/echo","input":"Hello"}'\n`,
  ]) {
    assert.ok(text.includes(part), part);
  }
});

test('a chosen key is quoted in the line for a shell', () => {
  const text = firstStartText({
    managementKey: 'sk-hg-v1-management',
    inferenceKey: `it's-"my"-$HOME-key`,
    url: 'http://127.0.0.1:8484',
    providers: ['Sandbox'],
    billingMode: 'invoice',
  });
  assert.ok(text.includes(String.raw` -H 'Authorization: Bearer it'\''s-"my"-$HOME-key' -H `), text);
});
