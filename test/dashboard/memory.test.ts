import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, CDPSession, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { eventually } from '../support/eventually.ts';
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

/** Goes once through pages by the navigation, as a person does, without loading the dashboard anew. */
async function goRound(page: Page): Promise<void> {
  for (const name of ['Requests', 'Models & providers', 'Keys', 'Overview']) {
    await page.getByRole('link', { name, exact: true }).first().click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    await settle(page);
  }
}

async function nodesOf(tools: CDPSession): Promise<number> {
  await tools.send('HeapProfiler.collectGarbage');
  return (await tools.send('Memory.getDOMCounters')).nodes;
}

test('pages that were left are forgotten', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  const tools = await context.newCDPSession(page);
  await goRound(page);
  const before = await nodesOf(tools);
  for (let round = 0; round < 4; round += 1) await goRound(page);
  // Four rounds draw nine times the nodes that one leaves; how thoroughly one collection works, the browser decides.
  const isForgotten = async () => (await nodesOf(tools)) < before * 3;
  await eventually(`three times the ${before} nodes of the first round at most`, isForgotten, 20_000);
  assert.deepEqual(mishaps, []);
  await context.close();
});
