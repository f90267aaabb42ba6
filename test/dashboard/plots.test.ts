import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { duration, percent } from '../../dashboard/text/format.ts';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { countIs, logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
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

async function downloadOf(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: `${title}: more` }).click();
  await page.getByRole('button', { name: 'Download CSV' }).click();
}

/** A property of the cells of a heat map, one a colour. */
function cellStyles(page: Page, property: string): Promise<readonly string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('path[class^="heat-"]')].map((path) => getComputedStyle(path).${property})`,
  );
}

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
  assert.match((await plot.getAttribute('aria-label')) ?? '', /^Total time over time, of \d+ answers: p50/);
  await plot.focus();
  const first = times.series.findIndex(({ total_ms: total }: { total_ms: unknown }) => total !== null);
  for (let step = 0; step <= first; step += 1) await page.keyboard.press('ArrowRight');
  const said = card.locator('[aria-live]');
  assert.match(
    (await said.textContent()) ?? '',
    new RegExp(`p95 ${duration(times.series[first].total_ms.p95)}`),
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
  await card.getByLabel('What is measured').selectOption('Tokens/s');
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
  await countIs(failures.locator('path.rate'), 2);
  assert.deepEqual(
    (await tableOf(page, 'Failures by type')).map((row) => row.at(-1)),
    total.series.map((sums: Record<string, number>) => part(sums.failed ?? 0, sums.requests ?? 0)),
  );
  assert.deepEqual(mishaps, []);
  await context.close();
});

for (const theme of ['light', 'dark'] as const) {
  test(`a model's times are a heat map: classes by steps, read with arrow keys, as a table and a file: ${theme}`, async () => {
    const chosen = range();
    const model = 'acme/atlas-4';
    const asked = { ...chosen, model, times: 'classes', bucket: '1h', tz: 'Europe/Berlin' };
    const { starts, times } = await dataOf('/usage/series', asked);
    const together = Math.ceil(starts.length / 60);
    const merged: number[][] = starts
      .flatMap((_: string, index: number) => (index % together === 0 ? [index] : []))
      .map((first: number) =>
        times.classes.bounds_ms
          .slice(1)
          .map((_: number, place: number) =>
            times.classes.counts
              .slice(first, first + together)
              .reduce((all: number, row: readonly number[]) => all + (row[place] ?? 0), 0),
          ),
      );
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/models/${encodeURIComponent(model)}?${new URLSearchParams(chosen)}`);
    await settle(page);
    const card = cardOf(page, 'Spread of total times');
    const plot = card.getByRole('group');
    const summary = (await plot.getAttribute('aria-label')) ?? '';
    assert.match(summary, /^How total times of [\d,]+ answers were spread over time: p50 /);
    const colours = await cellStyles(page, 'fill');
    assert.ok(colours.length >= 3);
    assert.equal(new Set(colours).size, colours.length);
    const used = merged.findIndex((row) => row.some((count) => count > 0));
    await plot.focus();
    for (let step = 0; step <= used; step += 1) await page.keyboard.press('ArrowRight');
    const all = (merged[used] ?? []).reduce((sum, count) => sum + count, 0);
    assert.match((await card.locator('[aria-live]').textContent()) ?? '', new RegExp(` s .*, all ${all}$`));
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      downloadOf(page, 'Spread of total times'),
    ]);
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
    const rows = merged.map((row) => [...row, row.reduce((sum, count) => sum + count, 0)].map(String));
    assert.deepEqual(
      lines.slice(1).map((line) => line.split(',').slice(1)),
      rows,
    );
    assert.deepEqual(await tableOf(page, 'Spread of total times'), rows);
    await page.getByRole('button', { name: 'Spread of total times: more' }).click();
    await page.getByRole('button', { name: 'Show as chart' }).click();
    await plot.focus();
    for (let step = 0; step <= used; step += 1) await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    const shown = new URL(page.url()).searchParams;
    assert.deepEqual([shown.get('model'), shown.get('from')], [model, starts[used * together]]);
    assert.deepEqual(mishaps, []);
    await context.close();
  });
}

test("with a person's own colours, cells of a heat map differ by how strong they are", async () => {
  const { page, context } = await openPage(browser, demo.url, { forcedColors: 'active' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/models/${encodeURIComponent('acme/atlas-4')}?range=30d`);
  await settle(page);
  const seen = await cellStyles(page, 'opacity');
  assert.ok(seen.length >= 2);
  assert.equal(new Set(seen).size, seen.length);
  await context.close();
});

test('a model that never answered has no map, and says so', async () => {
  const { page, context } = await openPage(browser, demo.url, { width: 360 });
  await logIn(page, demo.url, demoKeys(demo).operator);
  const old = { from: '2026-01-01T00:00:00.000Z', to: '2026-01-02T00:00:00.000Z' };
  await page.goto(`${demo.url}/ui/models/${encodeURIComponent('acme/atlas-4')}?${new URLSearchParams(old)}`);
  await settle(page);
  await cardOf(page, 'Spread of total times').getByText('No answers in this range.').waitFor();
  assert.equal(await cardOf(page, 'Spread of total times').locator('svg.plot').count(), 0);
  await context.close();
});

test('a chart that could not be loaded says so and is asked again alone, while others go on', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  let isAway = true;
  await page.route(/usage\/series\?.*group=error/, (route) =>
    isAway
      ? route.fulfill({
          status: 500,
          contentType: 'application/json',
          body: '{"error":{"message":"out of order"}}',
        })
      : route.continue(),
  );
  await page.goto(`${demo.url}/?${new URLSearchParams(range())}`);
  const failures = cardOf(page, 'Failures by type');
  await failures.getByText('out of order').waitFor();
  await cardOf(page, 'Speed of answers').locator('.line').first().waitFor();
  await countIs(page.getByText('out of order'), 1);
  isAway = false;
  await failures.getByRole('button', { name: 'Try again' }).click();
  await failures.locator('.bar-mark').first().waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});
