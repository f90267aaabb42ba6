import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Secret } from '../../src/util/secret.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';

const headers = { 'content-type': 'application/json' };
let upstream: FakeUpstream;
let gateway: TestGateway;
let boss: string;
let browser: Browser;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({
    slug: 'north',
    name: 'North',
    baseUrl: `${upstream.url}/v1`,
    apiKey: new Secret('sk-of-the-operator-0123456789'),
  });
  const sandbox = providerOf({ slug: 'sandbox', name: 'Sandbox', adapter: 'sandbox' });
  const models = [
    modelOf('acme/atlas-4', [north]),
    modelOf('acme/a-model-with-quite-a-long-name-2026-preview', [north]),
    modelOf('sandbox/echo', [sandbox]),
  ];
  [gateway, browser] = await Promise.all([startGateway({ models }), openBrowser()]);
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await browser.close();
  await gateway.stop();
  await upstream.close();
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const) {
  test(`operators see how providers are reached, and ask one for its models: ${width} pixels`, async () => {
    const { page, context, mishaps } = await openPage(browser, gateway.url, { theme, width });
    await logIn(page, gateway.url, boss);
    await page.goto(`${gateway.url}/ui/models?tab=providers`);
    await page.getByText(`Adapter openai-chat, at ${new URL(upstream.url).host}, 1 credential`).waitFor();
    await settle(page);
    assert.equal(await page.getByRole('button', { name: 'Check Sandbox' }).count(), 0, 'nothing to ask');
    const check = page.getByRole('button', { name: 'Check North' });
    upstream.play({ headers, steps: [JSON.stringify({ data: [{ id: 'atlas-4' }] })] });
    await check.click();
    await page.getByText('It lists 1 model. It does not list:').waitFor();
    await page.getByText('as a-model-with-quite-a-long-name-2026-preview').waitFor();
    const faults = [...(await violationsOf(page, 'unlisted')), ...(await sideScroll(page, 'unlisted'))];
    upstream.play({ status: 401, headers, steps: ['{}'] });
    await check.click();
    await page.getByText('Credential refused').waitFor();
    await page.getByText('It answered 401: check its credential.').waitFor();
    faults.push(...(await violationsOf(page, 'refused')));
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

test('key holders see no address, and a dashboard that is read-only has no button', async () => {
  const one = await openPage(browser, gateway.url);
  await logIn(one.page, gateway.url, gateway.key);
  await one.page.goto(`${gateway.url}/ui/models?tab=providers`);
  await one.page.getByRole('link', { name: 'North' }).waitFor();
  await settle(one.page);
  assert.equal(await one.page.getByText('openai-chat').count(), 0);
  assert.deepEqual(one.mishaps, []);
  await one.context.close();
  gateway.setServer({ dashboard: { ...configOf({ models: [] }).server.dashboard, readOnly: true } });
  const other = await openPage(browser, gateway.url);
  await logIn(other.page, gateway.url, boss);
  await other.page.goto(`${gateway.url}/ui/models?tab=providers`);
  await other.page.getByText(/openai-chat, at/).waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Check North' }).count(), 0);
  await other.context.close();
  gateway.setServer({});
});
