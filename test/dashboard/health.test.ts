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

/** A process that died a minute ago, and alerts of every outcome. */
async function trouble({ storage }: Demo): Promise<void> {
  const now = Date.now();
  await storage.processes.report({
    id: 'proc_dead',
    host: 'box-2',
    pid: 4711,
    version: '0.0.9',
    startedAt: now - 86_400_000,
    seenAt: now - 60_000,
    figures: undefined,
  });
  const object = { type: 'provider', id: 'northgpu', name: 'NorthGPU' };
  for (const [n, type] of ['provider.down', 'provider.up', 'provider.down'].entries()) {
    const body = JSON.stringify({ type, data: { object, failures: 5 } });
    const place = { subject: 'provider northgpu', threshold: `${n}`, window: 'x' };
    const createdAt = now - (n + 1) * 3_600_000;
    await storage.alerts.raise({ ...place, id: `evt_${n}`, type, body, createdAt, expiresAt: null });
  }
  await storage.alerts.delivered('evt_1', now);
  await storage.alerts.postpone('evt_2', null);
}

test('operators see processes, risks, providers and alerts, in both themes and on small screens', async () => {
  await trouble(demo);
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/health`);
    await settle(page);
    await page.getByText('1 problem', { exact: true }).waitFor();
    await page.getByText('Process 4711 on box-2 was last heard of').waitFor();
    await countIs(page.getByRole('article'), 2);
    await page.getByRole('article', { name: 'Process 4711 on box-2' }).getByText('lost').waitFor();
    const own = page.getByRole('article', { name: `Process ${process.pid} on` });
    await own.getByText('takes requests').waitFor();
    await own.getByText('it answered this page').waitFor();
    await page.getByRole('cell', { name: 'NorthGPU answers again' }).waitFor();
    const notes = page.getByText(/worth knowing/);
    await notes.click();
    await page.getByText('set alerts.webhook').waitFor();
    const faults = [...(await violationsOf(page, 'health')), ...(await sideScroll(page, 'health'))];
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
  await demo.storage.processes.leave('proc_dead');
});

test('others have no such page, and say so when its address is opened', async () => {
  const { manager, holder } = demoKeys(demo);
  for (const key of [manager, holder]) {
    const { page, context } = await openPage(browser, demo.url);
    await logIn(page, demo.url, key);
    assert.equal(await page.getByRole('link', { name: 'Health' }).count(), 0);
    await page.goto(`${demo.url}/ui/health`);
    await page.getByRole('heading', { name: 'Health needs a management key of an operator' }).waitFor();
    await context.close();
  }
});

test('operators search the configuration in use on the page of settings', async () => {
  for (const [theme, width] of [
    ['dark', 1280],
    ['light', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/settings`);
    const configuration = page.getByRole('region', { name: 'Configuration' });
    await configuration.getByText('headgate.yaml:').first().waitFor();
    await configuration.getByRole('button', { name: /^All/ }).click();
    await configuration.getByLabel('Search the configuration').fill('no such key');
    await configuration.getByText('Nothing is found.').waitFor();
    await configuration.getByLabel('Search the configuration').fill('drain_timeout');
    await configuration.getByText('default', { exact: true }).waitFor();
    await countIs(configuration.getByRole('term'), 1);
    await settle(page);
    const faults = [...(await violationsOf(page, 'settings')), ...(await sideScroll(page, 'settings'))];
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).manager);
  await page.goto(`${demo.url}/ui/settings`);
  await page.getByRole('heading', { name: 'This browser' }).waitFor();
  assert.equal(await page.getByText('Configuration in use').count(), 0);
  await context.close();
});

test('the palette finds ids, keys, workspaces and credentials with the keyboard alone', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await settle(page);
  const field = page.getByRole('combobox', { name: /Search pages/ });
  const focused = await page.evaluate(`new Promise((resolve) => {
    dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true, cancelable: true }));
    setTimeout(() => resolve(document.activeElement.className));
  })`);
  assert.equal(focused, 'palette-field', 'no key is lost that is typed at once');
  await page.keyboard.press('Escape');
  const found = page.getByRole('listbox', { name: 'Found' });
  const first = found.getByRole('option', { selected: true });
  const jump = async (text: string, expected: RegExp) => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await first.filter({ hasText: expected }).waitFor();
  };
  await jump('support-search', /^support-search .*Key/);
  const faults = [...(await violationsOf(page, 'palette'))];
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /support-search/ }).waitFor();
  await jump('northgpu', /Credential · northgpu|Provider · northgpu/);
  assert.ok((await found.getByRole('option').count()) > 2);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  assert.equal(await field.getAttribute('aria-activedescendant'), await first.getAttribute('id'));
  await page.keyboard.press('Escape');
  const { calls } = await list();
  await jump(calls[0] ?? '', /Request/);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/requests/${calls[0]}**`);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('no-such-thing');
  await page.getByText('Nothing found.').waitFor();
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

/** The newest calls of the operator's account. */
async function list(): Promise<{ readonly calls: readonly string[] }> {
  const from = new Date(Date.now() - 7 * 86_400_000).toISOString();
  const response = await fetch(`${demo.url}/api/v1/generations?limit=1&outcome=ok&from=${from}`, {
    headers: { authorization: `Bearer ${demoKeys(demo).operator}` },
  });
  const { data } = (await response.json()) as { data: readonly { readonly id: string }[] };
  return { calls: data.map(({ id }) => id) };
}
