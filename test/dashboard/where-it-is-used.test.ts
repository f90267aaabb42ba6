import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { hashKey } from '../../src/core/api-key.ts';
import { createLink, loginAddress } from '../../src/management/sessions/sessions.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { freePort } from '../support/free-port.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
import { startSubPathProxy } from './support/sub-path-proxy.ts';

const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
const models = [modelOf('sandbox/echo', [sandbox])];
const { dashboard } = configOf({ models }).server;
let gateway: TestGateway;
let boss: string;
let browser: Browser;

before(async () => {
  [gateway, browser] = await Promise.all([
    startGateway({ models }),
    openBrowser(['--host-resolver-rules=MAP gate.lan 127.0.0.1']),
  ]);
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await browser.close();
  await gateway.stop();
});

test('below a path of a proxy everything works: link, pages, changes, streams and reloads', async () => {
  const proxy = await startSubPathProxy(gateway.url, '/gateway');
  const publicUrl = `http://localhost:${proxy.port}/gateway`;
  gateway.setServer({ publicUrl });
  try {
    const services = { storage: gateway.storage, clock: systemClock };
    const link = loginAddress(publicUrl, await createLink(hashKey(boss), 60_000, services));
    const { page, context, mishaps } = await openPage(browser, publicUrl);
    await page.goto(link);
    await page.getByRole('button', { name: 'Account' }).waitFor();
    assert.equal(page.url(), `${publicUrl}/`);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.name, cookie?.path], [`headgate-${proxy.port}`, '/']);
    await page.getByRole('link', { name: 'Keys', exact: true }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('behind');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = (await page.locator('.raw-key').textContent()) ?? '';
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    const answer = await fetch(`${publicUrl}/api/v1/key`, { headers: { authorization: `Bearer ${secret}` } });
    assert.equal(answer.status, 200);
    await page.getByRole('link', { name: 'behind' }).click();
    assert.equal(page.url(), `${publicUrl}/ui/keys/${hashKey(secret)}`);
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'behind' }).waitFor();
    await page.getByRole('link', { name: 'Live', exact: true }).click();
    await page.getByText('Running').first().waitFor();
    await page.goto(`${publicUrl}/ui/requests`);
    await settle(page);
    await page.goBack();
    assert.ok(page.url().startsWith(`${publicUrl}/ui/`));
    assert.deepEqual(mishaps, []);
    await context.close();
  } finally {
    gateway.setServer({});
    proxy.close();
  }
});

test('over plain HTTP from a network the page explains itself; where it is allowed, a banner stays', async () => {
  const { port } = new URL(gateway.url);
  const publicUrl = `http://gate.lan:${port}`;
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    gateway.setServer({ publicUrl });
    const { page, context, mishaps } = await openPage(browser, publicUrl, { theme, width });
    await page.goto(publicUrl);
    await page.getByText('This connection is not encrypted').waitFor();
    const faults = [...(await violationsOf(page, 'explained')), ...(await sideScroll(page, 'explained'))];
    assert.equal(await page.getByLabel('Management or API key').isVisible(), false);
    await page.getByText('Log in anyway').click();
    await page.getByLabel('Management or API key').fill(boss);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('alert').getByText('unencrypted').waitFor();
    gateway.setServer({ publicUrl, dashboard: { ...dashboard, allowInsecureHttp: true } });
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await page.getByText(/not encrypted/).waitFor();
    // The banner stands before the page below it has come.
    await page.getByRole('heading', { level: 1 }).waitFor();
    faults.push(...(await violationsOf(page, 'banner')), ...(await sideScroll(page, 'banner')));
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
  gateway.setServer({});
});

test('a read-only dashboard shows everything and offers no change', async () => {
  const { page, context, mishaps } = await openPage(browser, gateway.url);
  gateway.setServer({ dashboard: { ...dashboard, readOnly: true } });
  try {
    await logIn(page, gateway.url, boss);
    await page.goto(`${gateway.url}/ui/keys`);
    await settle(page);
    await page.getByRole('link', { name: 'test' }).first().waitFor();
    await page.getByText('Read-only: nothing can be changed here.').waitFor();
    assert.deepEqual(await violationsOf(page, 'read-only'), []);
    assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0);
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.locator(':popover-open').getByRole('link', { name: 'Its requests' }).waitFor();
    assert.equal(await page.getByRole('button', { name: /Edit|Rotate|Disable|Delete/ }).count(), 0);
    assert.deepEqual(mishaps, []);
  } finally {
    gateway.setServer({});
    await context.close();
  }
});

test('on a port of its own the dashboard works, and code to copy names the interface', async () => {
  const port = await freePort();
  const own = await startGateway({
    models,
    server: { port, dashboard: { ...dashboard, port: await freePort() } },
  });
  try {
    const key = await own.createKey({ kind: 'management', workspaceId: null });
    const url = own.server.dashboardUrl;
    const { page, context, mishaps } = await openPage(browser, url);
    await logIn(page, url, key);
    await page.getByText(`curl http://127.0.0.1:${port}/api/v1/responses`).waitFor();
    const docs = page.getByRole('link', { name: 'Interface reference' });
    assert.equal(await docs.getAttribute('href'), `http://127.0.0.1:${port}/docs`);
    assert.deepEqual(mishaps, []);
    await context.close();
  } finally {
    await own.stop();
  }
});
