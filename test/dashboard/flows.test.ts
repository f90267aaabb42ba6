import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
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

test('a link logs in once, and its code stays in no history', async () => {
  const first = await openPage(browser, demo.url);
  await first.page.goto(demo.link);
  await first.page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  assert.equal(first.page.url(), `${demo.url}/`);
  await first.context.close();
  const second = await openPage(browser, demo.url);
  await second.page.goto(demo.link);
  await second.page.getByText('not accepted').waitFor();
  await second.page.getByLabel('Management or API key').waitFor();
  await second.context.close();
});

test('a session survives a reload, is the same in another tab, and ends with the logout', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.reload();
  await settle(page);
  const other = await context.newPage();
  await other.goto(`${demo.url}/ui/keys`);
  await other.getByText('web-assistant').waitFor();
  const cookies = await context.cookies();
  assert.ok(cookies.every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict'));
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await page.getByLabel('Management or API key').waitFor();
  // The old cookie is useless, with whatever token.
  await context.addCookies(cookies);
  const answer = await context.request.get(`${demo.url}/ui/session`, {
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  assert.equal(answer.status(), 401);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('a key that is disabled elsewhere ends the session; a login over the page goes on where it was', async () => {
  const { page, context } = await openPage(browser, demo.url);
  const { initech, operator } = demoKeys(demo);
  const holder = initech.keys.prototype ?? '';
  await logIn(page, demo.url, holder);
  await page.goto(`${demo.url}/ui/playground`);
  await page.getByLabel('Prompt').fill('A draft that must stay');
  await demo.storage.keys.update(hashKey(holder), { disabled: true }, Date.now());
  await page.goto(`${demo.url}/ui/requests`);
  await page.keyboard.press('r');
  await page
    .getByRole('heading', { name: 'Your session has ended' })
    .or(page.getByLabel('Management or API key'))
    .first()
    .waitFor();
  await page.getByLabel('Management or API key').fill(operator);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByLabel('Management or API key').waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  await page.goto(`${demo.url}/ui/playground`);
  assert.equal(await page.getByLabel('Prompt').inputValue(), 'A draft that must stay');
  await context.close();
});

test('a key holder sees its own calls alone, and no page for managers', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).holder);
  await settle(page);
  const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
  assert.deepEqual(names, [
    'Overview',
    'Live',
    'Requests',
    'Sessions',
    'Playground',
    'Models & providers',
    'Presets',
    'Route explainer',
    'Settings',
  ]);
  await page.getByText('left of $5.00').first().waitFor();
  await page.goto(`${demo.url}/ui/keys`);
  await page.getByRole('heading', { name: 'Keys needs a management key' }).waitFor();
  await page.goto(`${demo.url}/ui/requests?range=30d`);
  await settle(page);
  const rows = await page.locator('tbody tr').allTextContents();
  assert.ok(rows.length > 0);
  assert.ok(
    rows.every((row) => row.includes('ci-bot')),
    'no other key',
  );
  const foreign = await demo.storage.usage.calls({
    range: { from: 0, to: Date.now() + 1 },
    filters: { accountId: demoKeys(demo).globex.account.id },
    calls: {},
    before: undefined,
    limit: 1,
  });
  await page.goto(`${demo.url}/ui/requests/${foreign.generations[0]?.id}`);
  await page.getByText('This could not be loaded').waitFor();
  await context.close();
});

test('a key is created in three clicks, shown once, edited, disabled, and deleted by its name', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Name').fill('fresh <b>key</b>');
  await page.getByLabel('Limit in USD').fill('20');
  await page.getByRole('button', { name: 'Create' }).click();
  const raw = await page.locator('.raw-key').textContent();
  assert.match(raw ?? '', /^sk-hg-v1-[0-9a-f]{64}$/);
  // It asks before it closes uncopied.
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('You have not copied the key').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: 'fresh <b>key</b>' }).waitFor();
  assert.ok(!(await page.content()).includes(raw ?? '-'), 'nowhere on the page any more');
  const stored = await demo.storage.keys.findWithAccount(hashKey(raw ?? ''));
  assert.equal(stored?.key.limit, 20_000_000_000n);
  assert.equal(stored?.key.limitReset, 'monthly');
  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for fresh' }).click();
    await page.getByRole('button', { name: action }).click();
  };
  await act('Edit…');
  await page.getByLabel('Limit in USD').fill('7.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('of $7.50').waitFor();
  await act('Disable…');
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await page
    .getByRole('row', { name: /fresh/ })
    .getByRole('cell', { name: 'disabled', exact: true })
    .waitFor();
  const notice = page.getByRole('status').filter({ hasText: /\S/ });
  assert.equal(await notice.textContent(), 'Disabled fresh <b>key</b>');
  await act('Enable');
  await page.getByRole('row', { name: /fresh/ }).getByRole('cell', { name: 'active', exact: true }).waitFor();
  assert.equal(await notice.textContent(), 'Enabled fresh <b>key</b>');
  await page.keyboard.press('Escape');
  await notice.waitFor({ state: 'detached' });
  await act('Delete…');
  const remove = page.getByRole('button', { name: 'Delete for good' });
  assert.ok(await remove.isDisabled());
  await page.getByLabel(/to confirm/).fill('fresh <b>key</b>');
  await remove.click();
  await page.getByRole('link', { name: 'fresh' }).waitFor({ state: 'detached' });
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('a credential is stored, never shown, put first, disabled and deleted; the audit log has it all', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('link', { name: 'Own credentials' }).click();
  await page.getByRole('button', { name: 'New credential' }).click();
  await page.locator('select[name=provider]').selectOption('northgpu');
  await page.locator('textarea[name=key]').fill('very-secret-credential-4711');
  await page.locator('input[name=name]').fill('fresh');
  await page.locator('select[name=use]').selectOption('only');
  await page.getByRole('button', { name: 'Store' }).click();
  const rows = page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Actions for/ }) });
  await rows.nth(2).getByText('Never the shared capacity').waitFor();
  assert.ok(!(await page.content()).includes('very-secret'), 'the secret is nowhere on the page');
  const act = async (action: string) => {
    await page.getByRole('button', { name: 'Actions for fresh' }).click();
    await page.getByRole('button', { name: action }).click();
  };
  await act('Try earlier');
  await rows.nth(1).getByText('fresh').waitFor();
  await act('Disable');
  await rows.nth(1).getByText('disabled').waitFor();
  await act('Delete…');
  await page.getByRole('button', { name: 'Delete for good' }).click();
  await page.getByText('fresh').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByLabel('Object').selectOption('credential');
  await page.getByText('Credential deleted').waitFor();
  assert.ok(!(await page.content()).includes('very-secret'));
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('refused');
  await page.getByText('No entries in this range').waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('another session of the key can be logged out', async () => {
  const [one, other] = [await openPage(browser, demo.url), await openPage(browser, demo.url)];
  await logIn(one.page, demo.url, demoKeys(demo).manager);
  await logIn(other.page, demo.url, demoKeys(demo).manager);
  await one.page.goto(`${demo.url}/ui/settings`);
  await one.page.getByRole('row').getByRole('button', { name: 'Log out' }).click();
  await one.page.getByRole('row').getByRole('button', { name: 'Log out' }).waitFor({ state: 'detached' });
  await other.page.reload();
  await other.page.getByLabel('Management or API key').waitFor();
  await one.context.close();
  await other.context.close();
});

test('two accounts in one session: the address says which one acts', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Add account or key' }).click();
  await page.getByLabel('Another management or API key').fill(demoKeys(demo).manager);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.waitForURL(/as=2/);
  await page.getByRole('link', { name: 'Keys', exact: true }).click();
  await page.getByText('notebooks').waitFor();
  assert.match(page.url(), /as=2/);
  const other = await context.newPage();
  await other.goto(`${demo.url}/ui/keys`);
  await other.getByText('web-assistant').waitFor();
  assert.equal(await other.getByText('notebooks').count(), 0);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('the sixth wrong key of a minute is refused with a wait', async () => {
  const { page, context } = await openPage(browser, demo.url);
  // Minutes are those of the clock: all six must come in one.
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 30_000) await sleep(left);
  await page.goto(demo.url);
  const field = page.getByLabel('Management or API key');
  for (let attempt = 0; attempt < 6; attempt += 1) {
    await field.fill(`wrong-${attempt}`);
    const answered = page.waitForResponse(/ui\/session/);
    await page.getByRole('button', { name: 'Log in' }).click();
    await answered;
  }
  await page.getByText('Too many failed logins').waitFor();
  await context.close();
});
