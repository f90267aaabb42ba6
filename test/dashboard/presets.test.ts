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

const stored = () => {
  const { id: accountId, defaultWorkspaceId: workspaceId } = demoKeys(demo).acme.account;
  return demo.storage.presets.find({ accountId, workspaceId: workspaceId ?? '' }, 'terse');
};

test('a preset is saved in the playground, compared, designated, disabled, tried', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/presets`);
  await page.getByText('No presets yet').waitFor();
  const save = async (instructions: string, tokens: string) => {
    await page.goto(`${demo.url}/ui/playground?models=acme/atlas-4-mini`);
    const settings = page.locator('details', { has: page.getByLabel('Instructions') });
    if ((await settings.getAttribute('open')) === null) await settings.locator('summary').click();
    await page.getByLabel('Instructions').fill(instructions);
    await page.getByLabel('Most output tokens').fill(tokens);
    await page.getByRole('button', { name: 'Save as preset' }).click();
    await page.getByLabel('Name').fill('terse');
    const faults = await violationsOf(page, 'save as preset');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'terse' }).waitFor();
    return faults;
  };
  const faults = [...(await save('Be terse.', '90'))];
  await save('Be terse.\nRhyme.', '50');
  await page.getByText('added: Rhyme.').waitFor();
  await page.getByText('removed: "max_output_tokens": 90').waitFor();
  await settle(page);
  faults.push(...(await violationsOf(page, 'a preset')));
  await page.getByRole('button', { name: 'Use version 1' }).click();
  await page.getByRole('button', { name: 'Use version 2' }).waitFor();
  assert.equal((await stored())?.designated.systemPrompt, 'Be terse.');
  await page.getByRole('button', { name: 'Actions for terse' }).click();
  await page.getByRole('button', { name: 'Edit…' }).click();
  await page.getByLabel('Description').fill('Short answers');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Short answers').waitFor();
  await page.getByRole('link', { name: 'Try in the playground' }).click();
  await page.getByLabel('Prompt').fill('Hi');
  await page.getByText(/at most \$/).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Actions for terse' }).click();
  await page.getByRole('button', { name: 'Disable' }).click();
  await page.locator('.page-head').getByText('disabled').waitFor();
  assert.equal((await stored())?.status, 'disabled');
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test('key holders read presets and change nothing; pages fit in both themes and widths', async () => {
  const { holder, manager } = demoKeys(demo);
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, holder);
    const faults: string[] = [];
    for (const path of ['/ui/presets', '/ui/presets/terse?version=2']) {
      await page.goto(demo.url + path);
      await page.getByRole('main').getByText('disabled').first().waitFor();
      await settle(page);
      faults.push(...(await violationsOf(page, path)), ...(await sideScroll(page, path)));
    }
    assert.equal(await page.getByRole('button', { name: /Use version|Actions for/ }).count(), 0);
    assert.deepEqual(faults, []);
    await context.close();
  }
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, manager);
  const foreign = demoKeys(demo).acme.account.defaultWorkspaceId;
  await page.goto(`${demo.url}/ui/presets/terse?of=${foreign}`);
  await page.getByText('This could not be loaded').waitFor();
  await context.close();
});
