import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { Account } from '../../src/ports/accounts.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

const path = '/plugins/defaults';
const healing = { 'response-healing': { config: {}, enforced: true } };
let upstream: FakeUpstream;
let gateway: TestGateway;
/** Of the oldest account, which operates the installation. */
let operator: string;
let manager: string;
let other: Account;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('{"a": 1,}') });
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])];
  const plugins = { ...configOf({ models }).plugins, defaults: { web: { config: {}, enforced: false } } };
  gateway = await startGateway({ models, config: { plugins } });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  other = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  manager = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management', name: 'boss' }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function defaultsOf(key: string, query = '') {
  const { status, body } = await callApi(gateway, key, 'GET', path + query);
  assert.equal(status, 200);
  checkPublished('AccountPluginDefaults', body);
  return body.data;
}

const put = (key: string, plugin_defaults: object, account_id?: string) =>
  callApi(gateway, key, 'PUT', path, { plugin_defaults, account_id });

const audited = () => gateway.storage.audit.list({ accountId: other.id, limit: 99 });

test('defaults of an account are read and replaced, act at once, and the audit log has them', async () => {
  const ask = async () => {
    const { body } = await callApi(gateway, gateway.key, 'POST', '/responses', {
      model: 'acme/atlas-4',
      input: 'JSON, please',
      text: { format: { type: 'json_object' } },
      plugins: [{ id: 'web', enabled: false }],
    });
    return body.output[0].content[0].text;
  };
  assert.equal(await ask(), '{"a": 1,}');
  const found = await defaultsOf(operator);
  assert.deepEqual(found.plugin_defaults, {});
  assert.deepEqual(found.installation, { web: { config: {}, enforced: false } });
  assert.deepEqual(
    found.missing_backends.map(({ setting }: { setting: string }) => setting),
    ['plugins.moderation', 'plugins.file_parser.ocr', 'tools.web_search.engines'],
  );
  const { status, body } = await put(operator, { 'response-healing': { enforced: true } });
  assert.equal(status, 200);
  checkPublished('AccountPluginDefaults', body);
  assert.deepEqual([body.data.account_id, body.data.plugin_defaults], [gateway.account.id, healing]);
  assert.equal(await ask(), '{"a": 1}');
  assert.deepEqual((await put(operator, {})).body.data.plugin_defaults, {});
  assert.equal(await ask(), '{"a": 1,}');
});

test('managers change their own account, operators any; a default that no request could name changes nothing', async () => {
  assert.equal((await put(manager, healing)).body.data.account_id, other.id);
  for (const { status } of [
    await put(manager, {}, gateway.account.id),
    await callApi(gateway, manager, 'GET', `${path}?account_id=${gateway.account.id}`),
    await put(operator, {}, 'acc_nobody'),
  ]) {
    assert.equal(status, 404);
  }
  assert.deepEqual((await defaultsOf(operator, `?account_id=${other.id}`)).plugin_defaults, healing);
  assert.deepEqual((await defaultsOf(operator)).plugin_defaults, {}, 'the own account has none');
  for (const [defaults, message] of [
    [{ healing: {} }, /healing/],
    [{ web: { config: { max_results: 99 } } }, /plugin_defaults\.web\.config\.max_results/],
  ] as const) {
    const { status, body } = await put(manager, defaults);
    assert.equal(status, 400);
    assert.match(body.error.message, message);
  }
  assert.deepEqual((await defaultsOf(manager)).plugin_defaults, healing);
  assert.equal((await callApi(gateway, gateway.key, 'GET', path)).status, 403, 'an inference key');
  await put(operator, { web: { config: { enabled: false } } }, other.id);
  const changes = (await audited()).filter(
    ({ action, outcome }) => action === 'account.update' && outcome === 'ok',
  );
  assert.deepEqual(
    changes.map(({ before, after }) => [before, after]),
    [
      [
        { plugin_defaults: healing },
        { plugin_defaults: { web: { config: { enabled: false }, enforced: false } } },
      ],
      [{ plugin_defaults: {} }, { plugin_defaults: healing }],
    ],
  );
});
