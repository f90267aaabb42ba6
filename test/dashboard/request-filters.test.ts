import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { countIs, logIn, openBrowser, openPage, settle, violationsOf } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(100), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

async function call(method: string, path: string, key: string, body: object): Promise<Response> {
  return fetch(`${demo.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Adds a filter by its dialog. @param choose Whether the value is one of a closed list. */
async function addFilter(page: Page, field: string, value: string, choose = false): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a filter' });
  await dialog.getByLabel('Field').selectOption({ label: field });
  const input = dialog.getByLabel('Value');
  if (choose) await input.selectOption({ label: value });
  else await input.fill(value);
  await dialog.getByRole('button', { name: 'Add filter' }).click();
}

test('requests are narrowed by status, requested model, preset, router and workspace; the file is what is listed', async () => {
  const { operator, acme } = demoKeys(demo);
  const key = acme.keys['support-search'] ?? '';
  const made = await call('POST', '/workspaces', operator, { name: 'Second place', slug: 'second-place' });
  assert.equal(made.status, 201, await made.text());
  const preset = { model: 'acme/atlas-4', temperature: 0.3, input: 'x' };
  assert.equal((await call('POST', '/presets/short-words/responses', operator, preset)).status, 200);
  const sent = await call('POST', '/responses', key, { preset: 'short-words', input: 'Hello there' });
  assert.equal(sent.status, 200, await sent.text());
  const id = sent.headers.get('x-generation-id') ?? '';

  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, operator);
  await page.goto(`${demo.url}/ui/requests?range=24h`);
  await settle(page);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a filter' });
  await dialog.getByLabel('Field').selectOption({ label: 'Status' });
  await dialog.getByLabel('Value').fill('42');
  await dialog.getByRole('button', { name: 'Add filter' }).click();
  await dialog.getByText('Enter an HTTP status such as 429.').waitFor();
  // Presets are suggested by the slugs there are.
  await dialog.getByLabel('Field').selectOption({ label: 'Preset' });
  await dialog.locator('datalist option[value="short-words"]').waitFor({ state: 'attached' });
  await dialog.getByLabel('Field').selectOption({ label: 'Router' });
  await dialog.locator('datalist option[value="service/auto"]').waitFor({ state: 'attached' });
  assert.deepEqual(await violationsOf(page, 'filters'), []);
  await page.keyboard.press('Escape');

  await addFilter(page, 'Status', '200');
  await addFilter(page, 'Requested model', 'acme/*');
  await addFilter(page, 'Preset', 'short-words');
  const rows = page.getByRole('region', { name: 'Requests' }).locator('tbody tr');
  await page.getByText('before 3 more filters').waitFor();
  await page.locator(`#${id}`).waitFor();
  await countIs(rows, 1);
  const { searchParams } = new URL(page.url());
  assert.deepEqual(
    ['status', 'requested_model', 'preset'].map((name) => searchParams.get(name)),
    ['200', 'acme/*', 'short-words'],
  );
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('button', { name: 'JSON lines' }).click();
  const file = await readFile(await (await download).path(), 'utf8');
  assert.deepEqual(
    file
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map((row: { id: string; preset: string }) => [row.id, row.preset]),
    [[id, 'short-words']],
  );

  await addFilter(page, 'Workspace', 'Second place', true);
  await page.getByText('No request').waitFor();
  await page.getByRole('button', { name: 'Remove filter Workspace' }).click();
  await page.locator(`#${id}`).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('workspace'), null);
  assert.deepEqual(mishaps, []);
  await context.close();
});
