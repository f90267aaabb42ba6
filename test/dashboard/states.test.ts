import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, sideScroll, violationsOf } from './support/open-browser.ts';
import { pageAddresses } from './support/page-addresses.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let fresh: TestGateway;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(200), openBrowser()]);
  // Nothing was ever served or configured here.
  fresh = await startGateway({ models: [] });
});

after(async () => {
  await browser.close();
  await Promise.all([demo.stop(), fresh.stop()]);
});

/** Runs in the page: frames that are shown with nothing in them, in words. */
const hollow = `[...document.querySelectorAll('main .card, main section, main table, main .loading')]
  .filter((one) => one.checkVisibility() && one.textContent.trim() === '' && one.querySelector('input, textarea, select, svg') === null)
  .map((one) => one.tagName.toLowerCase() + '.' + one.className + ' is empty')
  .concat([...document.querySelectorAll('main .table tbody')]
    .filter((one) => one.checkVisibility() && one.rows.length === 0)
    .map(() => 'a table has heads and no rows'))`;

/** What a page lacks in a state: access, room, or something to read in each frame. */
async function faultsOf(page: Page, name: string): Promise<readonly string[]> {
  const frames: string[] = await page.evaluate(hollow);
  return [
    ...(await violationsOf(page, name)),
    ...(await sideScroll(page, name)),
    ...frames.map((one) => `${name}: ${one}`),
  ];
}

/** Waits until a page has its heading and nothing is on its way. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.loading, .stale').first().waitFor({ state: 'detached' });
}

/** What a page says of its failure, with a way to ask again; Live asks by itself. */
function said(page: Page, path: string): Locator {
  const main = page.locator('main');
  if (path === '/ui/live')
    return main.getByRole('status').getByText('The disk is full. It is asked again by itself.');
  const alert = main.getByRole('alert').filter({ hasText: 'The disk is full.' });
  return alert.getByRole('button', { name: 'Try again' });
}

const looks = [
  ['light', 1280],
  ['dark', 360],
] as const;

for (const [theme, width] of looks) {
  test(`pages whose data cannot be had say so, and ask again: ${theme}, ${width} pixels`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    const error = { code: 500, message: 'The disk is full.', metadata: { error_type: 'server' } };
    await context.route('**/ui/api/**', (route) =>
      route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify({ error }) }),
    );
    const faults: string[] = [];
    for (const path of [...(await pageAddresses(demo)), '/ui/live']) {
      await page.goto(demo.url + path);
      await settled(page);
      if (path !== '/ui/none-such') await said(page, path).first().waitFor();
      faults.push(...(await faultsOf(page, path)));
    }
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });

  test(`pages with nothing to show say what is missing: ${theme}, ${width} pixels`, async () => {
    const boss = await fresh.createKey({ kind: 'management', workspaceId: null, name: 'boss' });
    const { page, context, mishaps } = await openPage(browser, fresh.url, { theme, width });
    await logIn(page, fresh.url, boss);
    const faults: string[] = [];
    for (const path of emptyAddresses()) {
      await page.goto(fresh.url + path);
      await settled(page);
      faults.push(...(await faultsOf(page, path)));
    }
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

function emptyAddresses(): readonly string[] {
  const { defaultWorkspaceId: workspace } = fresh.account;
  return [
    '/?range=7d',
    '/?by=key&view=table',
    '/ui/live',
    '/ui/requests',
    '/ui/requests?outcome=failed',
    '/ui/requests/gen-none',
    '/ui/models',
    '/ui/models?tab=providers',
    '/ui/models/acme%2Fnone',
    '/ui/keys',
    `/ui/keys/${fresh.keyHash}`,
    '/ui/playground',
    '/ui/explain',
    '/ui/credentials',
    '/ui/workspaces',
    `/ui/workspaces/${workspace}`,
    '/ui/guardrails',
    '/ui/routers',
    '/ui/presets',
    '/ui/credits',
    '/ui/audit?action=none',
    '/ui/health',
    '/ui/settings',
  ];
}
