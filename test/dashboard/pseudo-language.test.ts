import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll } from './support/open-browser.ts';
import { pageAddresses } from './support/page-addresses.ts';
import { menuPlace, speakPseudo, squeezed } from './support/pseudo-language.ts';
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

const faultsOf = async (page: Page, name: string) => [
  ...(await sideScroll(page, name)),
  ...(await squeezed(page, name)),
];

/** What every page of an operator lacks at a width. */
async function lookAtAll(width: number): Promise<readonly string[]> {
  const { page, context, mishaps } = await openPage(browser, demo.url, { width });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await speakPseudo(page);
  const faults: string[] = [];
  const visited = new Set<string>();
  for (const path of await pageAddresses(demo)) {
    await page.goto(demo.url + path);
    await settle(page);
    faults.push(...(await faultsOf(page, `${width}: ${path}`)));
    visited.add(new URL(page.url()).pathname);
  }
  const custom = '/ui/requests?from=2026-10-24T09:00:00Z&to=2026-10-24T11:30:00Z';
  await page.goto(demo.url + custom);
  await settle(page);
  faults.push(...(await faultsOf(page, `${width}: ${custom}`)));
  faults.push(...(await menuPlace(page, page.locator('header.bar > button').last(), `${width}: account`)));
  await page.goto(`${demo.url}/ui/live`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main .loading').first().waitFor({ state: 'detached' });
  faults.push(...(await faultsOf(page, `${width}: /ui/live`)));
  visited.add('/ui/live');
  const addresses: string[] = await page.evaluate(
    '[...document.querySelectorAll(".side nav a")].map((link) => link.pathname)',
  );
  assert.ok(addresses.length > 10, 'the navigation is shown');
  const missed = addresses.filter((address) => !visited.has(address));
  assert.deepEqual(missed, [], 'every page of the navigation was looked at');
  await context.close();
  return [...new Set(faults), ...mishaps];
}

/** Pages and the button that opens a dialog there; words are longer in the pseudo-language, so that none is used. */
const dialogs = [
  ['/ui/keys', '.page-head .primary'],
  ['/ui/requests?range=7d', '[role=group] button'],
  ['/ui/credits', '.page-head .primary'],
  ['/ui/guardrails', '.page-head .primary'],
  ['/ui/workspaces', '.page-head .primary'],
  ['/ui/credentials', '.page-head .primary'],
] as const;

test('every page has room for a longer language that runs from right to left, wide and narrow', async () => {
  assert.deepEqual(await Promise.all([1280, 360].map(lookAtAll)), [[], []]);
});

for (const width of [1280, 360]) {
  test(`dialogs, the palette and the help have room in a longer language: ${width} pixels`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url, { width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await speakPseudo(page);
    const faults: string[] = [];
    const look = async (name: string) => {
      await page.locator('dialog[open]').waitFor();
      faults.push(...(await faultsOf(page, `${width}: ${name}`)));
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    };
    for (const [path, button] of dialogs) {
      await page.goto(demo.url + path);
      await settle(page);
      await page.locator(`main ${button}`).first().click();
      await look(`${path} ${button}`);
    }
    await page.keyboard.press('?');
    await look('help');
    await page.keyboard.press('Control+k');
    await page.locator('dialog[open] input').fill('atlas');
    await page.locator('dialog[open] [role=option]').first().waitFor();
    await look('palette');
    await page.goto(`${demo.url}/ui/requests`);
    await settle(page);
    await page.locator('[data-range]').selectOption('edit');
    await look('custom range');
    assert.deepEqual([[...new Set(faults)], mishaps], [[], []]);
    await context.close();
  });
}

test('the login and the menus have room in a longer language that runs from right to left', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { width: 360 });
  await speakPseudo(page);
  await page.goto(demo.url);
  await page.locator('form button').first().waitFor();
  const faults = [...(await faultsOf(page, 'login'))];
  const wide = await openPage(browser, demo.url);
  await logIn(wide.page, demo.url, demoKeys(demo).operator);
  await speakPseudo(wide.page);
  await wide.page.goto(`${demo.url}/ui/keys`);
  await settle(wide.page);
  const columns = wide.page.locator('.columns-button');
  faults.push(...(await menuPlace(wide.page, columns, 'columns')));
  assert.deepEqual([faults, mishaps, wide.mishaps], [[], [], []]);
  await Promise.all([context.close(), wide.context.close()]);
});
