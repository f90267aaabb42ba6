import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { idOf, startKeeping } from '../support/keeping-gateway.ts';

let gateway: TestGateway;
let account: ReturnType<typeof newAccount>;

before(async () => {
  const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('sandbox/echo', [sandbox])] });
  account = newAccount('Acme', 'invoice', Date.now(), 'organization');
  await gateway.storage.accounts.create(account);
  for (const userId of ['user_ada', 'user_bob']) {
    const names = { email: `${userId}@acme.example`, firstName: null, lastName: null };
    const member = { accountId: account.id, userId, ...names, role: 'org:member', createdAt: 1 } as const;
    await gateway.storage.members.add(member);
  }
});
after(() => gateway.stop());

const call = (key: string, method: string, path: string, body?: object) =>
  callApi(gateway, key, method, path, body);

/** A management key of the organization with a role, acting for a member. */
const roleKey = (role: ApiKey['role'], creatorUserId: string | null = null) =>
  gateway.createKey({ accountId: account.id, workspaceId: null, kind: 'management', role, creatorUserId });

const inferenceKey = (creatorUserId: string | null, name: string) =>
  gateway.createKey({ accountId: account.id, workspaceId: account.defaultWorkspaceId, creatorUserId, name });

const namesOf = async (key: string) =>
  (await call(key, 'GET', '/keys')).body.data.map(({ name }: { readonly name: string }) => name).toSorted();

test('an editor makes, sees, changes and deletes keys of its own person, and no others', async () => {
  const [ada, bob, owner] = [
    await roleKey('editor', 'user_ada'),
    await roleKey('editor', 'user_bob'),
    await roleKey(null),
  ];
  const made = await call(ada, 'POST', '/keys', { name: 'laptop' });
  assert.deepEqual([made.status, made.body.data.creator_user_id], [201, 'user_ada']);
  const named = await call(ada, 'POST', '/keys', { name: 'again', creator_user_id: 'user_ada' });
  assert.equal(named.status, 201);
  const others = await call(ada, 'POST', '/keys', { name: 'hers', creator_user_id: 'user_bob' });
  assert.deepEqual([others.status, others.body.error.code], [403, 403]);
  assert.match(others.body.error.message, /creator_user_id/);
  const ofNobody = hashKey(await inferenceKey(null, 'shared'));
  assert.deepEqual(await namesOf(ada), ['again', 'laptop']);
  assert.deepEqual(await namesOf(bob), []);
  assert.deepEqual(await namesOf(owner), ['again', 'laptop', 'shared']);
  const path = `/keys/${made.body.data.hash}`;
  for (const [key, at] of [
    [bob, path],
    [ada, `/keys/${ofNobody}`],
    [bob, `/keys/${ofNobody}`],
  ] as const) {
    for (const [method, where, body] of [
      ['GET', at, undefined],
      ['GET', `${at}/rules`, undefined],
      ['PATCH', at, { name: 'mine' }],
      ['POST', `${at}/rotate`, {}],
      ['DELETE', at, undefined],
    ] as const) {
      assert.equal((await call(key, method, where, body)).status, 404, `${method} ${where}`);
    }
  }
  assert.equal((await call(ada, 'PATCH', path, { name: 'desk' })).body.data.name, 'desk');
  assert.equal((await call(ada, 'POST', `${path}/rotate`, {})).status, 201);
  assert.equal((await call(ada, 'DELETE', path)).status, 200);
  assert.deepEqual(await namesOf(owner), ['again', 'shared']);
});

test('a search finds what the role may read: an editor its own keys, billing no key at all', async () => {
  await inferenceKey('user_ada', 'zebra of ada');
  await inferenceKey(null, 'zebra of everyone');
  const found = async (key: string) =>
    (await call(key, 'GET', '/search?q=zebra')).body.data.map(({ kind, name }: Record<string, string>) => [
      kind,
      name?.replace(/ \(.*/, ''),
    ]);
  assert.deepEqual(await found(await roleKey('editor', 'user_ada')), [['key', 'zebra of ada']]);
  assert.deepEqual(await found(await roleKey('billing')), []);
  assert.equal((await found(await roleKey('viewer'))).length, 2);
});

test('who may only read credentials sees no label of them, in lists and in the search', async () => {
  const [owner, viewer] = [await roleKey('owner'), await roleKey('viewer')];
  const made = await call(owner, 'POST', '/byok', { provider: 'sandbox', key: 'sk-quokka-abcdefghijklmnop' });
  assert.equal(made.status, 200);
  const { id, label } = made.body.data;
  assert.notEqual(label, '');
  const listed = await call(viewer, 'GET', '/byok');
  assert.deepEqual([listed.body.data.length, listed.body.data[0].label], [1, '']);
  const one = await call(viewer, 'GET', `/byok/${id}`);
  assert.deepEqual([one.status, one.body.data.label], [200, '']);
  const searched = await call(viewer, 'GET', `/search?q=${encodeURIComponent(label)}`);
  assert.deepEqual(searched.body.data, []);
  for (const { text } of [listed, one]) assert.ok(!text.includes(label));
});

test('a key says its role, cannot change it, and is refused with the roles that may', async () => {
  const viewer = await roleKey('viewer');
  const { body } = await call(viewer, 'GET', '/key');
  assert.equal(body.data.role, 'viewer');
  assert.equal((await call(await roleKey(null), 'GET', '/key')).body.data.role, 'owner');
  const inference = await inferenceKey(null, 'app');
  assert.ok(!('role' in (await call(inference, 'GET', '/key')).body.data));
  const refused = await call(viewer, 'POST', '/keys', { name: 'x' });
  const { permission, roles } = refused.body.error.metadata;
  assert.deepEqual([refused.status, permission, roles], [403, 'keys', ['owner', 'admin', 'editor']]);
  assert.match(
    refused.body.error.message,
    /"viewer" may not change this \(keys\): it takes owner, admin or editor/,
  );
  const owner = await roleKey('owner');
  const changed = await call(owner, 'PATCH', `/keys/${hashKey(inference)}`, { role: 'owner' });
  assert.equal(changed.status, 400);
});

test('a call that a role refuses is in the audit log', async () => {
  // Each process notes ten of an address in a minute: those of the tests above do not count here.
  const fresh = await startGateway({ models: [] });
  try {
    const boss = { kind: 'management', workspaceId: null } as const;
    const viewer = await fresh.createKey({ ...boss, role: 'viewer' });
    assert.equal((await callApi(fresh, viewer, 'GET', '/audit')).status, 403);
    // The answer does not wait for the entry.
    const entry = await eventually('the entry of the refusal', async () => {
      // A key of its own each time: one has sixty calls a minute.
      const owner = await fresh.createKey(boss);
      const noted = await callApi(fresh, owner, 'GET', `/audit?actor=${hashKey(viewer)}`);
      return noted.body.data[0];
    });
    assert.deepEqual(
      [entry.action, entry.outcome, entry.reason],
      ['api.call', 'refused', 'permission_denied'],
    );
    assert.equal(entry.object.id, 'GET /api/v1/audit');
  } finally {
    await fresh.stop();
  }
});

test('a changed role holds from the next call on, in sessions of the dashboard too', async () => {
  const key = await roleKey('viewer');
  const page = new TestBrowser(gateway.url);
  const { body } = await page.login(key);
  const [principal] = body.data.principals;
  assert.deepEqual([principal.role, principal.permissions.keys], ['manager', 'read']);
  assert.deepEqual([principal.permissions.credentials, principal.permissions.audit], ['read', 'none']);
  const make = () => page.call('POST', '/ui/api/keys', { name: 'by session' });
  const refused = await make();
  assert.deepEqual([refused.status, refused.body.error.metadata.permission], [403, 'keys']);
  await gateway.storage.keys.update(hashKey(key), { role: 'admin' }, Date.now());
  // A command is another process: this one notices within seconds.
  const deadline = Date.now() + 10_000;
  let made = await make();
  while (made.status === 403 && Date.now() < deadline) {
    await sleep(200);
    made = await make();
  }
  assert.equal(made.status, 201);
});

test('in the playground an editor runs as its own keys alone, a viewer as none', async () => {
  const own = hashKey(await inferenceKey('user_ada', 'own'));
  const other = hashKey(await inferenceKey('user_bob', 'other'));
  const run = async (key: string, as: string) => {
    const page = new TestBrowser(gateway.url);
    await page.login(key);
    const body = { model: 'sandbox/echo', input: 'hello' };
    return (await page.call('POST', '/ui/api/responses', body, { 'x-headgate-key': as })).status;
  };
  const ada = await roleKey('editor', 'user_ada');
  assert.deepEqual([await run(ada, own), await run(ada, other)], [200, 404]);
  assert.deepEqual(
    [await run(await roleKey('admin'), other), await run(await roleKey('viewer'), own)],
    [200, 403],
  );
});

test('only an owner operates: lesser roles of an operating account see their account alone', async () => {
  const first = { accountId: gateway.account.id, workspaceId: null, kind: 'management' } as const;
  const owner = await gateway.createKey(first);
  const admin = await gateway.createKey({ ...first, role: 'admin' });
  const status = async (key: string, path: string) => (await call(key, 'GET', path)).status;
  assert.deepEqual([await status(owner, '/processes'), await status(admin, '/processes')], [200, 403]);
  const all = '/usage/series?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z&bucket=1d&all_accounts=true';
  assert.deepEqual([await status(owner, all), await status(admin, all)], [200, 403]);
});

test('an editor reads what was said with its own keys, a viewer nothing, and neither deletes it', async (t) => {
  const { gateway: keeping, ask, kept } = await startKeeping(t);
  const boss = { workspaceId: null, kind: 'management' } as const;
  const editor = await keeping.createKey({ ...boss, role: 'editor', creatorUserId: 'user_ada' });
  const [viewer, admin] = [
    await keeping.createKey({ ...boss, role: 'viewer' }),
    await keeping.createKey({ ...boss, role: 'admin' }),
  ];
  const said = async (creatorUserId: string) => {
    const id = idOf(await ask('hello', await keeping.createKey({ creatorUserId })));
    await kept(id);
    return `/generation/content?id=${id}`;
  };
  const [own, other] = [await said('user_ada'), await said('user_bob')];
  const status = async (key: string, method: string, path: string) =>
    (await callApi(keeping, key, method, path)).status;
  assert.deepEqual([await status(editor, 'GET', own), await status(editor, 'GET', other)], [200, 404]);
  assert.deepEqual([await status(viewer, 'GET', own), await status(editor, 'DELETE', own)], [403, 403]);
  assert.deepEqual([await status(admin, 'GET', other), await status(admin, 'DELETE', other)], [200, 200]);
});
