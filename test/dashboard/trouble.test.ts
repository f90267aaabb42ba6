import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import {
  countIs,
  logIn,
  openBrowser,
  openPage,
  settle,
  sideScroll,
  violationsOf,
} from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(200), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

const hostile = [
  '<img src=x onerror=alert(1)><script>alert(2)</script>',
  'user\u202egnp.exe',
  '=cmd|calc!A1',
  `x${'y'.repeat(10_000)}`,
  'مرحبا 👋 \u0007',
];

test('hostile names read as text, run nothing and keep the page in its place', async () => {
  const { storage, url } = demo;
  const now = Date.now();
  const account = newAccount(hostile[0] ?? '', 'invoice', now);
  await storage.accounts.create(account);
  const owner = { accountId: account.id, createdAt: now, workspaceId: account.defaultWorkspaceId };
  const boss = createRawKey();
  await storage.keys.create(newKey(boss, { ...owner, kind: 'management', name: 'boss', workspaceId: null }));
  for (const name of hostile) {
    const raw = createRawKey();
    await storage.keys.create(newKey(raw, { ...owner, kind: 'inference', name }));
    await fetch(`${url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${raw}`, 'content-type': 'application/json', 'user-agent': 'a<b>' },
      body: JSON.stringify({ model: 'sandbox/echo', input: hostile[0] }),
    });
  }
  const { page, context, mishaps } = await openPage(browser, url, { width: 360 });
  page.on('dialog', () => mishaps.push('a script ran'));
  await logIn(page, url, boss);
  for (const path of [
    '/?by=key',
    '/ui/keys',
    '/ui/requests',
    '/ui/playground',
    '/ui/explain?model=<b>x</b>',
  ]) {
    await page.goto(url + path);
    await settle(page);
    assert.deepEqual(await sideScroll(page, path), []);
  }
  await page.goto(`${url}/ui/keys`);
  await page.getByRole('link', { name: hostile[0] ?? '' }).waitFor();
  await page.getByText('user\\u202egnp.exe').first().waitFor();
  await page.goto(`${url}/ui/playground?models=sandbox/echo`);
  await page
    .getByLabel('Prompt')
    .fill('<img src=x onerror=alert(1)> [link](javascript:alert(1)) ![](http://evil.example/x.png)');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('done', { exact: true }).waitFor();
  await page.locator('.answer', { hasText: '[link](javascript:alert(1))' }).waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('four models stream side by side; each answer is a request of its own', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  const models = ['acme/atlas-4', 'globex/ibis-flash', 'initech/quill-reason', 'umbra/kestrel-9b'];
  await page.goto(`${demo.url}/ui/playground?models=${models.join(',')}`);
  await page.getByLabel('Prompt').fill('Rivers and gates');
  await page.locator('summary').click();
  await page.getByLabel('Most output tokens').fill('60');
  await page
    .getByText(/at most \$/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('link', { name: 'Details' }).nth(3).waitFor();
  await countIs(page.locator('.column-foot .good'), 4);
  await page.getByRole('tab', { name: 'Events' }).first().click();
  assert.match((await page.locator('.column pre').first().textContent()) ?? '', /response\.completed/);
  await page.getByRole('link', { name: 'Details' }).first().click();
  await page.getByRole('complementary', { name: 'Request' }).getByText('first token after').first().waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('stop stops the answer, and the call is settled as cancelled', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/playground?models=acme/atlas-4`);
  await page.getByLabel('Prompt').fill('A long one');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('.answer', { hasText: 'lorem' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('stopped', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Details' }).click();
  await page.getByText('The client left before the end').waitFor();
  await context.close();
});

test('a server that is away is said to be so, and asked again', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/models`);
  await settle(page);
  await context.route('**/ui/api/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByText('cannot be reached').first().waitFor();
  await context.unroute('**/ui/api/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('web-assistant').waitFor();
  await context.close();
});

test('the keyboard alone opens a request, walks the list and goes back', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await settle(page);
  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  await page.locator('tbody tr').first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const detail = page.getByRole('complementary', { name: 'Request' });
  await detail.getByRole('heading').first().waitFor();
  const first = page.url();
  await page.keyboard.press('j');
  await page.waitForURL((address) => address.href !== first);
  await page.keyboard.press('Escape');
  await detail.waitFor({ state: 'detached' });
  await context.close();
});

test('the keyboard alone walks any list and opens the actions of its row', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/keys`);
  await settle(page);
  const rows = page.locator('tbody tr');
  const menu = page.locator('.menu:popover-open');
  // Menus take the focus a moment after they have opened.
  const focused = (text: string) => page.locator(':focus', { hasText: text }).waitFor();
  await page.keyboard.press('.');
  await countIs(menu, 0, 'no row is marked, and the page has no actions');
  for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key);
  const name = (await rows.nth(1).locator('a').first().textContent()) ?? '';
  await focused(name);
  await page.keyboard.press('.');
  await focused('Its requests');
  const faults = await violationsOf(page, 'row actions');
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  await focused(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.keyboard.press('.');
  await focused('Its requests');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  // The key may have none of today.
  await page.goto(`${demo.url}/ui/requests?range=30d`);
  await rows.nth(1).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('.');
  await focused('Open');
  // Both keys in one task of the page: the menu opens again before its event of closing comes.
  const again =
    "document.querySelector('.menu:popover-open').hidePopover(); dispatchEvent(new KeyboardEvent('keydown', { key: '.' }))";
  await page.evaluate(again);
  await focused('Open');
  await page.keyboard.press('Escape');
  await page.locator('tr[aria-selected="true"] a:focus').waitFor();
  await page.keyboard.press('.');
  await focused('Open');
  await page.keyboard.press('Enter');
  await page.getByRole('complementary', { name: 'Request' }).getByRole('tab', { name: 'Overview' }).waitFor();
  await page.keyboard.press('.');
  await menu.getByRole('link', { name: 'Explain where it would go now' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByText('Actions of the row, or of the page').waitFor();
  await page.getByLabel('Single keys work as shortcuts').uncheck();
  await page.keyboard.press('Escape');
  await page.goto(`${demo.url}/ui/keys`);
  await settle(page);
  await page.keyboard.press('j');
  await page.keyboard.press('.');
  assert.equal(await page.locator('tbody tr:focus-within').count(), 0, 'they are switched off');
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});
