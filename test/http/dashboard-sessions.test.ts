import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { hashKey } from '../../src/core/api-key.ts';
import { interfaceRows } from '../../src/interface/routes.ts';
import { createLink } from '../../src/management/sessions/sessions.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let boss: string;

before(async () => {
  const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
  gateway = await startGateway({
    models: [modelOf('sandbox/echo', [sandbox])],
    server: { corsOrigins: ['https://app.example'] },
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

const browser = () => new TestBrowser(gateway.url);

async function loggedIn(key = boss): Promise<TestBrowser> {
  const made = browser();
  assert.equal((await made.login(key)).status, 200);
  return made;
}

function setReadOnly(readOnly: boolean): void {
  const dashboard = {
    enabled: true,
    readOnly,
    allowInsecureHttp: false,
    operatorAccounts: ['another'],
    session: { idle: 7_200_000, max: 86_400_000, keyIdle: 43_200_000, keyMax: 604_800_000 },
  };
  gateway.setServer(readOnly ? { dashboard } : {});
}

test('a login gives a cookie that scripts cannot read and a token, and shows who acts', async () => {
  const page = browser();
  const { status, headers, body } = await page.login(boss);
  assert.equal(status, 200);
  const port = new URL(gateway.url).port;
  assert.match(
    headers.get('set-cookie') ?? '',
    new RegExp(`^headgate-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`),
  );
  assert.equal(headers.get('cache-control'), 'no-store');
  const [principal] = body.data.principals;
  assert.equal(principal.role, 'operator');
  assert.equal(principal.key_hash, hashKey(boss));
  assert.equal(body.data.features.read_only, false);
  const shown = await page.call('GET', '/ui/session');
  assert.equal(shown.status, 200);
  assert.equal(shown.body.data.csrf, undefined);
  assert.ok(!gateway.log.some((line) => line.includes(boss) || line.includes(page.csrf)));
});

test('the cookie alone, a foreign page and a bearer key get nothing below /ui/api', async () => {
  const page = await loggedIn();
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 200);
  const { csrf } = page;
  page.csrf = '';
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 403);
  page.csrf = 'x'.repeat(43);
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 403);
  page.csrf = csrf;
  assert.equal(
    (await page.call('GET', '/ui/api/keys', undefined, { origin: 'https://app.example' })).status,
    403,
  );
  assert.equal(
    (await page.call('GET', '/ui/api/keys', undefined, { 'sec-fetch-site': 'same-site' })).status,
    403,
  );
  assert.equal((await page.call('GET', '/ui/api/keys', undefined, { origin: gateway.url })).status, 200);
  const bearer = await fetch(`${gateway.url}/ui/api/keys`, { headers: { authorization: `Bearer ${boss}` } });
  assert.equal(bearer.status, 401);
  const cookie = await fetch(`${gateway.url}/api/v1/keys`, {
    headers: { cookie: page.cookie, 'x-headgate-csrf': csrf },
  });
  assert.equal(cookie.status, 401);
});

test('no header for other origins is sent below /ui', async () => {
  const page = await loggedIn();
  const { headers } = await page.call('GET', '/ui/api/keys', undefined, { origin: 'https://app.example' });
  assert.equal(headers.get('access-control-allow-origin'), null);
});

test('a listener of this machine answers no other name, which a page could point at it', async () => {
  const status = await new Promise((resolve, reject) => {
    const { port } = new URL(gateway.url);
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path: '/ui/session',
        method: 'POST',
        headers: { host: 'evil.example', 'content-type': 'application/json' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on('error', reject);
    sent.end('{}');
  });
  assert.equal(status, 403);
});

test('an inference key reaches its own calls, and nothing that needs a management key', async () => {
  const page = await loggedIn(gateway.key);
  assert.equal((await page.call('GET', '/ui/api/key')).body.data.is_management_key, false);
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 403);
  const answer = await page.call('POST', '/ui/api/responses', { model: 'sandbox/echo', input: 'Hello' });
  assert.equal(answer.status, 200);
});

test('a management key runs inference as a key of its account that the call names, and of no other', async () => {
  const page = await loggedIn();
  const body = { model: 'sandbox/echo', input: 'Hello' };
  const run = (headers: Record<string, string>) => page.call('POST', '/ui/api/responses', body, headers);
  assert.equal((await run({})).status, 403);
  assert.equal((await run({ 'x-headgate-key': hashKey(boss) })).status, 403);
  const ran = await run({ 'x-headgate-key': hashKey(gateway.key) });
  assert.equal(ran.status, 200);
  const record = await page.call('GET', `/ui/api/generation?id=${ran.headers.get('x-generation-id')}`);
  assert.equal(record.status, 200);
  const models = await page.call('GET', '/ui/api/models');
  assert.equal(models.status, 200);
});

test('a key that is disabled ends its session; logging out makes the cookie useless', async () => {
  const other = await gateway.createKey({ kind: 'management', workspaceId: null });
  const page = await loggedIn(other);
  const admin = await loggedIn();
  const changed = await admin.call('PATCH', `/ui/api/keys/${hashKey(other)}`, { disabled: true });
  assert.equal(changed.status, 404, 'management keys are made and ended by command');
  await gateway.storage.keys.update(hashKey(other), { disabled: true }, Date.now());
  await eventually('the end', async () => (await page.call('GET', '/ui/api/keys')).status === 401);
  const { cookie, csrf } = admin;
  assert.equal((await admin.call('DELETE', '/ui/session')).status, 200);
  Object.assign(admin, { cookie, csrf });
  assert.equal((await admin.call('GET', '/ui/session')).status, 401);
});

test('a session ends when it is unused, and in the end even when it is used', async () => {
  const page = await loggedIn();
  const id = (await page.call('GET', '/ui/session')).body.data.id;
  const [session] = (await gateway.storage.sessions.ofKey(hashKey(boss))).filter((one) =>
    one.id.startsWith(id),
  );
  assert.ok(session);
  for (const ended of [{ usedAt: Date.now() - session.idle }, { endsAt: Date.now() }]) {
    await gateway.storage.sessions.delete(session.id);
    await gateway.storage.sessions.create({ ...session, ...ended });
    assert.equal((await page.call('GET', '/ui/session')).status, 401);
  }
});

test('only what somebody does keeps a session alive', async () => {
  const page = await loggedIn();
  const id = (await page.call('GET', '/ui/session')).body.data.id;
  const find = async () =>
    (await gateway.storage.sessions.ofKey(hashKey(boss))).find((one) => one.id.startsWith(id));
  const session = await find();
  assert.ok(session);
  await gateway.storage.sessions.delete(session.id);
  const usedAt = Date.now() - 120_000;
  await gateway.storage.sessions.create({ ...session, usedAt });
  await page.call('GET', '/ui/api/keys');
  assert.equal((await find())?.usedAt, usedAt);
  await page.call('GET', '/ui/api/keys', undefined, { 'x-headgate-activity': 'user' });
  assert.ok(((await find())?.usedAt ?? 0) > usedAt);
});

test('a second key joins the session under new tokens, and calls say which one acts', async () => {
  const page = await loggedIn();
  const { cookie, csrf } = page;
  const added = await page.call('POST', '/ui/session/principals', { key: gateway.key });
  assert.deepEqual(
    added.body.data.principals.map(({ n, role }: { n: number; role: string }) => [n, role]),
    [
      [1, 'operator'],
      [2, 'key'],
    ],
  );
  const old = browser();
  Object.assign(old, { cookie, csrf });
  assert.equal((await old.call('GET', '/ui/session')).status, 401);
  assert.equal((await page.call('GET', '/ui/api/keys', undefined, { 'x-headgate-as': '2' })).status, 403);
  assert.equal((await page.call('GET', '/ui/api/keys', undefined, { 'x-headgate-as': '3' })).status, 400);
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 200);
});

test('own sessions are listed; each can be ended, and all at once', async () => {
  const key = await gateway.createKey({ kind: 'management', workspaceId: null });
  const [one, two, three] = [await loggedIn(key), await loggedIn(key), await loggedIn(key)];
  const list = await one.call('GET', '/ui/sessions');
  assert.equal(list.body.data.length, 3);
  assert.equal(list.body.data.filter(({ current }: { current: boolean }) => current).length, 1);
  const id = (await two.call('GET', '/ui/session')).body.data.id;
  assert.equal((await one.call('DELETE', `/ui/sessions/${id}`)).status, 200);
  assert.equal((await two.call('GET', '/ui/session')).status, 401);
  assert.equal((await one.call('DELETE', '/ui/sessions')).status, 200);
  assert.equal((await three.call('GET', '/ui/session')).status, 401);
});

test('a login link works once', async () => {
  const code = await createLink(hashKey(boss), 60_000, { storage: gateway.storage, clock: systemClock });
  const page = browser();
  assert.equal((await page.call('POST', '/ui/session', { code })).status, 200);
  assert.equal((await page.call('GET', '/ui/api/keys')).status, 200);
  assert.equal((await browser().call('POST', '/ui/session', { code })).status, 401);
  assert.ok(!gateway.log.some((line) => line.includes(code)));
});

test('read_only refuses every change but lets a plan be asked for', async () => {
  const page = await loggedIn();
  setReadOnly(true);
  try {
    assert.equal((await page.call('POST', '/ui/api/keys', { name: 'x' })).status, 403);
    const plan = { model: 'sandbox/echo', input: 'Hello' };
    const planned = await page.call('POST', '/ui/api/responses/plan', plan, {
      'x-headgate-key': hashKey(gateway.key),
    });
    assert.equal(planned.status, 200);
    const { principals, features } = (await page.call('GET', '/ui/session')).body.data;
    assert.deepEqual([principals[0].role, features.read_only], ['manager', true]);
  } finally {
    setReadOnly(false);
  }
});

test('read_only refuses all that changes, costs or asks a provider, by any route', async (t) => {
  const [boss, runner] = [await loggedIn(), await loggedIn(gateway.key)];
  setReadOnly(true);
  t.after(() => setReadOnly(false));
  const asRunner = { 'x-headgate-key': hashKey(gateway.key) };
  const plan = { model: 'sandbox/echo', input: 'Hello' };
  const classifying = [
    'classify=true',
    'classify=TRUE',
    '%63lassify=true',
    'x=1&classify=true&classify=true',
  ];
  for (const query of classifying) {
    const path = `/ui/api/responses/plan?${query}`;
    for (const page of [boss, runner]) {
      const { status, body } = await page.call('POST', path, plan, asRunner);
      assert.equal(status, 403, query);
      assert.match(body.error.message, /read-only.*leave out "classify"/);
    }
  }
  let refused = 0;
  for (const { method, path, access } of interfaceRows) {
    if (method === 'GET' || access === 'open' || path.endsWith('/responses/plan')) continue;
    const at = path.replace('/api/v1', '/ui/api').replaceAll(/\{\w+\}/g, 'one');
    const { status, body } = await boss.call(method, at, method === 'DELETE' ? undefined : {}, asRunner);
    assert.deepEqual([status, /read-only/.test(body?.error?.message)], [403, true], `${method} ${path}`);
    refused += 1;
  }
  assert.ok(refused >= 40, String(refused));
});

test('a session opens no WebSocket: a key for it comes by header alone', async () => {
  for (const page of [await loggedIn(), await loggedIn(gateway.key)]) {
    const address = `${gateway.url.replace('http', 'ws')}/ui/api/responses`;
    const socket = new WebSocket(address, {
      headers: {
        cookie: page.cookie,
        'x-headgate-csrf': page.csrf,
        'x-headgate-key': hashKey(gateway.key),
        'sec-fetch-site': 'same-origin',
      },
    });
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal(response.statusCode, 403);
    response.resume();
  }
});

test('login and logout stand in the audit log', async () => {
  const key = await gateway.createKey({ kind: 'management', workspaceId: null });
  const page = await loggedIn(key);
  await page.call('DELETE', '/ui/session');
  const again = await loggedIn(key);
  const { body } = await again.call('GET', '/ui/api/audit?object_type=session&limit=2');
  assert.deepEqual(
    body.data.map(({ action }: { action: string }) => action),
    ['session.create', 'session.delete'],
  );
});

test('the sixth wrong key in a minute has to wait, and unknown, disabled and expired keys look the same', async () => {
  const disabled = await gateway.createKey({ kind: 'management', workspaceId: null, disabled: true });
  const expired = await gateway.createKey({ kind: 'management', workspaceId: null, expiresAt: 1 });
  const texts = new Set<string>();
  const statuses: number[] = [];
  for (const key of [
    'wrong',
    disabled,
    expired,
    'wrong',
    'wrong',
    'wrong',
    'wrong',
    'wrong',
    'wrong',
    'wrong',
    'wrong',
  ]) {
    const { status, body } = await browser().login(key);
    statuses.push(status);
    if (status === 401) texts.add(body.error.message);
  }
  assert.equal(texts.size, 1);
  // A minute may turn in between; then it is five of the next one.
  assert.ok(statuses.includes(429));
  assert.ok(statuses.filter((status) => status === 401).length <= 10);
  assert.equal((await browser().login(boss)).status, 429);
});

test('without a dashboard nothing is below /ui', async () => {
  const bare = await startGateway({
    models: [],
    server: {
      dashboard: {
        enabled: false,
        readOnly: false,
        allowInsecureHttp: false,
        operatorAccounts: [],
        session: { idle: 1, max: 1, keyIdle: 1, keyMax: 1 },
      },
    },
  });
  try {
    for (const path of ['/ui/session', '/ui/api/keys', '/ui/sessions']) {
      assert.equal((await fetch(bare.url + path)).status, 404, path);
    }
  } finally {
    await bare.stop();
  }
});
