import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { type ApiAnswer, callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { createServiceAccountKey } from '../support/service-account-key.ts';

const secret = 'sk-live-7Hq2ZpXw93LmTtVbNc84';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const inService = providerOf({ slug: 'deepinfra', name: 'Deep', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [inService])] });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const newManagementKey = (fields = {}) =>
  gateway.createKey({ kind: 'management', workspaceId: null, ...fields });

/** Each test has a key of its own: a key has 60 calls a minute. */
async function begin() {
  const key = await newManagementKey();
  return async (method: string, path: string, body?: unknown, bearer = key): Promise<ApiAnswer> => {
    const answer = await callApi(gateway, bearer, method, path, body);
    assert.ok(!answer.text.includes(secret), 'never echoed');
    return answer;
  };
}

async function stored(): Promise<number> {
  const query = { accountId: gateway.account.id, offset: 0, limit: 1 };
  return (await gateway.storage.credentials.list(query)).total;
}

test('a credential is stored, shown without its secret, listed, changed and deleted', async () => {
  const call = await begin();
  const made = await call('POST', '/byok', { provider: 'deepinfra', key: ` ${secret}\n`, name: 'Main' });
  assert.equal(made.status, 200);
  checkContract('CreateBYOKKeyResponse', made.body);
  const { data } = made.body;
  assert.deepEqual(data, {
    id: data.id,
    workspace_id: gateway.account.defaultWorkspaceId,
    provider: 'deepinfra',
    name: 'Main',
    label: 'sk-...Nc84',
    disabled: false,
    is_byok_only: false,
    is_fallback: false,
    is_required: false,
    declared_zdr: null,
    declared_region: null,
    allowed_models: null,
    allowed_api_key_hashes: null,
    allowed_user_ids: null,
    sort_order: 0,
    created_at: data.created_at,
  });
  const second = await call('POST', '/byok', { provider: 'deepinfra', key: secret });
  assert.equal(second.body.data.sort_order, 1, 'the same secret again, behind the first');
  const other = await call('POST', '/byok', { provider: 'cerebras', key: 'short' });
  assert.deepEqual([other.body.data.sort_order, other.body.data.label], [0, '...']);

  const listed = await call('GET', '/byok');
  checkContract('ListBYOKKeysResponse', listed.body);
  assert.equal(listed.body.total_count, 3);
  assert.deepEqual(
    listed.body.data.map((one: { id: string }) => one.id),
    [other.body.data.id, data.id, second.body.data.id],
    'by provider, then place',
  );
  const page = await call('GET', '/byok?provider=deepinfra&offset=1&limit=1');
  assert.deepEqual([page.body.total_count, page.body.data[0].id], [2, second.body.data.id]);
  assert.deepEqual((await call('GET', `/byok/${data.id}`)).body.data, data);

  const changed = await call('PATCH', `/byok/${data.id}`, {
    key: 'sk-other-credential-0001',
    name: null,
    is_fallback: true,
    allowed_models: [],
    declared_zdr: true,
    sort_order: 7,
    provider: 'ignored',
    workspace_id: 'ignored',
  });
  checkContract('BYOKKey', changed.body.data);
  assert.deepEqual(changed.body.data, {
    ...data,
    label: 'sk-...0001',
    name: null,
    is_fallback: true,
    allowed_models: [],
    declared_zdr: true,
    sort_order: 7,
  });
  assert.deepEqual((await call('DELETE', `/byok/${data.id}`)).body, { deleted: true });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const gone = await call(method, `/byok/${data.id}`, method === 'PATCH' ? {} : undefined);
    assert.equal(gone.status, 404, method);
    assert.equal(gone.body.error.metadata.error_type, 'not_found');
  }
  assert.equal(await gateway.storage.credentials.sealed(data.id), undefined, 'wiped');
  for (const id of [second.body.data.id, other.body.data.id]) await call('DELETE', `/byok/${id}`);
});

test('rules 1 to 13: each fails with its status, names the field, and nothing is stored', async () => {
  const call = await begin();
  const plain = { provider: 'deepinfra', key: secret };
  const hash = 'a'.repeat(64);
  const many = (entry: (index: number) => string) => Array.from({ length: 101 }, (_, index) => entry(index));
  const cases: [unknown, RegExp][] = [
    ['{"key":', /^body: is not valid JSON/],
    [[plain], /^body: expected an object/],
    ['"text"', /^body: expected an object/],
    [{ ...plain, is_byok_onyl: true }, /^is_byok_onyl: unknown field/],
    [{ ...plain, [secret.repeat(2)]: true }, /^body: unknown field/],
    [{ key: secret }, /^provider: is required/],
    [{ ...plain, provider: 'Deepinfra' }, /^provider: is no provider known here/],
    [{ ...plain, provider: secret }, /^provider: is no provider known here/],
    [{ ...plain, provider: 7 }, /^provider: /],
    [{ provider: 'deepinfra' }, /^key: is missing/],
    [{ ...plain, key: '' }, /^key: is missing/],
    [{ ...plain, key: ' \n ' }, /^key: is missing/],
    [{ ...plain, key: 1234 }, /^key: is missing/],
    [{ ...plain, key: 'x'.repeat(16 * 1024 + 1) }, /^key: must be at most 16384 bytes/],
    [{ ...plain, provider: 'azure' }, /^key: has not the form/],
    [{ ...plain, key: `${secret}\r\nX-Team: other` }, /^key: .*it holds characters that cannot be sent$/],
    [{ ...plain, key: `${secret}漢` }, /^key: .*it holds characters that cannot be sent$/],
    [{ ...plain, name: 'n'.repeat(256) }, /^name: must be at most 255/],
    [{ ...plain, name: 7 }, /^name: /],
    [{ ...plain, workspace_id: 'default' }, /^workspace_id: expected the UUID/],
    [{ ...plain, workspace_id: null }, /^workspace_id: /],
    [{ ...plain, workspace_id: randomUUID() }, /^workspace_id: is no workspace of this account/],
    [{ ...plain, allowed_api_key_hashes: [] }, /^allowed_api_key_hashes: must not be empty/],
    [
      { ...plain, allowed_api_key_hashes: many(() => hash) },
      /^allowed_api_key_hashes: must have at most 100/,
    ],
    [
      { ...plain, allowed_api_key_hashes: [gateway.keyHash, secret] },
      /^allowed_api_key_hashes\[1\]: must be 64/,
    ],
    [{ ...plain, allowed_api_key_hashes: [hash.toUpperCase()] }, /^allowed_api_key_hashes\[0\]: /],
    [{ ...plain, allowed_api_key_hashes: hash }, /^allowed_api_key_hashes: expected an array/],
    [{ ...plain, allowed_api_key_hashes: [7] }, /^allowed_api_key_hashes\[0\]: expected a string/],
    [{ ...plain, allowed_models: many(String) }, /^allowed_models: must have at most 100/],
    [{ ...plain, allowed_models: [''] }, /^allowed_models\[0\]: must not be empty/],
    [{ ...plain, allowed_user_ids: many(String) }, /^allowed_user_ids: must have at most 100/],
    [{ ...plain, allowed_user_ids: [null] }, /^allowed_user_ids\[0\]: expected a string/],
    [{ ...plain, disabled: 'false' }, /^disabled: expected true or false/],
    [{ ...plain, is_fallback: null }, /^is_fallback: expected true or false/],
    [{ ...plain, is_required: 1 }, /^is_required: /],
    [{ ...plain, is_byok_only: 'yes' }, /^is_byok_only: /],
    [{ ...plain, declared_zdr: 'no' }, /^declared_zdr: expected true, false or null/],
    [{ ...plain, is_byok_only: true, is_fallback: true }, /^is_byok_only: excludes is_fallback/],
  ];
  const before = await stored();
  for (const [body, message] of cases) {
    const answer = await call('POST', '/byok', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error.message, message);
    checkContract('BadRequestResponse', answer.body);
  }
  assert.equal(await stored(), before);
  const foreign = await call('POST', '/byok', plain, gateway.key);
  assert.deepEqual([foreign.status, foreign.body.error.metadata.error_type], [403, 'permission_denied']);
  assert.equal((await call('POST', '/byok', plain, 'sk-hg-v1-none')).status, 401);
});

test('of several faults the first rule answers', async () => {
  const call = await begin();
  const faults: [string, unknown][] = [
    ['provider', 'none'],
    ['key', ''],
    ['name', 7],
    ['workspace_id', randomUUID()],
    ['allowed_api_key_hashes', ['a'.repeat(64)]],
    ['allowed_models', ['']],
    ['allowed_user_ids', ['']],
    ['disabled', 7],
  ];
  for (let first = 0; first < faults.length; first += 1) {
    const body = { provider: 'deepinfra', key: secret, ...Object.fromEntries(faults.slice(first)) };
    const { status, body: problem } = await call('POST', '/byok', body);
    const [name] = faults[first] ?? [''];
    assert.equal(status, 400);
    assert.ok(problem.error.message.startsWith(name), `${name}: ${problem.error.message}`);
  }
});

test('hashes: own keys pass, also disabled ones; all others fail in the same words; duplicates collapse', async () => {
  const call = await begin();
  const { storage, createKey, keyHash } = gateway;
  const disabled = hashKey(await createKey({ disabled: true }));
  const full = Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? keyHash : disabled));
  const made = await call('POST', '/byok', {
    provider: 'deepinfra',
    key: secret,
    allowed_api_key_hashes: full,
    allowed_models: ['acme/atlas-4', 'acme/atlas-4', 'of/nobody'],
    allowed_user_ids: [],
  });
  assert.equal(made.status, 200);
  assert.deepEqual(made.body.data.allowed_api_key_hashes, [keyHash, disabled]);
  assert.deepEqual(made.body.data.allowed_models, ['acme/atlas-4', 'of/nobody']);
  assert.deepEqual(made.body.data.allowed_user_ids, [], 'stored; matches nobody');

  const stranger = newAccount('Stranger', 'invoice', Date.now());
  await storage.accounts.create(stranger);
  const foreign = createRawKey();
  const owner = { accountId: stranger.id, workspaceId: stranger.defaultWorkspaceId, createdAt: 1 };
  await storage.keys.create(newKey(foreign, { ...owner, kind: 'inference', name: 'x' }));
  const deleted = hashKey(await createKey());
  await storage.keys.delete(deleted, Date.now());
  const management = hashKey(await newManagementKey());
  const said = new Set<string>();
  for (const hash of ['b'.repeat(64), hashKey(foreign), deleted, management]) {
    for (const hashes of [[hash], [keyHash, hash]]) {
      const body = { provider: 'deepinfra', key: secret, allowed_api_key_hashes: hashes };
      const answer = await call('POST', '/byok', body);
      assert.equal(answer.status, 400);
      said.add(JSON.stringify(answer.body));
    }
  }
  assert.equal(said.size, 1, 'indistinguishable');

  await storage.keys.delete(disabled, Date.now());
  const path = `/byok/${made.body.data.id}`;
  const kept = await call('PATCH', path, { allowed_api_key_hashes: [disabled] });
  assert.deepEqual(
    [kept.status, kept.body.data.allowed_api_key_hashes],
    [200, [disabled]],
    'a dead hash may stay',
  );
  assert.equal((await call('PATCH', path, { allowed_api_key_hashes: [management] })).status, 400);
  assert.equal((await call('PATCH', path, { allowed_api_key_hashes: [] })).status, 400);
  const freed = await call('PATCH', path, { allowed_api_key_hashes: null });
  assert.equal(freed.body.data.allowed_api_key_hashes, null);
  await call('DELETE', path);

  const theirs = await begin();
  const key = createRawKey();
  await storage.keys.create(newKey(key, { ...owner, workspaceId: null, kind: 'management', name: 'x' }));
  const mine = await theirs('POST', '/byok', { provider: 'deepinfra', key: secret });
  for (const method of ['GET', 'PATCH', 'DELETE']) {
    const body = method === 'PATCH' ? { disabled: true } : undefined;
    assert.equal((await theirs(method, `/byok/${mine.body.data.id}`, body, key)).status, 404, method);
  }
  await theirs('DELETE', `/byok/${mine.body.data.id}`);
});

test('a change obeys the rules too, rule 13 on the record as it will be', async () => {
  const call = await begin();
  const made = await call('POST', '/byok', {
    provider: 'azure',
    key: '[{"api_key":"k","resource_name":"dock"}]',
  });
  const path = `/byok/${made.body.data.id}`;
  const cases: [unknown, RegExp][] = [
    [{ colour: 1 }, /^colour: unknown field/],
    [{ key: secret }, /^key: has not the form/],
    [{ key: null }, /^key: is missing/],
    [{ disabled: null }, /^disabled: /],
    [{ sort_order: -1 }, /^sort_order: /],
    [{ sort_order: null }, /^sort_order: /],
    [{ name: 7 }, /^name: /],
    [{ is_byok_only: true, is_fallback: true }, /^is_byok_only: excludes/],
  ];
  for (const [body, message] of cases) {
    const answer = await call('PATCH', path, body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error.message, message);
  }
  assert.equal((await call('PATCH', path, { is_byok_only: true })).status, 200);
  assert.match(
    (await call('PATCH', path, { is_fallback: true })).body.error.message,
    /^is_byok_only: excludes/,
  );
  const turned = await call('PATCH', path, { is_fallback: true, is_byok_only: false });
  assert.deepEqual([turned.body.data.is_fallback, turned.body.data.is_byok_only], [true, false]);
  assert.match(
    (await call('PATCH', path, { is_byok_only: true })).body.error.message,
    /^is_byok_only: excludes/,
  );
  assert.deepEqual((await call('PATCH', path, {})).body.data, turned.body.data, 'what is absent stays');
  await call('DELETE', path);
});

test('structured credentials are checked, and known by what is no secret of them', async () => {
  const call = await begin();
  const account = JSON.parse(createServiceAccountKey({ region: 'europe-west4' }));
  const access = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: secret, region: 'eu-central-1' };
  const deployment = {
    endpoint_url:
      'https://quay.openai.azure.com/openai/deployments/a/chat/completions?api-version=2024-10-21',
    api_key: secret,
    model_id: 'a',
    model_slug: 'acme/atlas-4',
  };
  const resource = { api_key: secret, resource_name: 'harbour', resource_type: 'ai_foundry' };
  const good: [string, unknown, string][] = [
    ['azure', [resource, deployment], 'harbour'],
    ['azure', resource, 'harbour'],
    ['azure', [deployment], 'quay.openai.azure.com'],
    ['amazon-bedrock', access, 'AKIDEXAMPLE'],
    ['amazon-bedrock', 'bedrock-api-key-0123456789', 'bed...6789'],
    ['google-vertex', account, account.client_email],
    ['deepinfra', { looks: 'like JSON' }, '{"l...ON"}'],
  ];
  for (const [provider, key, label] of good) {
    const body = { provider, key: typeof key === 'string' ? key : JSON.stringify(key) };
    const made = await call('POST', '/byok', body);
    assert.deepEqual([made.status, made.body.data?.label], [200, label], JSON.stringify(made.body));
    await call('DELETE', `/byok/${made.body.data.id}`);
  }
  const { region: _region, ...placeless } = access;
  const at = (endpoint_url: string) => [{ ...deployment, endpoint_url }];
  const bad: [string, unknown][] = [
    ['azure', secret],
    ['azure', []],
    ['azure', [resource, { ...resource, resource_name: `x/${secret}` }]],
    ['azure', [{ ...resource, resource_name: '10.0.0.1' }]],
    ['azure', [{ ...resource, api_key: undefined }]],
    ['azure', [{ ...deployment, model_slug: undefined }]],
    ['azure', at('http://quay.openai.azure.com/x')],
    ['azure', at('https://127.0.0.1/x')],
    ['azure', at('https://169.254.169.254/latest')],
    ['azure', at('https://[::1]/x')],
    ['azure', at('https://localhost/x')],
    ['azure', at('https://quay.openai.azure.com:8443/x')],
    ['azure', at('https://user:pass@quay.openai.azure.com/x')],
    ['azure', at('https://quay.openai.azure.com.evil.test/x')],
    ['azure', at('https://evil.test/quay.openai.azure.com')],
    ['azure', `[{"api_key":"${secret}"`],
    ['amazon-bedrock', placeless],
    ['amazon-bedrock', { ...access, secretAccessKey: undefined }],
    ['amazon-bedrock', { ...access, region: `${secret}.evil.test` }],
    ['amazon-bedrock', { ...access, region: 'us-east-1.evil.test/' }],
    ['amazon-bedrock', `{"accessKeyId":"${secret}"`],
    ['google-vertex', secret],
    ['google-vertex', { ...account, type: 'authorized_user' }],
    ['google-vertex', { ...account, private_key: undefined }],
    ['google-vertex', { ...account, token_uri: 'https://127.0.0.1/token' }],
    ['google-vertex', { ...account, token_uri: 'http://oauth2.googleapis.com/token' }],
    ['google-vertex', { ...account, region: 'evil.test/' }],
  ];
  const before = await stored();
  for (const [provider, key] of bad) {
    const body = { provider, key: typeof key === 'string' ? key : JSON.stringify(key) };
    const answer = await call('POST', '/byok', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error.message, /^key: /);
    assert.ok(!JSON.stringify(answer.body).includes(String(account.private_key).slice(40, 80)));
  }
  assert.equal(await stored(), before);
});

test('lists say what is wrong with their query; a deleted default workspace must be replaced by a name', async () => {
  const call = await begin();
  for (const [query, message] of [
    ['limit=0', /^limit: /],
    ['limit=101', /^limit: /],
    ['limit=x', /^limit: /],
    ['limit=0x10', /^limit: /],
    ['limit=1e1', /^limit: /],
    ['offset=-1', /^offset: /],
    ['provider=none', /^provider: /],
    ['workspace_id=none', /^workspace_id: /],
    [`workspace_id=${randomUUID()}`, /^workspace_id: /],
  ] as const) {
    const answer = await call('GET', `/byok?${query}`);
    assert.equal(answer.status, 400, query);
    assert.match(answer.body.error.message, message);
  }
});

test('the terms of own credentials are told to managers', async () => {
  const call = await begin();
  const { status, body } = await call('GET', '/byok/terms');
  assert.deepEqual([status, body.data], [200, { fee_rate: 0.05, monthly_allowance_nano: '25000000000000' }]);
  assert.equal((await call('GET', '/byok/terms', undefined, gateway.key)).status, 403);
});
