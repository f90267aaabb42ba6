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

test('routers show what they chose, and what they would choose', async () => {
  const { holder, operator } = demoKeys(demo);
  const made = await fetch(`${demo.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${holder}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'service/auto', input: 'Solve the equation 2x + 3 = 7.' }),
  });
  assert.equal(made.status, 200, await made.clone().text());
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, operator);
    await page.goto(`${demo.url}/ui/routers`);
    await page.getByText('1 answer, 100%').first().waitFor();
    await page.getByLabel('Prompt').fill('Solve the equation 2x + 3 = 7.');
    await page.getByText('In this order:').waitFor();
    await page.getByText(/; models up to 18 may be chosen/).waitFor();
    const [place] = await page.getByText(/: cost percentile \d+, \d.* of the spend$/).allTextContents();
    const chosen = await page.getByText('In this order:').locator('strong').textContent();
    assert.ok(chosen?.startsWith(place?.split(':')[0] ?? '-'), `${place} is the first of ${chosen}`);
    await countIs(page.locator('.router-band circle.first'), 1);
    await settle(page);
    const faults = [...(await violationsOf(page, 'routers')), ...(await sideScroll(page, 'routers'))];
    await page.getByRole('button', { name: /models chosen: more$/ }).click();
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = page.getByRole('region', { name: 'Values' });
    await countIs(table.locator('tbody tr'), 7, 'seven days');
    faults.push(...(await violationsOf(page, 'table')), ...(await sideScroll(page, 'table')));
    await page.getByRole('heading', { name: /: fallback share$/ }).waitFor();
    await page.getByRole('link', { name: '0% after a fallback' }).waitFor();
    await page.getByRole('link', { name: '1 answer', exact: true }).click();
    await page.locator(`#${made.headers.get('x-generation-id')}`).waitFor();
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
});
