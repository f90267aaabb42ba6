import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { callApi } from '../support/call-api.ts';
import { startBackend, startBroadcasting } from '../support/destination-backend.ts';
import { startGuarded } from '../support/guarded-gateway.ts';

const path = '/observability/destinations';

describe('destinations are managed', () => {
  test('a created one is shown with masks, and with all that the contract names', async (t) => {
    const { backend, manage, gateway } = await startBroadcasting(t);
    const made = await manage('POST', path, {
      type: 'langfuse',
      name: 'Traces',
      config: {
        secretKey: 'sk-lf-0123456789',
        publicKey: 'pk-1',
        baseUrl: backend.url,
        headers: { 'X-A': 'long-header-secret' },
      },
      sampling_rate: 0.5,
    });
    assert.equal(made.status, 201);
    const { id, created_at: created, updated_at: updated, ...rest } = made.body.data;
    assert.equal(created, updated);
    assert.deepEqual(rest, {
      workspace_id: gateway.account.defaultWorkspaceId,
      type: 'langfuse',
      name: 'Traces',
      enabled: true,
      privacy_mode: false,
      broadcast_generation_cost: false,
      broadcast_generation_identity: false,
      broadcast_generation_request_context: false,
      sampling_rate: 0.5,
      api_key_hashes: null,
      filter_rules: null,
      config: {
        secretKey: '****6789',
        publicKey: 'pk-1',
        baseUrl: backend.url,
        headers: { 'X-A': '****cret' },
      },
      state: null,
    });
    assert.deepEqual((await manage('GET', `${path}/${id}`)).body.data, made.body.data);
    const listed = await manage('GET', path);
    assert.deepEqual(listed.body, { data: [made.body.data], total_count: 1 });
  });

  test('a change keeps what is masked, tests a new config, and leaves the type alone', async (t) => {
    const { backend, manage, create, ask } = await startBroadcasting(t);
    const config = { secretKey: 'sk-lf-0123456789', publicKey: 'pk-1', baseUrl: backend.url };
    const id = await create({ type: 'langfuse', config });
    const { body } = await manage('GET', `${path}/${id}`);
    const tests = backend.tests.length;
    const renamed = await manage('PATCH', `${path}/${id}`, { name: 'Other' });
    assert.equal(renamed.body.data.name, 'Other');
    assert.equal(backend.tests.length, tests, 'a name needs no test');
    const changed = await manage('PATCH', `${path}/${id}`, {
      config: { ...body.data.config, publicKey: 'pk-2' },
    });
    assert.equal(changed.status, 200);
    assert.equal(backend.tests.length, tests + 1);
    await ask('Hello');
    const [first] = await backend.wait(1);
    const credential = Buffer.from('pk-2:sk-lf-0123456789').toString('base64');
    assert.equal(first?.headers.authorization, `Basic ${credential}`);
    assert.equal((await manage('PATCH', `${path}/${id}`, { type: 'webhook' })).status, 400);
    backend.answer = { status: 401 };
    const refused = await manage('PATCH', `${path}/${id}`, { config: { publicKey: 'pk-3' } });
    assert.equal(refused.status, 400);
    assert.equal((await manage('GET', `${path}/${id}`)).body.data.config.publicKey, 'pk-2');
    await manage('PATCH', `${path}/${id}`, { enabled: false });
    assert.equal((await manage('PATCH', `${path}/${id}`, { enabled: true })).status, 400, 'tested again');
  });

  test('nothing is stored unless the test passes, and nothing of the answer is shown', async (t) => {
    const { backend, manage } = await startBroadcasting(t);
    backend.answer = { status: 403, body: 'internal-secret-of-the-backend' };
    const refused = await manage('POST', path, {
      type: 'otel-collector',
      name: 'x',
      config: { endpoint: backend.url },
    });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /did not accept the test \(status 403\)/);
    assert.ok(!refused.text.includes('internal-secret'));
    backend.answer = { status: 400 };
    const hook = { type: 'webhook', name: 'x', config: { url: backend.url } };
    assert.equal((await manage('POST', path, hook)).status, 201, 'a webhook may not know an empty export');
    assert.equal((await manage('GET', path)).body.total_count, 1);
  });

  test('what is wrong is named', async (t) => {
    const { backend, manage, gateway } = await startBroadcasting(t);
    const good = { type: 'otel-collector', name: 'x', config: { endpoint: backend.url } };
    const groups = (...rules: object[]) => ({ ...good, filter_rules: { groups: [{ rules }] } });
    const wrong: readonly (readonly [object, RegExp])[] = [
      [
        { ...good, type: 'snowflake' },
        /type.*is none that is sent to; expected otel-collector, webhook, langfuse/,
      ],
      [{ ...good, type: 'constructor' }, /is none that is sent to/],
      [{ ...good, config: {} }, /config\.endpoint.*is missing/],
      [{ ...good, config: { endpoint: backend.url, colour: 'red' } }, /config\.colour.*is unknown/],
      [{ ...good, config: { endpoint: 'ftp://x' } }, /config\.endpoint.*expected an https address/],
      [{ ...good, config: { endpoint: 'https://user:pw@x.example' } }, /user name or password/],
      [{ ...good, config: { endpoint: backend.url, headers: { Host: 'x' } } }, /Host.*is set by the gateway/],
      [
        { ...good, config: { endpoint: backend.url, headers: { 'X-A': 'a\r\nb: c' } } },
        /that a header can hold/,
      ],
      [{ ...good, sampling_rate: 0 }, /sampling_rate/],
      [{ ...good, api_key_hashes: [] }, /api_key_hashes/],
      [{ ...good, api_key_hashes: ['a'.repeat(64)] }, /no inference key of this account/],
      [{ ...good, regions: [] }, /regions/],
      [groups({ field: 'colour', operator: 'equals', value: 'x' }), /field.*expected model/],
      [groups({ field: 'model', operator: 'gt', value: 'x' }), /operator.*expected equals/],
      [groups({ field: 'total_cost', operator: 'gt', value: 'x' }), /value.*expected a number/],
      [groups({ field: 'model', operator: 'exists', value: 'x' }), /exists takes none/],
      [groups({ field: 'model', operator: 'equals' }), /value.*is missing/],
      [groups({ field: 'input', operator: 'regex', value: '(a+)+' }), /filter_rules/],
      [groups({ field: 'input', operator: 'regex', value: 'x'.repeat(257) }), /256 characters/],
      [
        { ...good, type: 'webhook', config: { url: backend.url, signingSecret: 'x' } },
        /leave it out to have one made/,
      ],
      [
        {
          ...good,
          type: 'clickhouse',
          config: { host: backend.url, database: 'a; DROP', username: 'u', password: 'p' },
        },
        /config\.database.*another form/,
      ],
    ];
    for (const [body, message] of wrong) {
      const answer = await manage('POST', path, body);
      assert.equal(answer.status, 400, JSON.stringify(body));
      assert.match(answer.body.error.message, message);
    }
    assert.equal(backend.tests.length, 0);
    assert.equal((await callApi(gateway, gateway.key, 'GET', path)).status, 403, 'a key for models may not');
  });

  test('the sixth of a type is one too many, and those of others are not there', async (t) => {
    const { backend, manage, create, gateway } = await startBroadcasting(t);
    const ids = await Promise.all([1, 2, 3, 4, 5].map(() => create()));
    const sixth = await manage('POST', path, {
      type: 'otel-collector',
      name: 'x',
      config: { endpoint: backend.url },
    });
    assert.equal(sixth.status, 409);
    assert.match(sixth.body.error.message, /at most 5 destinations of the type otel-collector; delete one/);
    const stranger = newAccount('Stranger', 'invoice', Date.now());
    await gateway.storage.accounts.create(stranger);
    const key = await gateway.createKey({ kind: 'management', accountId: stranger.id, workspaceId: null });
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'mine' } : undefined;
      assert.equal((await callApi(gateway, key, method, `${path}/${ids[0]}`, body)).status, 404);
    }
    assert.equal((await callApi(gateway, key, 'GET', path)).body.total_count, 0);
    assert.equal((await manage('DELETE', `${path}/${ids[0]}`)).body.deleted, true);
    assert.equal((await manage('GET', `${path}/${ids[0]}`)).status, 404);
    await create();
  });

  test('secrets are in no table, no answer and no entry of the audit log', async (t) => {
    const { backend, manage, create, gateway } = await startBroadcasting(t);
    const config = { secretKey: 'sk-lf-very-secret', publicKey: 'pk-1', baseUrl: backend.url };
    const id = await create({ type: 'langfuse', config });
    await manage('PATCH', `${path}/${id}`, { config: { secretKey: 'sk-lf-other-secret' } });
    const entries = (await manage('GET', '/audit?object_type=destination')).text;
    assert.match(entries, /destination\.create/);
    assert.match(entries, /"config":\{"changed":true,"set":true\}/);
    const stored = JSON.stringify(await gateway.storage.destinations.active());
    for (const text of [entries, stored, gateway.log.join('')]) {
      assert.ok(!text.includes('very-secret') && !text.includes('other-secret'));
    }
    await manage('DELETE', `${path}/${id}`);
    assert.equal(await gateway.storage.destinations.sealed(id), undefined);
  });

  test('a workspace takes its destinations with it', async (t) => {
    const { backend, manage, create } = await startBroadcasting(t);
    const other = await manage('POST', '/workspaces', { name: 'Other', slug: 'other' });
    const { id } = other.body.data;
    await create({ workspace_id: id });
    assert.equal((await manage('GET', `${path}?workspace_id=${id}`)).body.total_count, 1);
    assert.equal((await manage('DELETE', `/workspaces/${id}`)).status, 200);
    assert.equal((await manage('GET', path)).body.total_count, 0);
    assert.equal(backend.taken.length, 0);
  });
});

describe('destinations reach nothing but what they may', () => {
  const endpoints = {
    'http at a public name': 'http://collector.example.com',
    loopback: 'https://127.0.0.1:4318',
    'an address of a cloud': 'https://169.254.169.254',
    'a private network': 'https://10.0.0.7',
    'a local name': 'https://localhost',
    'v4 in v6': 'https://[::ffff:127.0.0.1]',
  };
  for (const [name, endpoint] of Object.entries(endpoints)) {
    test(`not ${name}`, async (t) => {
      const { manage, stop } = await startGuarded();
      t.after(stop);
      const answer = await manage('POST', path, { type: 'otel-collector', name: 'x', config: { endpoint } });
      assert.equal(answer.status, 400);
      const { message } = answer.body.error;
      assert.match(message, /its address is not allowed|its host was not found/);
    });
  }

  test('not along a redirect', async (t) => {
    const { backend, manage } = await startBroadcasting(t);
    const inner = await startBackend(t);
    backend.answer = { status: 302, headers: { location: inner.url } };
    const answer = await manage('POST', path, {
      type: 'otel-collector',
      name: 'x',
      config: { endpoint: backend.url },
    });
    assert.equal(answer.status, 400);
    assert.match(answer.body.error.message, /status 302/);
    assert.equal(inner.tests.length + inner.taken.length, 0);
  });

  test('none at all where the operator wants none', async (t) => {
    const { backend, manage } = await startBroadcasting(t, { destinations: { enabled: false } });
    const answer = await manage('POST', path, {
      type: 'otel-collector',
      name: 'x',
      config: { endpoint: backend.url },
    });
    assert.equal(answer.status, 400);
    assert.match(answer.body.error.message, /observability\.destinations\.enabled/);
  });
});
