/** Renews the pictures of docs/dashboard.md from the demonstration: `npm run dashboard:screenshots`. Needs Chromium. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import {
  logIn,
  openBrowser,
  openPage,
  type PageOptions,
  settle,
} from '../test/dashboard/support/open-browser.ts';
import { buildDashboard, root } from './dashboard-build.ts';
import { demoModels } from './demo/demo-config.ts';
import { keepBusy } from './demo/keep-busy.ts';
import { startDemo } from './demo/start-demo.ts';

const folder = join(root, 'docs/images');

interface Picture extends PageOptions {
  readonly name: string;
  readonly path: string;
  readonly prepare?: (page: Page) => Promise<void>;
}

const pictures: readonly Picture[] = [
  { name: 'overview', path: '/?range=7d', height: 1000 },
  {
    name: 'requests',
    path: '/ui/requests?range=7d&fallback=true',
    prepare: async (page) => {
      await page
        .locator('tbody tr', { has: page.locator('.good') })
        .first()
        .click();
      await page.getByText('first token after').first().waitFor();
      await page.evaluate('scrollTo(0, 0)');
      await page.mouse.move(0, 0);
    },
  },
  {
    name: 'cost',
    path: '/ui/requests?range=7d&model=acme/atlas-4&outcome=ok&tab=cost',
    theme: 'dark',
    prepare: async (page) => {
      await page.locator('tbody tr').nth(3).click();
      await page.getByRole('tab', { name: 'Cost' }).click();
      await page.getByText('Charged').waitFor();
    },
  },
  {
    name: 'content',
    path: '/ui/request-sessions/pump-review-7',
    prepare: async (page) => {
      await page.locator('.waterfall tbody a').last().click();
      await page.getByRole('tab', { name: 'Content' }).click();
      await page.getByText('Which of our pumps').waitFor();
    },
  },
  { name: 'session', path: '/ui/request-sessions/pump-review-7', theme: 'dark', height: 480 },
  {
    name: 'playground',
    path: '/ui/playground?models=acme/atlas-4-mini,globex/ibis-flash,initech/quill-reason',
    prepare: async (page) => {
      await page.locator('summary').click();
      await page.getByLabel('Most output tokens').fill('90');
      await page.locator('summary').click();
      await page
        .getByLabel('Prompt')
        .fill('Explain in two sentences how a headgate controls the water of a canal.');
      await page
        .getByText(/at most \$/)
        .nth(2)
        .waitFor();
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('link', { name: 'Details' }).nth(2).waitFor();
    },
  },
  {
    name: 'explainer',
    path: '/ui/explain?model=acme/atlas-4-mini&tokens=21000&zdr=on',
    theme: 'dark',
    height: 760,
    prepare: (page) => page.getByText('Left out').waitFor(),
  },
  { name: 'keys', path: '/ui/keys', height: 640 },
  { name: 'model', path: '/ui/models/acme%2Fatlas-4?range=7d', theme: 'dark', height: 960 },
  { name: 'audit', path: '/ui/audit', height: 560 },
  { name: 'health', path: '/ui/health', theme: 'dark', height: 860 },
  { name: 'small', path: '/?range=7d', width: 360, height: 760 },
];

await buildDashboard();
const [demo, browser] = await Promise.all([startDemo({ port: 0, calls: 6000 }), openBrowser()]);
const key = demo.accounts[0]?.managementKey ?? '';
// Enough for endpoints to have a speed and processes something that runs.
const traffic = keepBusy(demo, demoModels);
await sleep(90_000);
mkdirSync(folder, { recursive: true });
for (const { name, path, prepare, ...options } of pictures) {
  const { page, context } = await openPage(browser, demo.url, options);
  await logIn(page, demo.url, key);
  await page.goto(demo.url + path);
  await settle(page);
  await prepare?.(page);
  await page.waitForTimeout(300);
  const tools = await context.newCDPSession(page);
  const { data } = await tools.send('Page.captureScreenshot', { format: 'webp', quality: 82 });
  const bytes = Buffer.from(data, 'base64');
  writeFileSync(join(folder, `dashboard-${name}.webp`), bytes);
  console.log(`dashboard-${name}.webp ${Math.round(bytes.length / 1000)} kB`);
  await context.close();
}
traffic.stop();
await browser.close();
await demo.stop();
