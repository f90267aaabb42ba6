import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Model } from '../../src/core/catalogue.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, sideScroll, violationsOf } from './support/open-browser.ts';

let gateway: TestGateway;
let upstream: FakeUpstream;
let broken: FakeUpstream;
let browser: Browser;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good', ' day.') });
  broken = await startFakeUpstream({ status: 503, headers: {}, steps: ['{}'] });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const south = providerOf({
    slug: 'south',
    name: 'SouthGPU',
    baseUrl: `${broken.url}/v1`,
    retainsPrompts: true,
    trainsOnPrompts: true,
    publishesPrompts: true,
  });
  const atlas: Model = { ...modelOf('acme/atlas', [north, south]), contextLength: 200_000 };
  const price = {
    prompt: parsePricePerMillion(0.2),
    completion: parsePricePerMillion(0.4),
    request: parsePricePerUnit(0.001),
    overrides: [{ minPromptTokens: 32_000, prompt: parsePricePerMillion(0.8) }],
  };
  const supportedParameters = new Set(['temperature', 'tools']);
  const ibis: Model = {
    ...modelOf('acme/ibis', [south], { price, supportedParameters }),
    inputModalities: ['text'],
    contextLength: 64_000,
  };
  gateway = await startGateway({ models: [atlas, ibis] });
  browser = await openBrowser();
});

after(async () => {
  await browser.close();
  await gateway.stop();
  await Promise.all([upstream.close(), broken.close()]);
});

/** Waits until the list has these models besides those of the gateway itself, and no others. */
async function listed(page: Page, ...names: readonly string[]): Promise<void> {
  const links = page.locator('table.models tbody tr td:first-child a', { hasText: /^acme/ });
  await eventually(`a list of ${names.join(' and ')}`, async () => {
    return (await links.allTextContents()).toSorted().join() === names.join();
  });
}

test('models are narrowed by what they read, cost, take and keep; the address has it all', async () => {
  const { page, context, mishaps } = await openPage(browser, gateway.url, { width: 360 });
  await logIn(page, gateway.url, gateway.key);
  await page.goto(`${gateway.url}/ui/models`);
  await listed(page, 'acme/atlas', 'acme/ibis');
  await page.getByLabel('Reads').selectOption('image');
  await listed(page, 'acme/atlas');
  await page.getByLabel('Input price at most').selectOption('0.25');
  await page.getByRole('heading', { name: 'No model matches' }).waitFor();
  const faults = [...(await violationsOf(page, 'filtered')), ...(await sideScroll(page, 'filtered'))];
  await page.reload();
  await page.getByRole('heading', { name: 'No model matches' }).waitFor();
  assert.equal(await page.getByLabel('Input price at most').inputValue(), '0.25');
  await page.getByLabel('Reads').selectOption('');
  await listed(page, 'acme/ibis');
  await page.goBack();
  await page.getByRole('heading', { name: 'No model matches' }).waitFor();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await listed(page, 'acme/atlas', 'acme/ibis');
  await page.getByLabel('Context at least').selectOption('128000');
  await listed(page, 'acme/atlas');
  await page.getByLabel('Context at least').selectOption('');
  await page.getByLabel('Supports the parameter').selectOption('tools');
  await listed(page, 'acme/atlas', 'acme/ibis');
  await page.getByLabel('Zero data retention').check();
  await listed(page, 'acme/atlas');
  await page.getByLabel('Zero data retention').uncheck();
  await page.getByLabel('Search models').fill('ibis');
  await listed(page, 'acme/ibis');
  assert.equal(new URL(page.url()).searchParams.get('q'), 'ibis');
  await page.goto(`${gateway.url}/ui/models?max_price=cheap`);
  await page.getByText(/^max_price: expected a number/).waitFor();
  await page.getByLabel('Input price at most').selectOption('');
  await listed(page, 'acme/atlas', 'acme/ibis');
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test('an endpoint says how it does, on how many answers that rests, what it keeps and what it costs', async () => {
  const boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  for (const [model, only] of [
    ['acme/atlas', 'north'],
    ['acme/atlas', 'north'],
    ['acme/ibis', 'south'],
    ['acme/ibis', 'south'],
  ]) {
    const sent = await gateway.post({ model, provider: { only: [only] }, input: 'Hello', stream: true });
    await sent.text();
  }
  const { page, context, mishaps } = await openPage(browser, gateway.url, { theme: 'dark', width: 360 });
  await logIn(page, gateway.url, boss);
  await page.goto(`${gateway.url}/ui/models/acme%2Fatlas`);
  const north = page.getByRole('region', { name: 'north' });
  await north.getByText(/^half within .*, 99 of 100 within .* of 2 answers in 30 minutes$/).waitFor();
  await north.getByText('none of 2 attempts in 30 minutes').waitFor();
  await north.getByText('zero data retention').waitFor();
  await north.getByText('not trained on').waitFor();
  await page.goto(`${gateway.url}/ui/models/acme%2Fibis`);
  const south = page.getByRole('region', { name: 'south' });
  await south.getByText(/^down since \d\d:\d\d/).waitFor();
  await south.getByText('2 of 2 attempts in 30 minutes: 2 × overloads').waitFor();
  for (const words of ['may be kept', 'may be trained on', 'may be published']) {
    await south.getByText(words, { exact: true }).waitFor();
  }
  await south.getByRole('row', { name: 'Each request $0.001 a request' }).waitFor();
  await south.getByRole('row', { name: 'More than 32,000 tokens of input input $0.80 /M' }).waitFor();
  await south.getByText('2 parameters').click();
  await south.getByText('temperature', { exact: true }).waitFor();
  const faults = [...(await violationsOf(page, 'endpoint')), ...(await sideScroll(page, 'endpoint'))];
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});
