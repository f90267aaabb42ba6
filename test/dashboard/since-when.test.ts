import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';

let gateway: TestGateway;
let broken: FakeUpstream;
let browser: Browser;

before(async () => {
  broken = await startFakeUpstream({ status: 503, headers: {}, steps: ['{}'] });
  const models = ['one', 'two', 'three', 'four', 'five'].map((name) =>
    modelOf(`acme/${name}`, [providerOf({ slug: 'south', name: 'SouthGPU', baseUrl: `${broken.url}/v1` })]),
  );
  gateway = await startGateway({ models });
  browser = await openBrowser();
});

after(async () => {
  await browser.close();
  await gateway.stop();
  await broken.close();
});

test('whether a provider is down, and since when, is one click from the overview', async () => {
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  for (const name of ['one', 'two', 'three', 'four', 'five', 'one', 'two', 'three', 'four', 'five']) {
    const sent = await gateway.post({ model: `acme/${name}`, input: 'Hello' });
    await sent.text();
  }
  const once = await fetch(`${gateway.url}/api/v1/endpoints/health`, {
    headers: { authorization: `Bearer ${boss}` },
  });
  assert.equal(((await once.json()) as { data: { state: string }[] }).data[0]?.state, 'down');
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, gateway.url, { theme, width });
    await logIn(page, gateway.url, boss);
    if (width === 1280) await page.getByRole('link', { name: 'Health' }).click();
    else await page.goto(`${gateway.url}/ui/health`);
    await settle(page);
    const row = page.getByRole('region', { name: 'Providers' }).getByRole('row', { name: /^SouthGPU/ });
    const line = /one: down since \d\d:\d\d:\d\d.* \(2 × overloads\); no answer within a day/;
    await row.getByText(line).first().waitFor();
    await row.getByText('and 2 more endpoints').waitFor();
    await page.getByText('1 problem', { exact: true }).waitFor();
    await page.getByText(/^SouthGPU is down since 20/).waitFor();
    const faults = [...(await violationsOf(page, 'since')), ...(await sideScroll(page, 'since'))];
    await page.goto(`${gateway.url}/ui/models?tab=providers`);
    await settle(page);
    await page
      .getByRole('row', { name: /^SouthGPU/ })
      .getByText(line)
      .first()
      .waitFor();
    faults.push(...(await violationsOf(page, 'providers')), ...(await sideScroll(page, 'providers')));
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
});
