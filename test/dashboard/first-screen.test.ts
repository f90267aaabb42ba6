import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(300), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

test('a list that is empty shows the first request by itself', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/requests?range=1h&user=user-of-tomorrow`);
  await page.getByText('No request matches').waitFor();
  const sent = await fetch(`${demo.url}/api/v1/responses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${demoKeys(demo).holder}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ model: 'sandbox/echo', input: 'Hello', user: 'user-of-tomorrow' }),
  });
  const id = sent.headers.get('x-generation-id');
  assert.equal(sent.status, 200, await sent.text());
  await page.locator(`tr[id="${id}"]`).waitFor();
  assert.equal(await page.locator('tbody tr').count(), 1);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('logging out in one tab leaves nothing in the others', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  const other = await context.newPage();
  await other.goto(`${demo.url}/ui/requests?range=30d`);
  await other.locator('tbody tr').first().waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await other.getByLabel('Management or API key').waitFor();
  assert.equal(await other.locator('tbody tr').count(), 0);
  assert.equal(await other.evaluate('sessionStorage.length'), 0);
  await context.close();
});

test('a cumulative chart is a stack on a linear axis, and what is counted has whole numbers', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/?range=7d&metric=requests&view=cumulative`);
  await settle(page);
  const chart = page.locator('.chart-card').first();
  assert.ok((await chart.locator('path.area').count()) > 2);
  const ticks = await chart
    .locator('svg.plot g:has(> .grid) text')
    .evaluateAll((all) =>
      all.map((one) => ({ value: Number(one.textContent), y: one.getBoundingClientRect().top })),
    );
  const [first, second, third] = ticks;
  assert.ok(first && second && third);
  assert.equal(first.value, 0);
  const pixels = (one: typeof first, other: typeof first) => (one.y - other.y) / (other.value - one.value);
  assert.ok(Math.abs(pixels(first, second) - pixels(second, third)) < 0.5, JSON.stringify(ticks));
  for (const path of ['/?range=15m&metric=requests', '/ui/requests?range=15m&user=user-mara']) {
    await page.goto(demo.url + path);
    await settle(page);
    const labels = await page.locator('svg.plot').first().locator('g:has(> .grid) text').allTextContents();
    assert.ok(labels.length > 1);
    assert.ok(
      labels.every((label) => Number.isInteger(Number(label.replace('k', '')))),
      `${path}: ${labels}`,
    );
  }
  await context.close();
});

test('on a telephone requests have their model, the menu the workspaces, and the first chart is in sight', async () => {
  const { page, context } = await openPage(browser, demo.url, { width: 390, height: 844 });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/?range=7d`);
  await settle(page);
  const { y = 900 } = (await page.locator('.chart-card').first().boundingBox()) ?? {};
  assert.ok(y < 700, `the first chart begins at ${y}`);
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.locator('aside').getByLabel('Workspace').waitFor();
  await page.goto(`${demo.url}/ui/requests?range=7d&model=acme/atlas-4`);
  await settle(page);
  assert.ok(await page.locator('tbody tr').first().getByText('acme/atlas-4').first().isVisible());
  await context.close();
});

test('the palette does what is named, and knows pages and keys by other words', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await settle(page);
  const first = page.getByRole('listbox', { name: 'Found' }).getByRole('option', { selected: true });
  const choose = async (text: string, expected: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await first.filter({ hasText: expected }).waitFor();
    await page.keyboard.press('Enter');
  };
  await choose('byok', /^Own credentials/);
  await page.getByRole('heading', { level: 1, name: 'Own credentials' }).waitFor();
  await choose('new key', /^New key/);
  await page.getByRole('dialog', { name: 'New key' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'New key' }).waitFor({ state: 'detached' });
  assert.equal(new URL(page.url()).searchParams.get('make'), null);
  // On the same page it opens again.
  await choose('new key', /^New key/);
  await page.getByRole('dialog', { name: 'New key' }).waitFor();
  await page.keyboard.press('Escape');
  await choose('rotate key ci-bot', /^Rotate ci-bot/);
  await page.getByRole('heading', { level: 1, name: /ci-bot/ }).waitFor();
  await page.getByRole('dialog', { name: /^Rotate/ }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: /^Rotate/ }).waitFor({ state: 'detached' });
  await choose('failed requests', /^Failed requests/);
  await page.waitForURL(/outcome=failed/);
  await choose('dark', /^Dark theme/);
  await page.waitForFunction("getComputedStyle(document.documentElement).colorScheme === 'dark'");
  await choose('log out', /^Log out/);
  await page.getByLabel('Management or API key').waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});
