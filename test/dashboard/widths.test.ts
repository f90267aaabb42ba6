import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll } from './support/open-browser.ts';
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

const long = 'a-name-that-is-longer-than-any-of-the-columns-has-room-for';
/** As wide as values become: names are cut, figures and times never. */
const widest = {
  outcome: 'failed',
  error_type: 'insufficient_provider_permissions',
  status: 529,
  requested_model: `${long}/${long}`,
  model: `${long}/${long}`,
  provider: long,
  provider_name: long,
  attempts: 12,
  key_label: long,
  first_token_ms: 118_400,
  total_ms: 7_199_000,
  input_tokens: 1_995_000,
  cached_tokens: 1_994_000,
  output_tokens: 128_400,
  unpriced: false,
  cost_nano: '98765432109876',
};

/** Makes every call of the list as wide as it can be. */
async function widen(page: Page): Promise<void> {
  await page.route('**/ui/api/generations?*', async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const data = body.data.map((row: object, at: number) => (at % 2 === 0 ? { ...row, ...widest } : row));
    await route.fulfill({ response, json: { ...body, data } });
  });
}

/** The part of the column of costs that is out of sight, in pixels, and how far the table scrolls sideways. */
const look = `(() => {
  const wrap = document.querySelector('.calls .table-wrap');
  const cells = [...wrap.querySelectorAll('tr > :nth-child(9)')];
  const edge = wrap.getBoundingClientRect();
  const over = cells.map((cell) => { const { left, right } = cell.getBoundingClientRect(); return Math.max(right - edge.right, edge.left - left); });
  const cut = cells.filter((cell) => cell.scrollWidth > cell.clientWidth).length;
  return { hidden: Math.max(...over), cut, cells: cells.length, scrolls: wrap.scrollWidth - wrap.clientWidth };
})()`;

interface Look {
  readonly hidden: number;
  readonly cut: number;
  readonly cells: number;
  readonly scrolls: number;
}

for (const [width, query] of [
  [1280, ''],
  [1280, '&outcome=failed'],
  [1024, ''],
  [901, ''],
] as const) {
  test(`what requests cost is in sight at ${width} pixels${query}, however long names are`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url, { width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await widen(page);
    await page.goto(`${demo.url}/ui/requests?range=30d${query}`);
    await page.locator('.calls tbody tr').nth(1).waitFor();
    await settle(page);
    const { hidden, cut, cells, scrolls } = await page.evaluate<Look>(look);
    assert.ok(cells > 2 && hidden < 1 && cut === 0, JSON.stringify({ hidden, cut, cells }));
    if (width === 1280) assert.equal(scrolls, 0, 'nothing is beside it');
    assert.deepEqual([await sideScroll(page, 'requests'), mishaps], [[], []]);
    await context.close();
  });
}

test('with exact amounts and every column, what requests cost stays in sight while the others scroll', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/settings`);
  await page.getByLabel(/^Exact amounts/).check();
  await widen(page);
  await page.goto(`${demo.url}/ui/requests?range=30d`);
  await page.locator('.calls tbody tr').nth(1).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  for (const name of ['Requested model', 'Endpoint', 'Delivery', 'Request']) {
    await page.getByLabel(name, { exact: true }).check();
  }
  await page.keyboard.press('Escape');
  await settle(page);
  const { hidden, cells, scrolls } = await page.evaluate<Look>(look);
  assert.ok(scrolls > 100 && cells > 2 && hidden < 1, JSON.stringify({ hidden, cells, scrolls }));
  assert.deepEqual([await sideScroll(page, 'requests'), mishaps], [[], []]);
  await context.close();
});
