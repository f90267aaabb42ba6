import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
import { pageAddresses } from './support/page-addresses.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 360]) {
    test(`every page is accessible and fits: ${theme}, ${width} pixels`, async () => {
      const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
      await page.goto(demo.url);
      await page.getByLabel('Management or API key').waitFor();
      const faults = [...(await violationsOf(page, 'login'))];
      await logIn(page, demo.url, demoKeys(demo).operator);
      for (const path of await pageAddresses(demo)) {
        await page.goto(demo.url + path);
        await settle(page);
        faults.push(...(await violationsOf(page, path)), ...(await sideScroll(page, path)));
      }
      assert.deepEqual([...new Set(faults)], []);
      assert.deepEqual(mishaps, []);
      await context.close();
    });
  }
}

test('pages fit a window of 320 pixels, which is what 1280 are at four times the size', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { width: 320 });
  await logIn(page, demo.url, demoKeys(demo).operator);
  const faults: string[] = [];
  for (const path of await pageAddresses(demo)) {
    await page.goto(demo.url + path);
    await settle(page);
    faults.push(...(await sideScroll(page, path)));
  }
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test("with a person's own colours, what is chosen and what colours tell apart is still seen", async () => {
  const { page, context } = await openPage(browser, demo.url, { forcedColors: 'active' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await settle(page);
  const styleOf = (selector: string, property: string): Promise<string> =>
    page.evaluate(
      `getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`,
    );
  assert.equal(await styleOf('nav a[aria-current="page"]', 'outlineStyle'), 'solid');
  assert.equal(await styleOf('.segments button[aria-pressed="true"]', 'outlineStyle'), 'solid');
  const swatches: string[] = await page.evaluate(
    "[...document.querySelectorAll('.legend')].map((legend) => [...legend.querySelectorAll('.swatch')].map((one) => getComputedStyle(one).backgroundColor)).find((colours) => colours.length > 2)",
  );
  assert.equal(new Set(swatches).size, swatches.length, 'each group has a colour of its own');
  await page.goto(`${demo.url}/ui/keys`);
  await settle(page);
  assert.notEqual(await styleOf('.bar-fill', 'backgroundColor'), await styleOf('body', 'backgroundColor'));
  await context.close();
});

for (const width of [1280, 360]) {
  test(`nothing moves, and nothing is too wide in any frame, while a page loads: ${width} pixels`, async () => {
    const { page, context } = await openPage(browser, demo.url, { width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.addInitScript(
      'globalThis.moved = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (!entry.hadRecentInput) globalThis.moved += entry.value; }).observe({ type: "layout-shift", buffered: true })',
    );
    await page.addInitScript(
      'globalThis.over = 0; (function look() { const root = document.documentElement; if (root) globalThis.over = Math.max(globalThis.over, root.scrollWidth - root.clientWidth); requestAnimationFrame(look); })()',
    );
    const paths = ['/?range=7d', '/ui/requests?range=7d', '/ui/models', '/ui/keys', '/ui/workspaces/default'];
    for (const path of paths) {
      await page.goto(demo.url + path);
      await settle(page);
      const moved: number = await page.evaluate('globalThis.moved');
      assert.ok(moved < 0.05, `${path}: layout shift of ${moved}`);
      assert.equal(await page.evaluate('globalThis.over'), 0, `${path}: pixels too wide in some frame`);
    }
    await context.close();
  });
}

test('pages of an account without traffic say what to do', async () => {
  const { storage } = demo;
  const account = newAccount('Empty', 'invoice', Date.now());
  await storage.accounts.create(account);
  const raw = createRawKey();
  const owner = { accountId: account.id, createdAt: Date.now(), workspaceId: null };
  await storage.keys.create(newKey(raw, { ...owner, kind: 'management', name: 'boss' }));
  const { page, context, mishaps } = await openPage(browser, demo.url, { width: 360 });
  await logIn(page, demo.url, raw);
  await page.getByText('No requests in this range').first().waitFor();
  const faults = [...(await violationsOf(page, 'overview'))];
  for (const [path, words] of [
    ['/ui/requests', 'No requests in this range'],
    ['/ui/keys', 'No keys yet'],
    ['/ui/credentials', 'No credentials of your own'],
    ['/ui/playground', 'there is none'],
  ] as const) {
    await page.goto(demo.url + path);
    await page.getByText(words).first().waitFor();
    await settle(page);
    faults.push(...(await violationsOf(page, path)), ...(await sideScroll(page, path)));
  }
  assert.deepEqual(faults, []);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('dialogs, menus and the palette are accessible', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/keys`);
  await page.getByRole('button', { name: 'New key' }).click();
  const faults = [...(await violationsOf(page, 'new key'))];
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Search pages/ }).fill('atlas');
  await page.getByRole('option', { name: /Atlas 4 \(/ }).waitFor();
  faults.push(...(await violationsOf(page, 'palette')));
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Atlas 4/ }).waitFor();
  await page.getByRole('button', { name: 'Account' }).click();
  faults.push(...(await violationsOf(page, 'account menu')));
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard' }).waitFor();
  faults.push(...(await violationsOf(page, 'help')));
  assert.deepEqual(faults, []);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('nothing moves where motion is not wanted', async () => {
  const { page, context } = await openPage(browser, demo.url, { reducedMotion: 'reduce' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await settle(page);
  const moving: number = await page.evaluate('document.getAnimations().length');
  assert.equal(moving, 0);
  await context.close();
});
