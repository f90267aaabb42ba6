import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { eventually } from '../support/eventually.ts';
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
    await page.getByRole('textbox', { name: 'Reference' }).fill('invoice-17');
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
  await page.getByRole('button', { name: 'Balance, 30 days: more' }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('columnheader', { name: 'at the pace of 7 days' }).waitFor();
  const values = page.getByRole('region', { name: 'Values' });
  const known = await values.locator('td:nth-child(2)').allTextContents();
  const expected = await values.locator('td:nth-child(3)').allTextContents();
  const ahead = known.indexOf(known.find((text) => text !== '') ?? '');
  assert.equal(ahead, 30, 'days of which nothing is known yet');
  assert.equal(expected[ahead], known[ahead], 'from today on');
  for (let day = 0; day < ahead; day += 1) assert.ok(Number(expected[day]) < Number(expected[day + 1]));
  await context.close();
});

test('the movements of the account that is shown are a file, all of them', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  const { globex, operator } = demoKeys(demo);
  await logIn(page, demo.url, operator);
  await page.goto(`${demo.url}/ui/credits?account=${globex.account.id}`);
  const contents = async (format: string) => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: format, exact: true }).click(),
    ]);
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
  };
  const entries = await demo.storage.ledger.entries(globex.account.id);
  const lines = await contents('JSON lines');
  assert.equal(lines.name, 'ledger.jsonl');
  const shown = lines.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; amount_nano: string });
  assert.deepEqual(
    shown.map(({ id, amount_nano: amount }) => [id, amount]).toSorted(),
    entries.map(({ id, amount }) => [id, String(amount)]).toSorted(),
  );
  const csv = await contents('CSV');
  assert.equal(csv.name, 'ledger.csv');
  assert.equal(csv.text.trimEnd().split('\r\n').length, entries.length + 1);
  assert.deepEqual(mishaps, []);
  await context.close();
});

/** Begins a request whose answer takes some seconds. */
function slowRequest() {
  return fetch(`${demo.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demoKeys(demo).holder}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/atlas-4',
      input: 'A long story',
      stream: true,
      max_output_tokens: 900,
    }),
  });
}

for (const theme of ['light', 'dark'] as const) {
  for (const width of [1280, 360]) {
    test(`a running request is seen and stopped: ${theme}, ${width} pixels`, async () => {
      const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
      await logIn(page, demo.url, demoKeys(demo).operator);
      await page.goto(`${demo.url}/ui/live`);
      await page.getByText(/running, /).waitFor();
      const answer = await slowRequest();
      const id = answer.headers.get('x-generation-id') ?? '';
      const row = page.locator('tr', { has: page.locator(`td[title="${id}"]`) });
      await row.getByText('answering').waitFor();
      const faults = [...(await violationsOf(page, 'live')), ...(await sideScroll(page, 'live'))];
      await row.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('button', { name: 'Stop it' }).click();
      await assert.rejects(answer.text());
      // The list waits while the pointer rests on it.
      await page.mouse.move(0, 0);
      await row.getByText('cancelled').waitFor();
      const record = await eventually('the record', () => demo.storage.generations.find(id));
      assert.equal(record.cancelled, true);
      assert.deepEqual([faults, mishaps], [[], []]);
      await context.close();
    });
  }
}

test('a key holder sees its own running requests and stops none', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).holder);
  await page.goto(`${demo.url}/ui/live`);
  await page.getByText(/running, /).waitFor();
  const answer = await slowRequest();
  await page.getByRole('cell', { name: 'acme/atlas-4' }).first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Stop' }).count(), 0);
  // A page that comes into sight again goes on where it was: the request is still there, without another snapshot.
  const again = page.waitForRequest((request) => request.url().includes('/ui/api/live'));
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  const { 'last-event-id': lastId = '' } = await (await again).allHeaders();
  assert.match(lastId, /^\S+\.\d+$/);
  await answer.body?.cancel();
  await page.getByRole('link', { name: 'acme/atlas-4' }).waitFor();
  await context.close();
});

test('running requests of several processes say which one runs them', async () => {
  const row = (id: string, process: string, changes = {}) => ({
    id,
    process,
    account_id: 'a',
    key_hash: 'k'.repeat(64),
    workspace_id: null,
    requested_model: 'acme/atlas-4',
    model: null,
    provider: null,
    attempt: 0,
    phase: 'admitted',
    streamed: true,
    began_at: new Date().toISOString(),
    first_token_ms: null,
    output_tokens: 0,
    ceiling_nano: null,
    outcome: null,
    cost_nano: null,
    ended_at: null,
    ...changes,
  });
  const ended = { phase: 'ended', outcome: 'unknown', ended_at: new Date().toISOString() };
  const rows = [row('gen-1', 'box-1:17'), row('gen-2', `${'long-'.repeat(20)}box:4711`, ended)];
  const data = { as_of: new Date().toISOString(), running: 2, streams: 2, done: 0, failed: 0, rows };
  const body = `id: x.1\nevent: snapshot\ndata: ${JSON.stringify(data)}\n\n`;
  for (const width of [1280, 360]) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.route('**/ui/api/live*', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
    await page.goto(`${demo.url}/ui/live`);
    await page.getByText('on box-1:17').waitFor();
    await page.getByText('process silent').waitFor();
    const faults = [...(await violationsOf(page, 'live')), ...(await sideScroll(page, 'live'))];
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByText('on box-1:17').waitFor();
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
});
