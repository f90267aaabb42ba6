import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { type Hands, keyboard, mouse } from './support/hands.ts';
import { logIn, type OpenPage, openBrowser, openPage, settle } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;
let opened: Readonly<Record<Task['who'], Promise<OpenPage>>>;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(600), openBrowser()]);
  const open = async (key: string) => {
    const tab = await openPage(browser, demo.url);
    await logIn(tab.page, demo.url, key);
    return tab;
  };
  const { holder, operator } = demoKeys(demo);
  opened = { holder: open(holder), operator: open(operator) };
});

after(async () => {
  await browser.close();
  await demo.stop();
});

interface Task {
  /** What somebody wants to know or to have done. */
  readonly title: string;
  readonly who: 'holder' | 'operator';
  /** What may be used at most, from the overview. */
  readonly most: number;
  readonly run: (page: Page, hands: Hands) => Promise<void>;
}

/** An id as it stands in a log or in an error report. */
async function someId(outcome: 'ok' | 'failed'): Promise<string> {
  const asked = `${demo.url}/api/v1/generations?outcome=${outcome}&limit=1&from=${new Date(Date.now() - 7 * 86_400_000).toISOString()}`;
  const response = await fetch(asked, { headers: { authorization: `Bearer ${demoKeys(demo).operator}` } });
  const { data } = (await response.json()) as { data: { id: string }[] };
  const [first] = data;
  assert.ok(first !== undefined, `the demonstration has no request that is ${outcome}`);
  return first.id;
}

/** Opens what the palette finds for a text. */
async function jump(page: Page, hands: Hands, text: string): Promise<void> {
  await hands.chord('ControlOrMeta+k');
  await hands.type(page.getByRole('combobox', { name: /^Search pages/ }), text);
  await page.getByRole('listbox', { name: 'Found' }).getByRole('option').first().waitFor();
  await page.keyboard.press('Enter');
}

const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

const tasks: readonly Task[] = [
  {
    title: 'what was spent, on what, compared with before',
    who: 'operator',
    most: 0,
    run: async (page) => {
      await page.getByRole('link', { name: /^Spend \$[\d.]+ .*(from \$|before|unchanged)/ }).waitFor();
      await page.getByRole('heading', { name: 'Top models' }).waitFor();
      assert.match(await page.getByRole('table').first().innerText(), /acme\/atlas-4\s+\$/);
    },
  },
  {
    title: 'why a request failed, by its id',
    who: 'operator',
    most: 1,
    run: async (page, hands) => {
      await jump(page, hands, await someId('failed'));
      await page.getByRole('tab', { name: 'Attempts' }).waitFor();
      const detail = page.getByRole('tabpanel');
      assert.match(await detail.innerText(), /failed|error|timeout|overloaded|\b[45]\d\d\b/i);
    },
  },
  {
    title: 'whether a provider is down',
    who: 'operator',
    most: 1,
    run: async (page, hands) => {
      await hands.press(link(page, 'Health'));
      await page.getByRole('row', { name: /^NorthGPU (up|down|slow)/ }).waitFor();
    },
  },
  {
    title: 'which requests fail, with which error',
    who: 'operator',
    most: 1,
    run: async (page, hands) => {
      await hands.press(page.getByRole('link', { name: /^Failed / }));
      await page.getByRole('heading', { name: 'Requests', level: 1 }).waitFor();
      await settle(page);
      const rows = await page.getByRole('region', { name: 'Requests' }).locator('tbody tr').allInnerTexts();
      assert.ok(rows.length > 0);
      assert.deepEqual(
        rows.filter((row) => /\bok\b/.test(row)),
        [],
      );
    },
  },
  {
    title: 'a new key with a limit and an end',
    who: 'operator',
    most: 3,
    run: async (page, hands) => {
      await hands.press(link(page, 'Keys'));
      await hands.press(button(page, 'New key'));
      await hands.type(page.getByLabel('Name'), `made by ${hands.name}`);
      await hands.type(page.getByLabel('Limit in USD'), '20');
      await hands.press(button(page, 'Create'));
      assert.match((await page.locator('.raw-key').textContent()) ?? '', /^sk-hg-v1-/);
    },
  },
  {
    title: 'another secret for a key',
    who: 'operator',
    most: 3,
    run: async (page, hands) => {
      await jump(page, hands, 'mobile-app');
      await hands.press(button(page, 'Rotate…'));
      await hands.press(button(page, 'Rotate'));
      assert.match((await page.locator('.raw-key').textContent()) ?? '', /^sk-hg-v1-/);
    },
  },
  {
    title: 'a higher limit for a key',
    who: 'operator',
    most: 3,
    run: async (page, hands) => {
      await jump(page, hands, 'web-assistant');
      await hands.press(button(page, 'Edit…'));
      await hands.type(page.getByLabel('Limit in USD'), hands.name === 'mouse' ? '150' : '160');
      await hands.press(button(page, 'Save'));
      await page
        .getByText(hands.name === 'mouse' ? /of \$150\.00/ : /of \$160\.00/)
        .first()
        .waitFor();
    },
  },
  {
    title: 'how much is left, and until when',
    who: 'holder',
    most: 0,
    run: async (page) => {
      await page.getByText(/left of \$5\.00, resets .* \(\d+ \w+, 00:00 UTC/).waitFor();
    },
  },
  {
    title: 'a try of a model',
    who: 'holder',
    most: 2,
    run: async (page, hands) => {
      await hands.press(link(page, 'Playground'));
      await hands.type(page.getByLabel('Prompt'), 'Which way is up?');
      await hands.press(button(page, 'Send'));
      await page.getByText('[sandbox] Which way is up?', { exact: true }).waitFor();
      await page.getByRole('tab', { name: 'Code' }).waitFor();
    },
  },
  {
    title: 'why a request went to this endpoint and not to the other',
    who: 'operator',
    most: 2,
    run: async (page, hands) => {
      await jump(page, hands, await someId('ok'));
      const plan = page.getByRole('tab', { name: 'Plan' });
      if (hands.name === 'mouse') await hands.press(plan);
      else {
        // Tabs are one stop, and arrows walk them.
        await hands.press(page.getByRole('tab', { selected: true }));
        while ((await plan.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowRight');
      }
      await page.getByRole('tabpanel', { name: 'Plan' }).waitFor();
    },
  },
  {
    title: 'the last month for a spreadsheet',
    who: 'operator',
    most: 3,
    run: async (page, hands) => {
      await hands.choose(page.getByRole('combobox', { name: 'Range of time' }), 'Last month');
      await page.waitForURL(/range=last-month/);
      await settle(page);
      await hands.press(button(page, 'Spend by model: more'));
      const file = page.waitForEvent('download');
      await hands.press(button(page, 'Download CSV'));
      assert.match(await readFile(await (await file).path(), 'utf8'), /^[^\n]*,/);
    },
  },
];

for (const { title, who, most, run } of tasks) {
  for (const handsOf of [mouse, keyboard]) {
    test(`${title}: at most ${most} by ${handsOf.name}`, async () => {
      const { page, mishaps } = await opened[who];
      await page.goto(demo.url);
      await settle(page);
      const hands = handsOf(page);
      await run(page, hands);
      assert.ok(hands.used <= most, `${hands.used} were used`);
      assert.deepEqual(mishaps, []);
    });
  }
}
