import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { duration, percent } from '../../dashboard/text/format.ts';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
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

/** All calls of the demonstration, which makes no more of them. */
function range(): { readonly from: string; readonly to: string } {
  const end = Math.ceil(Date.now() / 3_600_000) * 3_600_000;
  return { from: new Date(end - 15 * 86_400_000).toISOString(), to: new Date(end).toISOString() };
}

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes, each checked by its test.
async function dataOf(path: string, query: Readonly<Record<string, string>>): Promise<any> {
  const answer = await fetch(`${demo.url}/api/v1${path}?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${demoKeys(demo).operator}` },
  });
  assert.equal(answer.status, 200);
  return ((await answer.json()) as { readonly data: unknown }).data;
}

const cardOf = (page: Page, title: string) =>
  page.locator('.chart-card', { has: page.getByRole('heading', { name: title, exact: true }) });

/** The rows of a chart's table from its first step on, without their times. */
async function tableOf(page: Page, title: string): Promise<readonly (readonly string[])[]> {
  await page.getByRole('button', { name: `${title}: more` }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  const rows = await cardOf(page, title).locator('tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.locator('td').allTextContents()));
  return cells.toReversed().map((row) => row.slice(1));
}

test('how fast answers were is one chart, whose measure is in the address', async () => {
  const chosen = range();
  const { times } = await dataOf('/usage/series', { ...chosen, times: 'true', tz: 'Europe/Berlin' });
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/?${new URLSearchParams(chosen)}`);
  await settle(page);
  const card = cardOf(page, 'Speed of answers');
  await card.getByLabel('What is measured').selectOption('Total time');
  assert.equal(new URL(page.url()).searchParams.get('measure'), 'total');
  const plot = card.getByRole('group');
  assert.match((await plot.getAttribute('aria-label')) ?? '', /^Total time over time, of \d+ answers: half/);
  await plot.focus();
  const first = times.series.findIndex(({ total_ms: total }: { total_ms: unknown }) => total !== null);
  for (let step = 0; step <= first; step += 1) await page.keyboard.press('ArrowRight');
  const said = card.locator('[aria-live]');
  assert.match(
    (await said.textContent()) ?? '',
    new RegExp(`95 of 100 within ${duration(times.series[first].total_ms.p95)}`),
  );
  await page.reload();
  await settle(page);
  const told = await tableOf(page, 'Speed of answers');
  assert.deepEqual(
    told,
    times.series.map(({ total_ms: total }: { total_ms: { p50: number; p95: number } | null }) =>
      total === null ? ['', ''] : [String(total.p50), String(total.p95)],
    ),
  );
  await card.getByLabel('What is measured').selectOption('Tokens a second');
  assert.deepEqual(
    await card.locator('tbody tr td:nth-child(2)').allTextContents(),
    times.series
      .map(({ tokens_per_second: speed }: { tokens_per_second: { p50: number } | null }) =>
        String(speed?.p50 ?? ''),
      )
      .toReversed(),
  );
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('shares of cached input, fallbacks and failures are those of the sums, with gaps where nothing was', async () => {
  const chosen = range();
  const { total } = await dataOf('/usage/series', { ...chosen, tz: 'Europe/Berlin' });
  const { page, context, mishaps } = await openPage(browser, demo.url, { theme: 'dark' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/?${new URLSearchParams(chosen)}`);
  await settle(page);
  const shares = cardOf(page, 'Read from cache, fell back');
  const all = percent(total.totals.cached_tokens / total.totals.input_tokens);
  assert.match(
    (await shares.getByRole('group').getAttribute('aria-label')) ?? '',
    new RegExp(`: ${all} of the`),
  );
  const ticks = await shares.locator('svg.plot g text').allTextContents();
  assert.deepEqual([ticks[0], ticks.at(-1)], ['0%', '100%']);
  const part = (some: number, whole: number) => (whole === 0 ? '' : String(some / whole));
  assert.deepEqual(
    await tableOf(page, 'Read from cache, fell back'),
    total.series.map((sums: Record<string, number>) => [
      part(sums.cached_tokens ?? 0, sums.input_tokens ?? 0),
      part(sums.fallbacks ?? 0, sums.requests ?? 0),
    ]),
  );
  const failures = cardOf(page, 'Failures by type');
  assert.equal(await failures.locator('path.rate').count(), 2);
  assert.deepEqual(
    (await tableOf(page, 'Failures by type')).map((row) => row.at(-1)),
    total.series.map((sums: Record<string, number>) => part(sums.failed ?? 0, sums.requests ?? 0)),
  );
  assert.deepEqual(mishaps, []);
  await context.close();
});
