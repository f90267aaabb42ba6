import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pino from 'pino';
import { buildDashboard } from '../../scripts/dashboard-build.ts';
import { MasterKey } from '../../src/secrets/master-key.ts';
import { startServer } from '../../src/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { ConfiguredKeySource } from '../../src/vault/open-key-source.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
const models = [modelOf('sandbox/echo', [sandbox])];
const { dashboard } = configOf({ models }).server;
let gateway: TestGateway;
let boss: string;
let pages: string;
let port: number;

before(async () => {
  await buildDashboard();
  port = await freePort();
  gateway = await startGateway({
    models,
    server: { port, dashboard: { ...dashboard, port: await freePort() } },
  });
  pages = gateway.server.dashboardUrl;
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

test('the public listener has no page, session or call of the dashboard', async () => {
  assert.notEqual(pages, gateway.url);
  const session = new TestBrowser(pages);
  await session.login(boss);
  const headers = { cookie: session.cookie, 'x-headgate-csrf': session.csrf };
  for (const path of [
    '/',
    '/ui/requests',
    '/ui/session',
    '/ui/sessions',
    '/ui/api/keys',
    '/ui/assets/x.js',
  ]) {
    const answer = await fetch(gateway.url + path, { headers });
    await answer.arrayBuffer();
    assert.equal(answer.status, 404, path);
  }
  assert.equal((await new TestBrowser(gateway.url).login(boss)).status, 404);
  assert.equal((await gateway.get('/api/v1/key')).status, 200);
});

test('the listener of the dashboard has its pages, sessions and calls, and nothing else', async () => {
  assert.equal((await fetch(pages)).status, 200);
  for (const path of ['/api/v1/key', '/v1/key', '/openapi.json', '/docs', '/metrics', '/health/ready']) {
    const answer = await fetch(pages + path, { headers: { authorization: `Bearer ${gateway.key}` } });
    await answer.arrayBuffer();
    assert.equal(answer.status, 404, path);
  }
  const session = new TestBrowser(pages);
  const { status, headers, body } = await session.login(boss);
  assert.equal(status, 200);
  const own = new URL(pages).port;
  assert.match(headers.get('set-cookie') ?? '', new RegExp(`^headgate-${own}=`));
  // Code to copy names the listener that answers programs.
  assert.equal(body.data.features.interface_root, `http://127.0.0.1:${port}/`);
  assert.equal((await session.call('GET', '/ui/api/keys')).status, 200);
  const made = await session.call('POST', '/ui/api/keys', { name: 'made there' });
  assert.equal(made.status, 201);
  assert.equal((await gateway.get('/api/v1/key', { authorization: `Bearer ${made.body.key}` })).status, 200);
});

test('beside the interface nothing names another address', async () => {
  const beside = await startGateway({ models });
  try {
    assert.equal(beside.server.dashboardUrl, beside.url);
    const session = new TestBrowser(beside.url);
    const { body } = await session.login(await beside.createKey({ kind: 'management', workspaceId: null }));
    assert.equal(body.data.features.interface_root, null);
  } finally {
    await beside.stop();
  }
});

test('both listeners finish what runs and close', async () => {
  const own = await startGateway({ models, server: { dashboard: { ...dashboard, port: await freePort() } } });
  const { url, dashboardUrl } = own.server;
  assert.equal((await fetch(dashboardUrl)).status, 200);
  await own.stop();
  for (const address of [url, dashboardUrl]) await assert.rejects(fetch(address), address);
});

test('a port that is taken is named, and the start leaves nothing open', async () => {
  const taken = Number(new URL(gateway.url).port);
  const storage = await openStorage('sqlite::memory:');
  await storage.migrate();
  const config = configOf({ models, server: { dashboard: { ...dashboard, port: taken } } });
  const parts = {
    storage,
    keys: new ConfiguredKeySource([MasterKey.create()]),
    log: pino({ level: 'silent' }),
  };
  const said = `The dashboard cannot be served on 127.0.0.1:${taken}: choose another server.dashboard.port.`;
  await assert.rejects(startServer(config, parts), { message: said });
  await storage.close();
});
