import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { decimalUsd, nanoOf, usd } from '../../dashboard/text/format.ts';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
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
let hash: string;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(), openBrowser()]);
  hash = await spendOnOwnCredential();
});

after(async () => {
  await browser.close();
  await demo.stop();
});

async function call(path: string, method = 'GET', body?: object) {
  const answer = await fetch(`${demo.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${demoKeys(demo).operator}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(answer.ok, `${path}: ${answer.status}`);
  // biome-ignore lint/suspicious/noExplicitAny: answers of several shapes, each checked by its test.
  return (await answer.json()) as any;
}

/** The hash of a key that also spent a quarter of a dollar on an own credential just now. */
async function spendOnOwnCredential(): Promise<string> {
  const filters = { accountId: demoKeys(demo).acme.account.id, failed: false };
  const range = { from: 0, to: Date.now() + 1 };
  const { generations } = await demo.storage.usage.calls({ range, filters, calls: {}, limit: 1 });
  const [call] = generations;
  assert.ok(call !== undefined);
  const now = Date.now();
  await demo.storage.ledger.settle({
    ...call,
    id: 'gen-own-credential',
    createdAt: now,
    settledAt: now,
    isByok: true,
    cost: zeroUsd,
    listCost: parseUsd('0.25'),
  });
  return call.keyHash;
}

const cardOf = (page: Page, title: string) =>
  page.locator('.chart-card', { has: page.getByRole('heading', { name: title, exact: true }) });

/** The last known value of "left" in the table of a card. */
async function leftIn(page: Page, title: string): Promise<string | undefined> {
  const card = cardOf(page, title);
  await card.locator('.line').first().waitFor();
  await page.getByRole('button', { name: `${title}: more` }).click();
  await page.getByRole('button', { name: 'Show as table' }).click();
  const heads = await card.locator('th').allTextContents();
  const place = heads.indexOf('left');
  assert.ok(place > 0, heads.join());
  // Newest first: steps to come have no such value.
  const cells = await card.locator(`tbody tr td:nth-child(${place + 1})`).allTextContents();
  return cells.find((cell) => cell !== '');
}

test('what is left of a key is drawn as its limit counts it, in every window, with own credentials', async () => {
  assert.ok((await call(`/keys/${hash}`)).data.byok_usage >= 0.25);
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  for (const [reset, include] of [
    ['daily', true],
    ['weekly', true],
    ['monthly', false],
    [null, true],
  ] as const) {
    const change = { limit: 1_000, limit_reset: reset, include_byok_in_limit: include };
    const before = (await call(`/keys/${hash}`, 'PATCH', change)).data.limit_remaining;
    await page.goto(`${demo.url}/ui/keys/${hash}?workspace=none`);
    await settle(page);
    const left = await leftIn(page, 'What is left of the limit');
    const after = (await call(`/keys/${hash}`)).data.limit_remaining;
    const remaining = [before, after].map((amount) => decimalUsd(nanoOf(amount)));
    assert.ok(left !== undefined && remaining.includes(left), `${reset} ${include}: ${left}, ${remaining}`);
  }
  assert.deepEqual(mishaps, []);
  await context.close();
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const) {
  test(`a key that will be used up says when, and draws it: ${theme}, ${width} pixels`, async () => {
    const { usage } = (await call(`/keys/${hash}`)).data;
    const limit = Math.ceil(usage * 1.02 * 1e6) / 1e6;
    await call(`/keys/${hash}`, 'PATCH', { limit, limit_reset: null, include_byok_in_limit: false });
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/keys/${hash}`);
    await settle(page);
    const card = cardOf(page, 'What is left of the limit');
    await card
      .getByText(/left of .*; at the pace of 7 days used up on \d+ \w+.* UTC.*\. It never resets/)
      .waitFor();
    await countIs(card.locator('.line.expected'), 1);
    await countIs(card.locator('.line.thin'), 0, 'no even pace without an end');
    const plot = card.getByRole('group');
    assert.match((await plot.getAttribute('aria-label')) ?? '', /used up on/);
    await plot.focus();
    await page.keyboard.press('ArrowLeft');
    assert.match(
      (await card.locator('[aria-live]').textContent()) ?? '',
      /GMT.*: at the pace of 7 days \$0$/,
    );
    assert.deepEqual(
      [...(await violationsOf(page, 'key')), ...(await sideScroll(page, 'key')), ...mishaps],
      [],
    );
    await context.close();
    await call(`/keys/${hash}`, 'PATCH', { limit: null });
  });
}

test('the budget of a workspace is chosen in the address; the overview draws the limit nearest to its end', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  const { data: workspaces } = await call('/workspaces');
  const { id } = workspaces.find(({ name }: { name: string }) => name === 'Default');
  await page.goto(`${demo.url}/ui/workspaces/${id}`);
  await settle(page);
  const card = cardOf(page, 'What is left of the budget');
  await card.getByText(/left of \$900\.00/).waitFor();
  await card.getByLabel('Which budget').selectOption('daily');
  assert.equal(new URL(page.url()).searchParams.get('budget'), 'daily');
  await card.getByText(/left of \$60\.00/).waitFor();
  await countIs(card.locator('.line.thin'), 1);
  const { data: limits } = await call('/budgets');
  const daily = limits.find(
    (one: { scope: string; reset_interval: string }) =>
      one.scope === 'workspace' && one.reset_interval === 'daily',
  );
  const left = await leftIn(page, 'What is left of the budget');
  assert.equal(left, decimalUsd(BigInt(daily.limit_nano) - BigInt(daily.spent_nano)));
  const [nearest] = limits.filter(({ scope }: { scope: string }) => /^(key|workspace)$/.test(scope));
  await page.goto(demo.url);
  await settle(page);
  const rest = usd(BigInt(nearest.limit_nano) - BigInt(nearest.spent_nano));
  await cardOf(page, 'Limit nearest to its end').getByText(`: ${rest} left of`).waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('key holders see what is left of their key', async () => {
  const { page, context } = await openPage(browser, demo.url, { width: 360 });
  await logIn(page, demo.url, demoKeys(demo).holder);
  await settle(page);
  await cardOf(page, 'What is left of your limit')
    .getByText(/left of \$\d/)
    .waitFor();
  await context.close();
});

test('limits of another zone say whose midnight it is', async () => {
  const { limitCalendar } = demo.storage;
  const zone = 'Asia/Kathmandu';
  await limitCalendar.agree({ timeZone: zone, weekStart: 'sunday' }, Date.now() - 90 * 86_400_000);
  const change = { limit: 1_000, limit_reset: 'monthly', include_byok_in_limit: false };
  await call(`/keys/${hash}`, 'PATCH', change);
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/keys/${hash}`);
  await settle(page);
  await page.getByText(`limits in ${zone}`).waitFor();
  await page
    .getByText(/resets in .* \(1 \w+, 00:00 Asia\/Kathmandu/)
    .first()
    .waitFor();
  await cardOf(page, 'What is left of the limit')
    .getByText(/1 \w+, 00:00 Asia\/Kathmandu/)
    .waitFor();
  assert.deepEqual(mishaps, []);
  await context.close();
});
