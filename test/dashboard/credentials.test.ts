import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
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

/** The credentials of an account, with the menu of one of them. */
async function open(key: string, width: number) {
  const opened = await openPage(browser, demo.url, { width, theme: width < 900 ? 'dark' : 'light' });
  const { page } = opened;
  await logIn(page, demo.url, key);
  await page.goto(`${demo.url}/ui/credentials`);
  await settle(page);
  const act = async (name: string, action: string) => {
    await page.getByRole('button', { name: `Actions for ${name}` }).click();
    await page.getByRole('button', { name: action }).click();
  };
  const stored = async (name: string) => {
    const accountId = demoKeys(demo).acme.account.id;
    const { credentials } = await demo.storage.credentials.list({ accountId, offset: 0, limit: 100 });
    const found = credentials.find((one) => one.name === name);
    assert.ok(found);
    return found;
  };
  return { ...opened, act, stored };
}

const faultsOf = async (page: Page, name: string) => [
  ...(await violationsOf(page, name)),
  ...(await sideScroll(page, name)),
];

for (const width of [1280, 360]) {
  test(`a test says whether the credential works, how long it took and what it cost: ${width} pixels`, async () => {
    const { page, context, act, stored, mishaps } = await open(demoKeys(demo).operator, width);
    await page.getByText(/still free of the fee, beyond that it is 5%/).waitFor();
    await act('eu', 'Test…');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('It works').waitFor();
    await page
      .getByText(/at list prices/)
      .last()
      .waitFor();
    const faults = await faultsOf(page, 'test');
    await page.getByLabel('Model', { exact: true }).fill('acme/none');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByRole('alert').getByText('does not serve "acme/none"').waitFor();
    await page.getByLabel('Model', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('link', { name: 'Open the request' }).click();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    const record = await demo.storage.generations.find(page.url().split('/').at(-1)?.split('?')[0] ?? '');
    assert.deepEqual([record?.appTitle, record?.credentialId], ['Credential test', (await stored('eu')).id]);
    // A disabled one is not tested.
    await page.goto(`${demo.url}/ui/credentials`);
    await page.getByRole('button', { name: 'Actions for batch' }).click();
    assert.equal(await page.getByRole('button', { name: 'Test…' }).count(), 0);
    assert.equal((await stored('batch')).disabled, true);
    assert.deepEqual(faults, []);
    assert.deepEqual(mishaps, []);
    await context.close();
  });
}

test('all that a credential can be told is edited, and its secret replaced without being shown', async () => {
  const { page, context, act, stored, mishaps } = await open(demoKeys(demo).operator, 1280);
  const before = await stored('batch');
  await act('batch', 'Edit…');
  await page.locator('input[name=name]').fill('nightly');
  await page.locator('select[name=use]').selectOption('last');
  await page.locator('textarea[name=allowed_models]').fill('acme/atlas-4\nacme/atlas-4-mini');
  await page.getByText('Keys, users and data').click();
  await page.locator('select[name=keys]').selectOption('some');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('Choose at least one key').waitFor();
  await page.getByRole('checkbox', { name: 'ci-bot' }).check();
  await page.locator('textarea[name=allowed_user_ids]').fill('user-1, user-2');
  await page.locator('select[name=retention]').selectOption('none');
  const faults = await faultsOf(page, 'edit');
  await page.getByRole('button', { name: 'Save' }).click();
  await page
    .getByText('Only for models acme/atlas-4, acme/atlas-4-mini; key ci-bot; users user-1, user-2.')
    .waitFor();
  await page
    .getByText('After other own credentials; for what it covers, never the shared capacity.')
    .waitFor();
  const edited = await stored('nightly');
  assert.deepEqual(
    { ...edited, allowedKeyHashes: edited.allowedKeyHashes?.length },
    {
      ...before,
      name: 'nightly',
      isRequired: true,
      isFallback: true,
      allowedModels: ['acme/atlas-4', 'acme/atlas-4-mini'],
      allowedKeyHashes: 1,
      allowedUserIds: ['user-1', 'user-2'],
      declaredZdr: true,
    },
  );
  // Saved as it is, it stays as it is.
  await act('nightly', 'Edit…');
  await page.getByRole('checkbox', { name: 'ci-bot' }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('dialog').waitFor({ state: 'detached' });
  assert.deepEqual(await stored('nightly'), edited);

  await act('nightly', 'Replace the secret…');
  assert.equal(await page.locator('textarea[name=key]').inputValue(), '');
  await page.locator('textarea[name=key]').fill('very-secret-replacement-4712');
  faults.push(...(await faultsOf(page, 'replace')));
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('ver...4712').waitFor();
  assert.ok(!(await page.content()).includes('very-secret'));
  assert.deepEqual(await stored('nightly'), { ...edited, label: 'ver...4712' });
  assert.deepEqual(faults, []);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('who came by a link types the key before a secret is replaced', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await page.goto(demo.link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.goto(`${demo.url}/ui/credentials`);
  await page.getByRole('button', { name: 'Actions for eu' }).click();
  await page.getByRole('button', { name: 'Replace the secret…' }).click();
  await page.locator('textarea[name=key]').fill('very-secret-replacement-4713');
  await page.getByLabel('Your management key').fill(demoKeys(demo).operator);
  await page.getByRole('button', { name: 'Replace', exact: true }).click();
  await page.getByText('ver...4713').waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});
