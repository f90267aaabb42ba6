import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ConfigState } from '../../src/config/config-state.ts';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { ConfigTexts } from '../support/config-texts.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

/** What routes answer, by their names in the published document. */
const schemas = {
  '/processes': 'ProcessList',
  '/risks': 'RiskList',
  '/alerts': 'AlertList',
  '/config': 'Configuration',
} as const;
const paths = Object.keys(schemas) as (keyof typeof schemas)[];

const configState = new ConfigState({ warnings: ['f:1: a: is old'], sources: new Map() }, {}, 1_000);
let upstream: Awaited<ReturnType<typeof startFakeUpstream>>;
let gateway: TestGateway;
/** Of the oldest account, which operates the installation. */
let operator: string;
/** A management key of another account. */
let manager: string;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.'), steps: [] });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    parts: { reportPause: 20, configState },
  });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  const other = newAccount('Other', 'prepaid', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  manager = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management', name: 'boss' }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function get(path: keyof typeof schemas, key = operator) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  const json = (await response.json()) as any;
  if (response.ok) checkPublished(schemas[path], json);
  return { status: response.status, body: json };
}

test('operators alone read how the installation is, by key and by session', async () => {
  for (const path of paths) {
    const statuses = await Promise.all([operator, manager, gateway.key].map((key) => get(path, key)));
    assert.deepEqual(
      statuses.map(({ status }) => status),
      [200, 403, 403],
      path,
    );
    assert.match(statuses[1]?.body.error.message, /operator_accounts/);
    const unknown = await fetch(`${gateway.url}/api/v1${path}`);
    assert.equal(unknown.status, 401);
    await unknown.text();
    for (const [key, expected] of [
      [operator, 200],
      [manager, 403],
      [gateway.key, 403],
    ] as const) {
      const browser = new TestBrowser(gateway.url);
      await browser.login(key);
      assert.equal((await browser.call('GET', `/ui/api${path}`)).status, expected, path);
    }
  }
});

test('the process that answers tells how it is now, and has reported itself', async () => {
  const stored = await eventually('a report', async () => {
    const reports = await gateway.storage.processes.list();
    return reports[0]?.figures?.databaseTime === null ? undefined : reports[0];
  });
  const { body } = await get('/processes');
  assert.equal(body.data.length, 1);
  const [own] = body.data;
  assert.deepEqual(
    [own.id, own.pid, own.is_own, own.is_lost, own.figures.state],
    [stored.id, process.pid, true, false, 'ready'],
  );
  assert.deepEqual(own.figures.dependencies, { database: 'ok', journal: 'ok', shared_state: 'ok' });
  assert.ok(own.figures.resident_bytes > own.figures.heap_used_bytes);
  assert.ok(own.figures.heap_limit_bytes > own.figures.heap_used_bytes);
  assert.ok(own.figures.event_loop_busy >= 0 && own.figures.event_loop_busy <= 1);
  assert.equal(own.figures.running, 0);
});

test('a process that reports nothing any more is lost, one of another version and clock is told of', async (t) => {
  const { processes } = gateway.storage;
  t.after(async () => {
    await processes.leave('proc_dead');
    await processes.leave('proc_ahead');
  });
  const [own] = await eventually('a report', async () => {
    const reports = await processes.list();
    return reports.length > 0 ? reports : undefined;
  });
  assert.ok(own);
  assert.ok(own.figures);
  const figures = {
    ...own.figures,
    waitingCharges: 7,
    loopBusy: 0.95,
    dependencies: { database: 'ok', journal: 'no_room', shared_state: 'unreachable' },
  };
  const now = Date.now();
  await processes.report({ ...own, id: 'proc_dead', pid: 11, seenAt: now - 60_000 });
  await processes.report({
    ...own,
    id: 'proc_ahead',
    pid: 12,
    version: '9.9.9',
    seenAt: now + 60_000,
    figures,
  });
  const { body } = await get('/processes');
  assert.deepEqual(
    body.data.map((one: { id: string; is_lost: boolean }) => [one.id, one.is_lost]).toSorted(),
    [
      [own.id, false],
      ['proc_ahead', false],
      ['proc_dead', true],
    ].toSorted(),
  );
  const texts: readonly string[] = (await get('/risks')).body.data.map(({ text }: { text: string }) => text);
  assert.ok(
    texts.slice(0, 2).some((text) => /^Process 11 on .* was last heard of [6-9]\d s ago/.test(text)),
    texts.join('\n'),
  );
  assert.ok(texts.some((text) => /Process 12 on .* has a clock that is \d\d s ahead/.test(text)));
  assert.ok(texts.some((text) => text.startsWith('Processes run different versions:')));
  for (const words of [/refuses what is counted there$/, /no room on its disk/, /has 7 charges/, /busy 95 %/])
    assert.ok(
      texts.some((text) => text.startsWith('Process 12 ') && words.test(text)),
      `${words}`,
    );
});

test('risks repeat what the configuration was warned of and refused for, the worst first', async () => {
  const risks = async () =>
    (await get('/risks')).body.data.map(
      (one: { level: string; text: string }) => `${one.level}: ${one.text}`,
    );
  assert.deepEqual(
    (await risks()).filter((line: string) => line.includes('is old')),
    ['warning: f:1: a: is old'],
  );
  configState.refused(['f:2: b: is wrong'], 5_000);
  configState.changed({ warnings: [], sources: new Map() }, ['server'], 6_000);
  assert.ok((await risks()).some((line: string) => line.endsWith('waits for a restart: server')));
  configState.refused(['f:2: b: is wrong'], 7_000);
  const [first] = await risks();
  assert.equal(
    first,
    'problem: The configuration file is not in use since 1970-01-01T00:00:07.000Z, the one before it is: f:2: b: is wrong',
  );
  configState.unchanged();
  const after = await risks();
  assert.ok(!after.some((line: string) => /is wrong|restart/.test(line)), after.join('\n'));
  assert.ok(after.some((line: string) => line.startsWith('note: Nobody is told')));
});

test('alerts are listed for seven days with what became of them', async () => {
  const { alerts } = gateway.storage;
  const body = JSON.stringify({ type: 'key.limit', data: { limit_usd: 10, object: { name: 'batch' } } });
  const alert = (id: string, createdAt: number) => ({
    ...{ id, type: 'key.limit', subject: id, threshold: '1', window: 'total', body },
    ...{ createdAt, expiresAt: null },
  });
  const now = Date.now();
  await alerts.raise(alert('evt_new', now - 1_000));
  await alerts.raise(alert('evt_sent', now - 2_000));
  await alerts.raise(alert('evt_old', now - 8 * 86_400_000));
  await alerts.delivered('evt_sent', now);
  const { body: answer } = await get('/alerts');
  assert.equal(answer.enabled, false);
  assert.deepEqual(
    answer.data.map(({ id, state, data }: { id: string; state: string; data: { limit_usd: number } }) => [
      id,
      state,
      data.limit_usd,
    ]),
    [
      ['evt_new', 'waiting', 10],
      ['evt_sent', 'delivered', 10],
    ],
  );
});

test('a process that ends in order leaves the list', async () => {
  const { storage } = gateway;
  const left: string[] = [];
  const other = await startGateway({
    models: [],
    parts: { reportPause: 10 },
  });
  const leave = other.storage.processes.leave.bind(other.storage.processes);
  other.storage.processes.leave = async (id) => {
    left.push(id);
    await leave(id);
  };
  const [reported] = await eventually('a report', async () => {
    const reports = await other.storage.processes.list();
    return reports.length > 0 ? reports : undefined;
  });
  await other.stop();
  assert.deepEqual(left, [reported?.id]);
  assert.ok(storage.writable);
});

test('the configuration in use is shown with the places of its values, and nothing secret', async (t) => {
  const texts = new ConfigTexts();
  const text = `alerts:
  webhook: http://127.0.0.1:9/hook
  secret: whsec_${Buffer.alloc(24, 7).toString('base64')}
providers:
  north: { adapter: openai-chat, base_url: "https://north.example/v1", api_key: "\${NORTH_KEY}" }
database: { url: "postgres://gate:very-secret-word@db.example/gate" }
`;
  const environment = { NORTH_KEY: 'key-of-the-north', HEADGATE_PORT: '0' };
  const loaded = await texts.load(text, environment);
  const state = new ConfigState(loaded, environment, 1_000);
  const other = await startGateway({ models: [], config: loaded.config, parts: { configState: state } });
  t.after(() => other.stop());
  const key = await other.createKey({ kind: 'management', workspaceId: null });
  const read = async () => {
    const answer = await other.get('/api/v1/config', { authorization: `Bearer ${key}` });
    const json = await answer.text();
    checkPublished('Configuration', JSON.parse(json));
    assert.doesNotMatch(json, /very-secret-word|key-of-the-north|whsec_/);
    return JSON.parse(json).data;
  };
  const data = await read();
  const values = new Map<string, { value: string; source: string | null }>(
    data.values.map((one: { key: string; value: string; source: string | null }) => [one.key, one]),
  );
  const shown = (name: string) => [values.get(name)?.value, values.get(name)?.source];
  assert.deepEqual(shown('alerts.webhook'), ['http://127.0.0.1:9/hook', `${texts.file}:2`]);
  assert.deepEqual(shown('alerts.secret'), ['[secret]', `${texts.file}:3`]);
  assert.deepEqual(shown('server.port'), ['0', 'environment HEADGATE_PORT']);
  assert.deepEqual(shown('server.host'), ['127.0.0.1', null]);
  assert.deepEqual(shown('database.url'), ['postgres://gate:***@db.example/gate', `${texts.file}:6`]);
  assert.deepEqual(shown('providers.north.base_url'), ['https://north.example/v1', `${texts.file}:5`]);
  assert.deepEqual(
    [data.loaded_at, data.refused, data.needs_restart],
    ['1970-01-01T00:00:01.000Z', null, []],
  );
  state.changed({ warnings: [], sources: new Map() }, ['server'], 2_000);
  state.refused(['f:1: broken'], 3_000);
  const after = await read();
  assert.deepEqual(after.needs_restart, ['server']);
  assert.deepEqual(after.refused, { at: '1970-01-01T00:00:03.000Z', reasons: ['f:1: broken'] });
});
