import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { startBroadcasting } from '../support/destination-backend.ts';
import { eventually } from '../support/eventually.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;
const session = '/ui/request-sessions/pump-review-7';

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(200), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

/** How often what was said was read. */
async function readings(): Promise<number> {
  const headers = { authorization: `Bearer ${demoKeys(demo).operator}` };
  const response = await fetch(`${demo.url}/api/v1/audit?action=content.read`, { headers });
  return ((await response.json()) as { readonly data: readonly unknown[] }).data.length;
}

test('a run of an agent is a waterfall, and each of its requests shows what was said, read once', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/request-sessions`);
  await page.getByRole('link', { name: 'pump-review-7' }).click();
  await page.getByRole('heading', { level: 1, name: 'Session pump-review-7' }).waitFor();
  await settle(page);
  const lines = page.locator('.waterfall tbody tr');
  assert.equal(await lines.count(), 3);
  assert.match((await page.getByLabel('Sums').textContent()) ?? '', /Requests3 in 3 turns.*Failed0/);
  const bars = await page
    .locator('.lane-answers')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  assert.deepEqual(
    bars,
    bars.toSorted((one, other) => one - other),
    'one after the other',
  );
  await lines.last().getByRole('link').click();
  const before = await readings();
  await page.getByRole('tab', { name: 'Content' }).click();
  const panel = page.getByRole('tabpanel');
  await panel.getByText('Which of our pumps need a new seal before winter?').waitFor();
  await panel.getByText('Calls list_pumps').waitFor();
  await panel.getByText('"P-9"').first().waitFor();
  await panel.getByText('Instructions').waitFor();
  await page.getByRole('tab', { name: 'Cost' }).click();
  await page.getByRole('tab', { name: 'Content' }).click();
  await panel.getByRole('button', { name: 'Raw' }).click();
  await panel.getByText('"characters_left_out": 0').waitFor();
  assert.equal((await readings()) - before, 1, 'coming back to the tab is no second reading');
  await panel.getByRole('button', { name: 'Open in playground' }).click();
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
  await page.getByText(/items of a conversation come before the prompt/).waitFor();
  const answer = page.locator('.columns').getByText(/\[sandbox\]/);
  assert.equal(await answer.count(), 0, 'nothing is sent by itself');
  await page.getByLabel('Prompt', { exact: true }).fill('And the others?');
  await page.getByRole('button', { name: 'Send' }).click();
  await answer.first().waitFor();
  await page.getByText('items of a conversation').click();
  await page.getByRole('button', { name: 'Leave them out' }).click();
  await page.getByText('items of a conversation').waitFor({ state: 'detached' });
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('without anything kept the tab says how to keep it, and holders of keys have no such tab', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).manager);
  await page.goto(`${demo.url}/ui/requests?range=30d`);
  await page.locator('tbody tr').first().click();
  await page.getByRole('tab', { name: 'Content' }).click();
  await page.getByText('What was said was not kept').waitFor();
  await page.getByText('--content-logging true').waitFor();
  assert.deepEqual(await violationsOf(page, 'not kept'), []);
  await context.close();

  const other = await openPage(browser, demo.url);
  await logIn(other.page, demo.url, demoKeys(demo).holder);
  await other.page.goto(demo.url + session);
  await other.page.locator('.waterfall tbody a').first().click();
  await other.page.getByRole('tab', { name: 'Cost' }).waitFor();
  assert.equal(await other.page.getByRole('tab', { name: 'Content' }).count(), 0);
  await other.context.close();
});

test('a session of another account is empty, and one of long ago is found by a longer range', async () => {
  const { page, context } = await openPage(browser, demo.url, { width: 360 });
  await logIn(page, demo.url, demoKeys(demo).manager);
  await page.goto(`${demo.url}${session}?range=1h`);
  await page.getByText('No requests of it in this range').waitFor();
  await page.getByRole('link', { name: 'Look through 30 days' }).click();
  await page.waitForURL(/range=30d/);
  await page.getByText('No requests of it in this range').waitFor();
  assert.deepEqual([...(await violationsOf(page, 'empty')), ...(await sideScroll(page, 'empty'))], []);
  await context.close();
});

test('a destination is tested, stored, switched on for its workspace, changed and deleted', async (t) => {
  const { backend, gateway, manage, ask } = await startBroadcasting(t);
  const workspace = `/workspaces/${gateway.account.defaultWorkspaceId}`;
  await manage('PATCH', workspace, { is_observability_broadcast_enabled: false });
  const { page, context, mishaps } = await openPage(browser, gateway.url);
  t.after(() => context.close());
  await logIn(page, gateway.url, await gateway.createKey({ kind: 'management', workspaceId: null }));
  await page.goto(`${gateway.url}/ui/destinations`);
  await page.getByRole('button', { name: 'New destination' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Type').selectOption('webhook');
  await dialog.getByLabel('Name').fill('Hook');
  await dialog.getByLabel('URL', { exact: true }).fill(`${backend.url}/in`);
  await dialog.getByText('More settings').click();
  await dialog.getByLabel('Further headers').fill('x-team: water');
  assert.deepEqual(await violationsOf(page, 'new destination'), []);
  backend.answer = { status: 503 };
  await dialog.getByRole('button', { name: 'Test and create' }).click();
  await dialog.getByText(/it did not accept the test \(status 503\)/).waitFor();
  backend.answer = { status: 200 };
  await dialog.getByRole('button', { name: 'Test and create' }).click();
  await page.getByText('Copy it now: it is never shown again.').waitFor();
  assert.match((await page.locator('.signing-secret').textContent()) ?? '', /^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.locator('tbody tr');
  await row.getByText('nothing sent yet').waitFor();
  assert.equal(backend.tests.at(-1)?.headers['x-team'], 'water');

  await page.getByText('sends nothing yet').waitFor();
  await page.getByRole('button', { name: 'Send its traces' }).click();
  await page.getByText('sends nothing yet').waitFor({ state: 'detached' });
  await ask('Hello');
  await backend.wait(1);
  await eventually('the state on the page', async () => {
    await page.reload();
    await settle(page);
    return (await row.getByText('ok', { exact: true }).count()) > 0;
  });
  assert.deepEqual(await violationsOf(page, 'destinations'), []);

  const tests = backend.tests.length;
  const menu = page.getByRole('button', { name: 'Actions for Hook' });
  await menu.click();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await dialog.getByLabel('Name').fill('Hooked');
  await dialog.getByLabel('Amounts').check();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await row.getByText('all sessions, amounts').waitFor();
  assert.equal(backend.tests.length, tests, 'a name needs no test');
  const { body } = await manage('GET', '/observability/destinations');
  assert.match(body.data[0].config.signingSecret, /^\*{4}/);
  assert.equal(body.data[0].filter_rules, null);

  await page.getByRole('button', { name: 'Actions for Hooked' }).click();
  await page.getByRole('button', { name: 'Test…' }).click();
  await dialog.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Hooked took the test.').waitFor();
  assert.equal(backend.tests.length, tests + 1);
  await page.getByRole('button', { name: 'Actions for Hooked' }).click();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await dialog.getByRole('textbox').fill('Hooked');
  await dialog.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('No destinations yet').waitFor();
  assert.deepEqual(mishaps, []);
});
