import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { plainRules } from '../../src/core/guardrail.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
const models = [modelOf('sandbox/echo', [sandbox])];
const { limits } = configOf({ models });
let gateway: TestGateway;
let manager: string;

before(async () => {
  gateway = await startGateway({
    models,
    config: {
      guardrails: [
        {
          name: 'house',
          rules: { ...plainRules, mode: 'observe', ignoredProviders: ['south'] },
          apply: { all: true, workspaces: [], keys: [] },
        },
      ],
      limits: {
        ...limits,
        rates: { ...limits.rates, key: { parallel: 20 }, service: { requestsPerMinute: 900 } },
      },
    },
  });
  manager = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

async function call(method: string, path: string, body?: object, key = manager) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  const json = (await response.json()) as any;
  assert.ok(response.status < 300 || response.status >= 400);
  return { status: response.status, body: json };
}

test('all that applies to a key is listed with where it comes from', async () => {
  const { defaultWorkspaceId: workspace } = gateway.account;
  const made = await call('POST', '/keys', {
    name: 'ci',
    limit: 5,
    limit_reset: 'weekly',
    rates: { requests_per_minute: 60, tokens_per_minute: null },
  });
  const { hash } = made.body.data;
  const plain = (await call('GET', `/keys/${hash}/rules`)).body.data;
  assert.deepEqual(
    plain.guardrails.map(({ id, source, mode, scope }: Record<string, string>) => [id, source, mode, scope]),
    [['house', 'file', 'observe', 'account']],
  );
  const guardrail = await call('POST', '/guardrails', {
    name: 'careful',
    limit_usd: 2,
    reset_interval: 'daily',
    allowed_models: ['sandbox/echo'],
    enforce_zdr_other: true,
    enable_paid_model_training: false,
    content_filter_builtins: [{ slug: 'email', action: 'redact' }],
    content_filters: [{ pattern: 'project-[a-z]+', action: 'block', label: 'Projects' }],
  });
  const { id } = guardrail.body.data;
  await call('POST', `/guardrails/${id}/assignments/keys`, { key_hashes: [hash] });
  await call('PUT', `/workspaces/${workspace}/budgets/monthly`, { limit_usd: 100 });
  await call('PATCH', `/workspaces/${workspace}`, {
    default_text_model: 'sandbox/echo',
    disabled_server_tools: ['service:web_search'],
    plugin_defaults: { 'response-healing': { enforced: true } },
  });
  const { status, body } = await call('GET', `/keys/${hash}/rules`);
  assert.equal(status, 200);
  checkPublished('KeyRules', body);
  const { limits: bound, guardrails, rates, workspace: defaults, account } = body.data;
  assert.deepEqual(
    bound.map(({ scope, name, reset_interval, limit_nano, spent_nano }: Record<string, string>) => [
      scope,
      name,
      reset_interval,
      limit_nano,
      spent_nano,
    ]),
    [
      ['key', 'ci', 'weekly', '5000000000', '0'],
      ['api_key', 'ci', 'daily', '2000000000', '0'],
      ['workspace', 'Default', 'monthly', '100000000000', '0'],
    ],
  );
  assert.equal(guardrails.length, 2);
  assert.deepEqual(
    guardrails.find((one: { id: string }) => one.id === id),
    {
      id,
      name: 'careful',
      scope: 'api-key',
      mode: 'enforce',
      source: 'stored',
      allowed_models: ['sandbox/echo'],
      ignored_models: null,
      allowed_providers: null,
      ignored_providers: null,
      zero_retention: ['other'],
      forbidden_practices: ['paid_training'],
      filters: [
        { name: 'email', action: 'redact' },
        { name: 'Projects', action: 'block' },
      ],
    },
  );
  assert.deepEqual(rates, [
    { scope: 'key', requests_per_minute: 60, tokens_per_minute: null, parallel: 20 },
    { scope: 'service', requests_per_minute: 900, tokens_per_minute: null, parallel: null },
  ]);
  assert.deepEqual(defaults, {
    id: workspace,
    name: 'Default',
    default_text_model: 'sandbox/echo',
    default_provider_sort: null,
    disabled_server_tools: ['service:web_search'],
    plugins: [{ id: 'response-healing', enforced: true }],
  });
  assert.deepEqual(account, { zero_retention: false, plugins: [] });
});

test('it needs a management key of the account', async () => {
  const own = gateway.keyHash;
  assert.equal((await call('GET', `/keys/${own}/rules`, undefined, gateway.key)).status, 403);
  assert.equal((await call('GET', `/keys/${hashKey(manager)}/rules`)).status, 404);
  const other = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  const stranger = await gateway.createKey({
    accountId: other.id,
    kind: 'management',
    workspaceId: null,
  });
  assert.equal((await call('GET', `/keys/${own}/rules`, undefined, stranger)).status, 404);
});
