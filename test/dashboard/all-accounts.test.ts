import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
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
  [demo, browser] = await Promise.all([startDemoServer(300), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

/** Calls of an account in the last ninety days, or of all. */
async function callsOf(accountId?: string): Promise<number> {
  const quarter = 900_000;
  const to = Math.ceil(Date.now() / quarter) * quarter;
  const range = { from: to - 90 * 96 * quarter, to };
  const [sums] = await demo.storage.usage.totals({ range, filters: { accountId } }, 1);
  return sums?.requests ?? 0;
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 360]) {
    test(`an operator sees all accounts together: ${theme}, ${width} pixels`, async () => {
      const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
      const { operator, acme } = demoKeys(demo);
      await logIn(page, demo.url, operator);
      await page.goto(`${demo.url}/?range=90d`);
      const requests = page.locator('.stat', { has: page.getByText('Requests', { exact: true }) });
      const shown = async () => (await requests.locator('.value').innerText()).replaceAll(',', '');
      await requests.waitFor();
      const [own, all] = [await callsOf(acme.account.id), await callsOf()];
      assert.ok(all > own && own > 0);
      assert.equal(await shown(), String(own));
      assert.equal((await page.locator('a.stat').count()) > 0, true);
      await page.getByLabel('Whose usage').selectOption('All accounts');
      await page.getByText('All accounts together').waitFor();
      await page.locator('.stat .value', { hasText: new Intl.NumberFormat('en-US').format(all) }).waitFor();
      assert.match(page.url(), /accounts=all/);
      await settle(page);
      await countIs(page.locator('a.stat'), 0, 'the list is that of one account');
      for (const hidden of ['Top keys', 'Balance', 'Time to first token', 'Spending limits'])
        await countIs(page.getByText(hidden, { exact: true }), 0, hidden);
      assert.deepEqual(await page.getByLabel('Group by').locator('option').allInnerTexts(), [
        'by model',
        'by provider',
        'by endpoint',
      ]);
      const faults = [
        ...(await violationsOf(page, 'all accounts')),
        ...(await sideScroll(page, 'all accounts')),
      ];
      await page.reload();
      await page.locator('.stat .value', { hasText: new Intl.NumberFormat('en-US').format(all) }).waitFor();
      await page.getByLabel('Whose usage').selectOption('This account');
      await page.getByText('Top keys').waitFor();
      await settle(page);
      assert.equal(await shown(), String(own));
      assert.deepEqual([faults, mishaps], [[], []]);
      await context.close();
    });
  }
}

test('a manager has no such choice, and the address gives none', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  const { manager, globex } = demoKeys(demo);
  await logIn(page, demo.url, manager);
  await page.goto(`${demo.url}/?range=90d&accounts=all`);
  const requests = page.locator('.stat', { has: page.getByText('Requests', { exact: true }) });
  await requests.waitFor();
  assert.equal(await requests.locator('.value').innerText(), String(await callsOf(globex.account.id)));
  assert.equal(await page.getByLabel('Whose usage').count(), 0);
  assert.deepEqual(mishaps, []);
  await context.close();
});
