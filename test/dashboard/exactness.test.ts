import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { createRandom } from '../../scripts/demo/random.ts';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import type { Generation } from '../../src/ports/generations.ts';
import { runIn } from '../support/command-line.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

const quarter = 900_000;
/** Offsets 0, +1, −8, +5:30, +5:45, +14, and both days on which clocks change. */
const zones = [
  'UTC',
  'Europe/Berlin',
  'America/Los_Angeles',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Pacific/Kiritimati',
  'Australia/Lord_Howe',
  'America/New_York',
];
const rangesOfZone = Number(process.env.HEADGATE_RANGES ?? 25);
const seed = Number(process.env.HEADGATE_SEED ?? 11);

let demo: Demo;
let browser: Browser;
let records: readonly Generation[];

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(900), openBrowser()]);
  records = await readAll();
});

after(async () => {
  await browser.close();
  await demo.stop();
});

/** Every record of the account, from the store itself. */
async function readAll(): Promise<readonly Generation[]> {
  const found: Generation[] = [];
  const filters = { accountId: demoKeys(demo).acme.account.id };
  let before: { settledAt: number; id: string } | undefined;
  do {
    const range = { from: 0, to: Date.now() + 1 };
    const part = await demo.storage.usage.calls({ range, filters, calls: {}, before, limit: 200 });
    found.push(...part.generations);
    before = part.next;
  } while (before !== undefined);
  return found;
}

const costOf = (some: readonly Generation[]) => some.reduce((sum, { cost }) => sum + BigInt(cost), 0n);

const within = (from: number, to: number) =>
  records.filter(({ settledAt }) => settledAt >= from && settledAt < to);

interface Sums {
  readonly requests: number;
  readonly cost_nano: string;
}
interface Group {
  readonly value: string | null;
  readonly totals: Sums;
  readonly series: readonly Sums[];
}

async function seriesOf(query: Record<string, string>): Promise<{ total: Group; groups: readonly Group[] }> {
  const answer = await fetch(`${demo.url}/api/v1/usage/series?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${demoKeys(demo).operator}` },
  });
  assert.equal(answer.status, 200);
  const body = (await answer.json()) as { readonly data: { total: Group; groups: readonly Group[] } };
  return body.data;
}

test(`sums of random ranges in every zone are those of the records, to the nano-dollar (seed ${seed})`, async () => {
  const random = createRandom(seed);
  const now = Date.now();
  for (const tz of zones) {
    for (let count = 0; count < rangesOfZone; count += 1) {
      const from = Math.floor(now - random() * 15 * 86_400_000);
      const to = Math.floor(from + (0.01 + random()) * (now - from));
      const group = ['model', 'key', 'provider', 'endpoint'][count % 4] ?? 'model';
      const bucket = to - from > (16 * 86_400_000) / 4 ? '1d' : '1h';
      const range = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const { total, groups } = await seriesOf({ ...range, tz, group, bucket, top: '3' });
      const truth = within(Math.floor(from / quarter) * quarter, Math.ceil(to / quarter) * quarter);
      const name = `${tz} ${range.from} ${range.to} by ${group}`;
      const sum = (some: readonly Sums[]) => some.reduce((all, one) => all + BigInt(one.cost_nano), 0n);
      assert.equal(BigInt(total.totals.cost_nano), costOf(truth), name);
      assert.equal(total.totals.requests, truth.length, name);
      assert.equal(sum(total.series), costOf(truth), `${name}: bars`);
      assert.equal(sum(groups.map(({ totals }) => totals)), costOf(truth), `${name}: table`);
      assert.equal(sum(groups.flatMap(({ series }) => series)), costOf(truth), `${name}: bars of groups`);
    }
  }
});

test('the command line and the ledger say the same', async () => {
  const { account } = demoKeys(demo).acme;
  const all = costOf(records);
  assert.equal(BigInt((await demo.storage.ledger.balance(account.id)).spentTotal), all);
  assert.deepEqual(await demo.storage.ledger.verify(), []);
  const usage = await runIn(
    '/',
    ['usage', '--json', '--days', '60', '--account', account.id, '--config', demo.configFile],
    {
      clock: { now: Date.now },
    },
  );
  assert.equal(usage.code, 0, usage.err);
  const rows: readonly { readonly requests: number; readonly cost_usd: number }[] = JSON.parse(
    usage.out,
  ).rows;
  assert.equal(
    rows.reduce((sum, { requests }) => sum + requests, 0),
    records.length,
  );
  const nano = rows.reduce((sum, row) => sum + BigInt(Math.round(row.cost_usd * 1e9)), 0n);
  assert.equal(nano, all);
});

test('the card, the table and the file of a page show what the records hold', async () => {
  const random = createRandom(seed + 1);
  const { page, context, mishaps } = await openPage(browser, demo.url, { zone: 'Asia/Kathmandu' });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Exact amounts' }).click();
  for (let count = 0; count < 3; count += 1) {
    const start = Math.floor((Date.now() - random() * 12 * 86_400_000) / quarter) * quarter;
    const end = start + quarter * (4 + Math.floor(random() * 200));
    const truth = within(start, end);
    const range = `from=${new Date(start).toISOString()}&to=${new Date(end).toISOString()}`;
    await page.goto(`${demo.url}/?${range}`);
    await settle(page);
    const digits = (text: string | null) => BigInt((text ?? '').replaceAll(/\D/g, '') || '0');
    const card = await page.locator('a.stat', { hasText: 'Spend' }).locator('.value').textContent();
    assert.equal(digits(card), costOf(truth), `card of ${range}`);
    const table = page.locator('section', { has: page.getByRole('heading', { name: 'Top models' }) });
    const cells = await table.locator('tbody td:nth-child(2)').allTextContents();
    assert.equal(
      cells.reduce((sum, cell) => sum + digits(cell), 0n),
      costOf(truth),
      `table of ${range}`,
    );
    await page.goto(`${demo.url}/ui/requests?${range}`);
    await settle(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'JSON lines' }).click(),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
      .split('\n')
      .filter(Boolean);
    const rows: readonly { readonly id: string; readonly cost_nano: string }[] = lines.map((line) =>
      JSON.parse(line),
    );
    assert.deepEqual(rows.map(({ id }) => id).sort(), truth.map(({ id }) => id).sort());
    assert.equal(
      rows.reduce((sum, row) => sum + BigInt(row.cost_nano), 0n),
      costOf(truth),
    );
  }
  assert.deepEqual(mishaps, []);
  await context.close();
});
