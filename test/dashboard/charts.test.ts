import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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

test('what each key used in the range is a file, the same sums as those of the interface', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { zone: 'UTC' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  const { query } = someDay();
  await page.goto(`${demo.url}/?${query}`);
  await settle(page);
  await page.getByRole('button', { name: 'Top keys: more' }).click();
  const file = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV of all keys' }).click();
  const lines = (await readFile(await (await file).path(), 'utf8')).split('\r\n').filter(Boolean);
  const asked = `${demo.url}/api/v1/usage/series?${query}&group=key&bucket=all&top=50`;
  const answer = await fetch(asked, { headers: { authorization: `Bearer ${demoKeys(demo).operator}` } });
  const { data } = (await answer.json()) as {
    data: { groups: { value: string; totals: { cost_nano: string; requests: number } }[] };
  };
  assert.ok(data.groups.length > 1);
  assert.deepEqual(
    lines.slice(1).map((line) => {
      const [, id, , , spend = '', , requests] = line.split(',');
      return [id, BigInt(spend.replace('.', '')), Number(requests)];
    }),
    data.groups.map(({ value, totals }) => [value, BigInt(totals.cost_nano), totals.requests]),
  );
  await page.goto(`${demo.url}/ui/live`);
  await page.getByRole('heading', { level: 1, name: 'Live' }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Range of time' }).count(), 0, 'Live has no range');
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('a range of one’s own is in the chosen zone', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { zone: 'Asia/Kolkata' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('combobox', { name: 'Range of time' }).selectOption({ label: 'Custom…' });
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^Times of Asia/).waitFor();
  await dialog.getByLabel('From').fill('2026-11-20T00:00');
  await dialog.getByLabel('To').fill('2026-11-19T00:00');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await dialog.getByRole('alert').getByText('The end must lie after the beginning').waitFor();
  await dialog.getByLabel('To').fill('2026-11-21T12:30');
  await dialog.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/from=/);
  assert.deepEqual(rangeOf(page), ['2026-11-19T18:30:00.000Z', '2026-11-21T07:00:00.000Z']);
  assert.deepEqual(mishaps, []);
  await context.close();
});
