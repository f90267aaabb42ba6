import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, violationsOf } from './support/open-browser.ts';
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

test('an operator who came by a link types the key, grants once, and verifies', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await page.goto(demo.link);
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('link', { name: 'Credits & ledger' }).click();
  const { globex } = demoKeys(demo);
  const before = await demo.storage.ledger.balance(globex.account.id);
  await page.getByLabel('Account shown').selectOption({ label: globex.account.name });
  const book = async () => {
    await page.getByRole('button', { name: 'Book credits…' }).click();
    await page.getByLabel('Amount in USD').fill('12.000000001');
    await page.getByLabel('Reference').fill('invoice-17');
    return page.getByLabel('Your management key');
  };
  const field = await book();
  const faults = [...(await violationsOf(page, 'book credits'))];
  await field.fill('sk-wrong');
  await page.getByRole('button', { name: 'Book', exact: true }).click();
  await page.getByText('not accepted').waitFor();
  await field.fill(demoKeys(demo).operator);
  await page.getByRole('button', { name: 'Book', exact: true }).click();
  await page.getByRole('cell', { name: 'invoice-17' }).waitFor();
  assert.equal(await (await book()).count(), 0, 'typed a moment ago');
  await page.getByRole('button', { name: 'Book', exact: true }).click();
  await page.getByText('booked before').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  const { balance } = await demo.storage.ledger.balance(globex.account.id);
  assert.equal(balance - before.balance, 12_000_000_001n);
  await page.getByRole('button', { name: 'Verify now' }).click();
  await page.getByText('everything adds up').waitFor();
  await settle(page);
  faults.push(...(await violationsOf(page, 'credits')));
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test('managers read their own credits and book nothing', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).manager);
  await page.goto(`${demo.url}/ui/credits?account=${demoKeys(demo).acme.account.id}`);
  await page.getByRole('heading', { name: 'Movements' }).waitFor();
  const id = demoKeys(demo).globex.account.id;
  const own = (await demo.storage.ledger.entries(id)).at(-1);
  await page
    .getByText(own?.externalRef ?? 'none')
    .first()
    .waitFor();
  assert.equal(await page.getByRole('button', { name: /Book credits|Verify/ }).count(), 0);
  await context.close();
});
