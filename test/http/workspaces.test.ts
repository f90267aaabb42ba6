import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { type ApiAnswer, callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract, checkContractAt } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let managementKey: string;

before(async () => {
  const provider = providerOf({ slug: 'deepinfra', baseUrl: 'http://127.0.0.1:1/v1' });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [provider])] });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

function call(method: string, path: string, body?: unknown, key = managementKey): Promise<ApiAnswer> {
  return callApi(gateway, key, method, path, body);
}

test('a workspace is made, found by id and slug, changed and deleted; keys and credentials live in it', async () => {
  const made = await call('POST', '/workspaces', { name: 'Team North', slug: 'team-north' });
  assert.equal(made.status, 201);
  checkContract('CreateWorkspaceResponse', made.body);
  const { data } = made.body;
  assert.match(
    data.default_guardrail_id,
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
  assert.deepEqual([data.io_logging_sampling_rate, data.updated_at, data.description], [1, null, null]);
  for (const id of [data.id, 'team-north']) {
    const found = await call('GET', `/workspaces/${id}`);
    assert.deepEqual(found.body.data, data);
    checkContract('GetWorkspaceResponse', found.body);
  }
  const listed = await call('GET', '/workspaces');
  checkContract('ListWorkspacesResponse', listed.body);
  assert.equal(listed.body.total_count, 2);
  assert.equal(listed.body.data[0].id, gateway.account.defaultWorkspaceId, 'oldest first');
  assert.equal((await call('GET', '/workspaces?offset=1&limit=1')).body.data[0].id, data.id);

  const { body: key } = await call('POST', '/keys', { name: 'k', workspace_id: data.id });
  const numbers = [key.data.number];
  const changed = await call('PATCH', '/workspaces/team-north', {
    slug: 'north',
    description: 'Up there',
    default_provider_sort: 'latency',
    disabled_server_tools: ['service:web_search'],
    io_logging_sampling_rate: 0.5,
    io_logging_api_key_ids: numbers,
    is_observability_broadcast_enabled: true,
  });
  checkContract('UpdateWorkspaceResponse', changed.body);
  assert.deepEqual(changed.body.data, {
    ...data,
    slug: 'north',
    description: 'Up there',
    default_provider_sort: 'latency',
    disabled_server_tools: ['service:web_search'],
    io_logging_sampling_rate: 0.5,
    io_logging_api_key_ids: numbers,
    is_observability_broadcast_enabled: true,
    updated_at: changed.body.data.updated_at,
  });
  const cleared = await call('PATCH', '/workspaces/north', { disabled_server_tools: [], description: null });
  assert.deepEqual(
    [cleared.body.data.disabled_server_tools, cleared.body.data.description],
    [undefined, null],
  );

  assert.equal(key.data.workspace_id, data.id);
  assert.equal((await call('GET', `/keys?workspace_id=${data.id}`)).body.data.length, 1);
  assert.equal((await call('GET', '/key', undefined, key.key)).body.data.workspace_id, data.id);
  assert.equal((await call('GET', `/activity?workspace_id=${data.id}`)).status, 200);
  assert.equal((await call('GET', `/activity?workspace_id=${randomUUID()}`)).status, 404);
  const credential = await call('POST', '/byok', {
    provider: 'deepinfra',
    key: 'k-1',
    workspace_id: data.id,
  });
  assert.equal(credential.body.data.workspace_id, data.id);
  assert.equal((await call('GET', `/byok?workspace_id=${data.id}`)).body.total_count, 1);
  assert.equal((await call('GET', '/byok')).body.total_count, 0, 'not in the default one');

  const busy = await call('DELETE', '/workspaces/north');
  assert.equal(busy.status, 400);
  assert.match(busy.body.error.message, /active keys/);
  assert.equal((await call('PATCH', `/keys/${key.data.hash}`, { disabled: true })).status, 200);
  const gone = await call('DELETE', '/workspaces/north');
  assert.deepEqual([gone.status, gone.body], [200, { deleted: true }]);
  checkContract('DeleteWorkspaceResponse', gone.body);
  assert.equal((await call('DELETE', '/workspaces/north')).status, 404);
  assert.equal((await call('GET', `/workspaces/${data.id}`)).status, 404);
  assert.equal((await call('GET', `/byok/${credential.body.data.id}`)).status, 404, 'went with it');
  assert.equal(await gateway.storage.credentials.sealed(credential.body.data.id), undefined, 'wiped');
  const kept = await call('PATCH', `/keys/${key.data.hash}`, { disabled: false });
  checkContractAt('/paths/~1keys~1{hash}/patch/responses/200/content/application~1json/schema', kept.body);
  assert.equal(kept.body.data.workspace_id, data.id, 'the record says where it was');
  assert.equal((await call('GET', '/key', undefined, key.key)).body.data.workspace_id, null, 'gone');
  assert.equal(
    (await call('POST', '/workspaces', { name: 'Again', slug: 'north' })).status,
    201,
    'free again',
  );
});

test('an id in capitals is the same id, wherever a workspace is named by it', async () => {
  const id = String(gateway.account.defaultWorkspaceId);
  const capitals = id.toUpperCase();
  const key = await call('POST', '/keys', { name: 'k', workspace_id: capitals });
  assert.deepEqual([key.status, key.body.data?.workspace_id], [201, id]);
  const credential = await call('POST', '/byok', {
    provider: 'deepinfra',
    key: 'k-1',
    workspace_id: capitals,
  });
  assert.deepEqual([credential.status, credential.body.data?.workspace_id], [200, id]);
  assert.equal((await call('GET', `/workspaces/${capitals}`)).body.data?.id, id);
  for (const path of ['/keys', '/byok', '/activity']) {
    assert.equal((await call('GET', `${path}?workspace_id=${capitals}`)).status, 200, path);
  }
});

test('bad bodies name the member; slugs are unique in an account only', async () => {
  const plain = { name: 'a', slug: 'a' };
  const cases: [unknown, RegExp][] = [
    [{ slug: 'a' }, /^name: /],
    [{ name: 'a' }, /^slug: /],
    [{ ...plain, name: '' }, /^name: /],
    [{ ...plain, name: 'n'.repeat(101) }, /^name: /],
    [{ ...plain, slug: 'A' }, /^slug: /],
    [{ ...plain, slug: '-a' }, /^slug: /],
    [{ ...plain, slug: 'a--b' }, /^slug: /],
    [{ ...plain, slug: 'a'.repeat(51) }, /^slug: /],
    [{ ...plain, slug: 'default' }, /^slug: another workspace/],
    [{ ...plain, description: 'd'.repeat(501) }, /^description: /],
    [{ ...plain, default_provider_sort: 'luck' }, /^default_provider_sort: /],
    [{ ...plain, io_logging_sampling_rate: 0 }, /^io_logging_sampling_rate: /],
    [{ ...plain, io_logging_api_key_ids: [1.5] }, /^io_logging_api_key_ids\[0\]: /],
    [{ ...plain, disabled_server_tools: ['shell'] }, /^disabled_server_tools\[0\]: /],
    [{ ...plain, colour: 'red' }, /^colour: /],
  ];
  for (const [body, message] of cases) {
    const answer = await call('POST', '/workspaces', body);
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.match(answer.body.error.message, message);
  }
  assert.match((await call('PATCH', '/workspaces/north', { slug: 'default' })).body.error.message, /^slug: /);
  assert.equal((await call('GET', '/workspaces', undefined, gateway.key)).status, 403);
  const stranger = newAccount('Stranger', 'invoice', Date.now());
  await gateway.storage.accounts.create(stranger);
  assert.equal((await call('GET', `/workspaces/${stranger.defaultWorkspaceId}`)).status, 404);
});

test('the default workspace goes only when that is confirmed; then one has to be named', async () => {
  const other = await startGateway({ models: [] });
  const key = await other.createKey({ kind: 'management', workspaceId: null });
  const ask = (method: string, path: string, body?: unknown) => callApi(other, key, method, path, body);
  try {
    const { id } = (await ask('POST', '/workspaces', { name: 'B', slug: 'b' })).body.data;
    const confirmed = '/workspaces/default?confirm_default_workspace_deletion=true';
    assert.match((await ask('DELETE', confirmed)).body.error.message, /active keys/);
    await ask('DELETE', `/keys/${other.keyHash}`);
    const refused = await ask('DELETE', '/workspaces/default');
    assert.deepEqual(
      [refused.status, refused.body.error.message.split(':')[0]],
      [400, 'confirm_default_workspace_deletion'],
    );
    assert.equal((await ask('DELETE', confirmed)).status, 200);
    const credential = { provider: 'openai', key: 'sk-whatever-this-is' };
    for (const [method, path, body] of [
      ['POST', '/byok', credential],
      ['GET', '/byok', undefined],
      ['POST', '/keys', { name: 'k' }],
      ['GET', '/keys', undefined],
    ] as const) {
      const answer = await ask(method, path, body);
      assert.equal(answer.status, 400, `${method} ${path}`);
      assert.match(answer.body.error.message, /^workspace_id: the default workspace was deleted/);
    }
    assert.equal((await ask('POST', '/byok', { ...credential, workspace_id: id })).status, 200);
    assert.equal((await ask('GET', `/byok?workspace_id=${id}`)).body.total_count, 1);
  } finally {
    await other.stop();
  }
});

test('half a character in what is sent is in no answer: many readers of JSON refuse all of it', async () => {
  const sent: [string, object, RegExp][] = [
    ['/workspaces', { name: 'cut \ud83d', slug: 'cut' }, /"name":"cut \ufffd"/],
    ['/keys', { name: '\ude00 cut' }, /"name":"\ufffd cut"/],
    ['/byok', { provider: 'deepinfra', key: 'dk-1234567890', name: '\ud83d' }, /"name":"\ufffd"/],
    ['/responses/plan', { model: '\ud83d/x', input: 'Hello' }, /The model \\"\ufffd\/x\\"/],
  ];
  for (const [path, body, expected] of sent) {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${path.startsWith('/resp') ? gateway.key : managementKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    assert.match(await response.text(), expected, path);
  }
});
