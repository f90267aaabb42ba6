import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
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

const stored = (slug: string) => demo.storage.workspaces.find(demoKeys(demo).acme.account.id, slug);

test('a workspace is made, given budgets, plugins and members, changed and deleted', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('link', { name: 'Workspaces' }).click();
  await page.getByRole('button', { name: 'New workspace' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Night shift');
  await page.getByLabel('Short name').fill('night');
  await page.getByLabel('Web search').check();
  const faults = [...(await violationsOf(page, 'new workspace'))];
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name: 'Night shift' }).waitFor();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('A day').fill('5.000000001');
  await page.getByLabel('A month').fill('5');
  await page.getByText('Must be above the daily budget, $5.000000001.').waitFor();
  faults.push(...(await violationsOf(page, 'budgets')));
  assert.equal(await page.getByRole('button', { name: 'Save' }).isEnabled(), false);
  await page.getByLabel('A month').fill('50');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('meter', { name: 'Used part of the monthly budget' }).waitFor();
  await page.getByLabel('Add').first().selectOption({ label: 'Web search' });
  await page.getByRole('textbox', { name: 'Settings' }).fill('{"max_results": 99}');
  await page.getByLabel('Requests cannot change it').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('max_results').waitFor();
  await page.getByRole('textbox', { name: 'Settings' }).fill('{"max_results": 3}');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Change Web search' }).waitFor();
  await page.getByLabel('Add').last().selectOption({ label: 'Ben' });
  await page.getByRole('button', { name: 'Take out Ben' }).waitFor();
  await settle(page);
  faults.push(...(await violationsOf(page, 'filled')));
  const { id, disabledServerTools, pluginDefaults } = (await stored('night')) ?? {};
  assert.deepEqual(disabledServerTools, ['service:web_search']);
  assert.deepEqual(pluginDefaults, { web: { config: { max_results: 3 }, enforced: true } });
  const { budgets } = await demo.storage.budgets.read(id ?? '');
  assert.deepEqual(
    budgets.map(({ interval, limit }) => [interval, limit]),
    [
      ['daily', 5_000_000_001n],
      ['monthly', 50_000_000_000n],
    ],
  );
  await page.getByRole('button', { name: 'Take out Ben' }).click();
  await page.getByText('Nobody is in this workspace.').waitFor();
  await page.getByRole('button', { name: 'Actions for Night shift' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('night');
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByRole('heading', { level: 1, name: 'Workspaces & members' }).waitFor();
  assert.equal(await stored('night'), undefined);
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test('the pages fit and are accessible in both themes and widths; foreign workspaces are not found', async () => {
  const { acme, globex } = demoKeys(demo);
  for (const [theme, width] of [
    ['light', 360],
    ['dark', 1280],
  ] as const) {
    const { page, context } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, acme.managementKey);
    const faults: string[] = [];
    for (const path of ['/ui/workspaces', `/ui/workspaces/${acme.account.defaultWorkspaceId}`]) {
      await page.goto(demo.url + path);
      await settle(page);
      await page.getByText('Ada').first().waitFor();
      faults.push(...(await violationsOf(page, path)), ...(await sideScroll(page, path)));
    }
    await page.goto(`${demo.url}/ui/workspaces/${globex.account.defaultWorkspaceId}`);
    await page.getByText('This could not be loaded').waitFor();
    assert.deepEqual(faults, []);
    await context.close();
  }
});
