import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { mostSessionsOfKey } from '../../src/ports/dashboard-sessions.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { startGateway } from '../support/gateway.ts';
import { startPostgres } from '../support/start-postgres.ts';

const postgres = await startPostgres();
after(() => postgres.stop());

test('logins of one key at the same moment in two processes leave it twenty sessions, and others theirs', async (t) => {
  const databaseUrl = postgres.url(await postgres.createDatabase());
  const open = async () => {
    const gateway = await startGateway({ models: [], databaseUrl, server: { trustProxy: ['127.0.0.1'] } });
    t.after(() => gateway.stop());
    return gateway;
  };
  const gateways = [await open(), await open()] as const;
  const [{ account, storage, url, createKey }] = gateways;
  const boss = await createKey({ kind: 'management', workspaceId: null });
  const operator = new TestBrowser(url);
  assert.equal((await operator.login(boss)).status, 200);
  const raw = await createKey();
  const pages = await Promise.all(
    gateways.flatMap((gateway, index) =>
      Array.from({ length: 25 }, async (_, n) => {
        const page = new TestBrowser(gateway.url);
        const from = { 'x-forwarded-for': `203.0.113.${index * 100 + n}` };
        assert.equal((await page.call('POST', '/ui/session', { key: raw }, from)).status, 200);
        return page;
      }),
    ),
  );
  assert.equal((await storage.sessions.ofKey(hashKey(raw))).length, mostSessionsOfKey);
  const shown = async (page: TestBrowser, at = page.url) => {
    const moved = Object.assign(new TestBrowser(at), { cookie: page.cookie, csrf: page.csrf });
    return (await moved.call('GET', '/ui/session')).status;
  };
  const statuses = await Promise.all(pages.map((page) => shown(page)));
  assert.equal(statuses.filter((status) => status === 200).length, mostSessionsOfKey);
  assert.equal(await shown(operator), 200);
  const entries = await storage.audit.list({ accountId: account.id, action: 'session.create', limit: 100 });
  assert.equal(entries.length, 51, 'each from an address of its own');
});
