import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;
const hour = 3_600_000;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(300), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

/** A day of 24 steps, which ended an hour ago. */
function someDay(): { from: number; query: string } {
  const to = Math.floor(Date.now() / hour) * hour - hour;
  const from = to - 24 * hour;
  return { from, query: `from=${new Date(from).toISOString()}&to=${new Date(to).toISOString()}` };
}

const rangeOf = (page: Page) => {
  const { searchParams } = new URL(page.url());
  return [searchParams.get('from'), searchParams.get('to')];
};

test('some steps of a chart are drawn over, or chosen with Shift and arrows, and shown alone', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { zone: 'UTC' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  const { from, query } = someDay();
  const third = [new Date(from + 2 * hour).toISOString(), new Date(from + 5 * hour).toISOString()];
  for (const [path, name] of [
    ['/ui/requests', /^Requests over time/],
    ['/', /^Spend over time/],
  ] as const) {
    const chart = page.getByRole('group', { name });
    const open = async () => {
      await page.goto(`${demo.url}${path}?${query}`);
      await settle(page);
      await chart.locator('.bar-mark').first().waitFor();
    };
    await open();
    const box = await chart.boundingBox();
    assert.ok(box !== null);
    // 48 pixels are the axis.
    const step = (index: number) => box.x + 48 + ((index + 0.5) * (box.width - 52)) / 24;
    await page.mouse.move(step(4), box.y + 60);
    await page.mouse.down();
    await page.mouse.move(step(3), box.y + 60);
    await page.mouse.move(step(2), box.y + 60);
    await page.mouse.up();
    await page.waitForURL((url) => url.searchParams.get('to') === third[1]);
    assert.deepEqual(rangeOf(page), third, `${path}: drawn over from right to left`);
    await open();
    await chart.focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight']) {
      await page.keyboard.press(key);
    }
    await chart.getByText('3 steps are chosen').waitFor({ state: 'attached' });
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('to') === third[1]);
    assert.deepEqual(rangeOf(page), third, `${path}: chosen with keys`);
    await page.goBack();
    assert.notDeepEqual(rangeOf(page), third, 'the way back leads to the whole day');
  }
  assert.deepEqual(mishaps, []);
  await context.close();
});
