import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(300), openBrowser()]);
  // The demonstration has none of these, and a list without rows offers no columns.
  const headers = { authorization: `Bearer ${demoKeys(demo).operator}`, 'content-type': 'application/json' };
  const made = await fetch(`${demo.url}/api/v1/guardrails`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name: 'Careful', allowed_models: ['acme/atlas-4'] }),
  });
  assert.equal(made.status, 201);
  const stored = await fetch(`${demo.url}/api/v1/presets/terse/responses`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ model: 'acme/atlas-4', instructions: 'Be terse.' }),
  });
  assert.ok(stored.ok, await stored.text());
});

after(async () => {
  await browser.close();
  await demo.stop();
});

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 1280],
] as const) {
  test(`columns are chosen and stay, and a view brings range, filters and columns back: ${theme}`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/requests?range=30d&outcome=failed`);
    await settle(page);
    const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
    assert.equal(await head('Endpoint').isVisible(), false);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Endpoint' }).check();
    await page.getByRole('checkbox', { name: 'Provider', exact: true }).uncheck();
    const faults = [...(await violationsOf(page, 'columns'))];
    await page.keyboard.press('Escape');
    await head('Endpoint').waitFor();
    assert.equal(await head('Provider').isVisible(), false);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Save what is shown now as').fill('Failures <b>');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // Another choice, which is kept over a reload.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Endpoint' }).uncheck();
    await page.goto(`${demo.url}/ui/requests?range=7d&streamed=true`);
    await settle(page);
    assert.equal(await head('Endpoint').isVisible(), false);
    assert.equal(await head('Provider').isVisible(), false);
    await page.getByRole('button', { name: 'Views' }).click();
    faults.push(...(await violationsOf(page, 'views')));
    await page.getByRole('button', { name: 'Failures <b>', exact: true }).click();
    await head('Endpoint').waitFor();
    const { searchParams } = new URL(page.url());
    assert.deepEqual(
      [searchParams.get('range'), searchParams.get('outcome'), searchParams.get('streamed')],
      ['30d', 'failed', null],
    );
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Remove Failures <b>' }).click();
    await page.getByText('None yet').waitFor();
    const stored: string = await page.evaluate("localStorage.getItem('headgate-tables-1')");
    assert.deepEqual(JSON.parse(stored).views, { requests: [] });
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

test('every list hides the column that is unchecked, and no other', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  for (const path of [
    'requests',
    'models',
    'models?tab=providers',
    'keys',
    'audit',
    'credits',
    'workspaces',
    'guardrails',
    'presets',
  ]) {
    await page.goto(new URL(`/ui/${path}`, demo.url).href);
    await settle(page);
    // The page of workspaces has a table of members below its list.
    const tables = page.locator('.table-wrap', { has: page.locator('table') });
    const table = path === 'workspaces' ? tables.first() : tables.last();
    const heads = async () =>
      (await table.locator('thead th:visible').allTextContents()).map((text) => text.trim());
    const before = await heads();
    await page.getByRole('button', { name: 'Columns' }).last().click();
    const boxes = page.getByRole('group', { name: 'Columns' }).getByRole('checkbox', { checked: true });
    const name = ((await boxes.last().locator('..').textContent()) ?? '').trim();
    assert.ok(before.includes(name), `${path}: ${name}`);
    await boxes.last().uncheck();
    assert.deepEqual(
      await heads(),
      before.filter((one) => one !== name),
      path,
    );
    const cells = await table.locator('tbody tr').first().locator('td:visible').count();
    assert.equal(cells, before.length - 1, path);
  }
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('rows are compact in all lists once somebody wants that, also after a reload', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  const open = async (path: string) => {
    await page.goto(`${demo.url}/ui/${path}`);
    await settle(page);
  };
  const height = async (): Promise<number> =>
    (await page.locator('.table tbody tr').first().boundingBox())?.height ?? 0;
  await open('workspaces');
  const comfortable = await height();
  await open('guardrails');
  const before = await height();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Compact rows, in all lists' }).check();
  const compact = await height();
  assert.ok(compact > 0 && compact < before, `${compact} < ${before}`);
  assert.deepEqual(await violationsOf(page, 'compact'), []);
  await open('workspaces');
  assert.ok((await height()) < comfortable);
  await open('settings');
  await page.getByLabel('Compact rows in all lists').uncheck();
  await open('workspaces');
  assert.equal(await height(), comfortable);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('a view of providers, which are a tab of another page, leads back to them', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/models?tab=providers&range=7d`);
  await settle(page);
  const spend = page.getByRole('columnheader', { name: 'Spend' });
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Spend' }).uncheck();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByLabel('Save what is shown now as').fill('Without money');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Spend' }).check();
  await page.keyboard.press('Escape');
  await page.goto(`${demo.url}/ui/models?tab=providers&range=24h`);
  await settle(page);
  await spend.waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('button', { name: 'Without money', exact: true }).click();
  await spend.waitFor({ state: 'hidden' });
  const { pathname, searchParams } = new URL(page.url());
  assert.deepEqual(
    [pathname, searchParams.get('tab'), searchParams.get('range')],
    ['/ui/models', 'providers', '7d'],
  );
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('on small screens lists keep their few columns and fit', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url, { width: 360 });
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/requests?range=30d`);
  await settle(page);
  assert.equal(await page.getByRole('button', { name: 'Columns' }).isVisible(), false);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByText('None yet').waitFor();
  assert.deepEqual([await violationsOf(page, 'views'), await sideScroll(page, 'views')], [[], []]);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('the audit log is had as a file, with the filters of the page', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/audit?range=30d&object=session`);
  await settle(page);
  await page.getByRole('button', { name: 'Export' }).click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'JSON lines' }).click(),
  ]);
  const entries = (await readFile(await file.path(), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line): { readonly object: { readonly type: string } } => JSON.parse(line));
  assert.ok(entries.length > 0);
  assert.deepEqual([...new Set(entries.map(({ object }) => object.type))], ['session']);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('keys are listed by spend, by last use and by name, in the address', async () => {
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/keys`);
    await settle(page);
    const names = async () =>
      (await page.locator('tbody td:first-child a').allTextContents()).map((name) => name.trim());
    const newest = await names();
    await page.getByLabel('Order').selectOption('By name');
    const byName = await names();
    assert.deepEqual(
      byName,
      newest.toSorted((one, other) => one.localeCompare(other)),
    );
    await page.getByLabel('Order').selectOption('Most spent this month');
    const bySpend = await names();
    const answer = await fetch(`${demo.url}/api/v1/keys?include_disabled=true`, {
      headers: { authorization: `Bearer ${demoKeys(demo).operator}` },
    });
    const { data } = (await answer.json()) as { data: { name: string; usage_monthly: number }[] };
    const spent = new Map(data.map(({ name, usage_monthly: spend }) => [name, spend]));
    const spends = bySpend.flatMap((name) => spent.get(name) ?? []);
    assert.equal(bySpend.length, newest.length);
    assert.ok(spends.length > 1);
    assert.deepEqual(
      spends,
      spends.toSorted((one, other) => other - one),
    );
    await page.reload();
    await settle(page);
    assert.deepEqual([await names(), new URL(page.url()).searchParams.get('order')], [bySpend, 'spend']);
    if (width > 900) {
      const last = await page.locator('tbody td:nth-child(7)').allTextContents();
      assert.equal(last.length, newest.length);
      for (const text of last)
        assert.match(text, /^(in the last (minute|\d+ min)|.* ago|yesterday|never|\d+ \w+)$/);
      assert.ok(last.includes('never') && last.some((text) => text !== 'never'));
    }
    const faults = [...(await violationsOf(page, 'keys')), ...(await sideScroll(page, 'keys'))];
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
});

/** The values of the list that the button of a cell lies over; undefined while it is not shown. */
const coveredByButton = `(() => {
  const button = document.querySelector('.copy-cell:popover-open');
  if (button === null) return undefined;
  const at = button.getBoundingClientRect();
  const covers = (cell) => {
    const box = cell.getBoundingClientRect();
    // What is too long is cut where the padding begins.
    const end = Number.parseFloat(getComputedStyle(cell).paddingRight);
    const text = document.createRange();
    text.selectNodeContents(cell);
    return [...text.getClientRects()].some(
      (rect) =>
        rect.left < at.right - 0.5 && Math.min(rect.right, box.right - end) > at.left + 0.5 &&
        rect.top < at.bottom && rect.bottom > at.top,
    );
  };
  return [...document.querySelectorAll('main td')].filter(covers).map((cell) => cell.textContent);
})()`;

for (const [path, width] of [
  ['keys', 1280],
  ['requests?range=30d', 1280],
  ['audit?range=30d', 360],
] as const) {
  test(`the button that copies a cell covers no value: ${path}, ${width}`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url, { width });
    await logIn(page, demo.url, demoKeys(demo).operator);
    await page.goto(`${demo.url}/ui/${path}`);
    await settle(page);
    const cells = page.locator('tbody tr').first().locator('td:visible');
    let seen = 0;
    for (const cell of await cells.all()) {
      await page.mouse.move(0, 0);
      // The button may come under the pointer; only what it lies over counts.
      await cell.hover({ force: true });
      const covered: readonly string[] | undefined = await page.evaluate(coveredByButton);
      if (covered === undefined) continue;
      seen += 1;
      assert.deepEqual(covered, []);
    }
    assert.ok(seen >= 3, `${seen} buttons`);
    assert.deepEqual(mishaps, []);
    await context.close();
  });
}

test('the exact value of a cell is copied with the pointer and with keys, without stops of Tab', async () => {
  const { page, context, mishaps } = await openPage(browser, demo.url);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await logIn(page, demo.url, demoKeys(demo).operator);
  await page.goto(`${demo.url}/ui/requests?range=30d&outcome=ok`);
  await settle(page);
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  const row = page.locator('tbody tr').first();
  const [cost, time] = [row.locator('td:nth-child(9)'), row.locator('td:nth-child(1)')];
  const title = (await cost.locator('[title]').getAttribute('title')) ?? '';
  const exact = title.replaceAll(/[$,]/g, '');
  assert.match(exact, /^\d+\.\d{9}$/);
  await cost.hover();
  await page.getByRole('button', { name: 'Copy this cell' }).click();
  await page.getByText(`Copied ${exact}`).waitFor();
  assert.equal(await copied(), exact);
  assert.equal(new URL(page.url()).pathname, '/ui/requests', 'the row stays closed');
  await page.mouse.move(0, 0);
  assert.equal(await page.locator('td[tabindex="0"]').count(), 0);
  await time.locator('a').focus();
  await page.keyboard.press('c');
  for (let at = 1; at < 3; at += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('c');
  const model = ((await row.locator('td:nth-child(3)').textContent()) ?? '').trim();
  await page.getByText(`Copied ${model}`).waitFor();
  assert.equal(await copied(), model);
  for (let at = 3; at > 1; at -= 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await page.getByText('Copied 2').waitFor();
  assert.equal(new Date(await copied()).toISOString(), await copied());
  const faults = await violationsOf(page, 'a marked cell');
  await page.keyboard.press('Escape');
  assert.equal(await page.evaluate("document.activeElement.closest('td').cellIndex"), 0);
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});
