import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';

/** Where Debian puts it; CHROMIUM names another one. */
const usual = '/usr/bin/chromium';

/**
 * Starts Chromium without a window. Fails where there is none: these tests are never skipped.
 * @param further Switches of Chromium besides the usual ones.
 */
export async function openBrowser(further: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? usual;
  if (!existsSync(executablePath)) {
    throw new Error(`${executablePath} is missing: apt-get install chromium, or set CHROMIUM`);
  }
  const switches = [
    'no-first-run',
    'disable-background-networking',
    'disable-component-update',
    'disable-sync',
  ];
  const args = ['no-sandbox', 'disable-gpu', 'disable-quic', ...switches].map((name) => `--${name}`);
  return chromium.launch({ executablePath, args: [...args, ...further] });
}

export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What should never happen: reports of the policy, errors of scripts, requests to other hosts. */
  readonly mishaps: string[];
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
  readonly zone?: string;
  readonly reducedMotion?: 'reduce';
  readonly forcedColors?: 'active';
}

/** Opens a page that notes what must not happen. */
export async function openPage(browser: Browser, url: string, options: PageOptions = {}): Promise<OpenPage> {
  const {
    width = 1280,
    height = 900,
    theme = 'light',
    zone = 'Europe/Berlin',
    reducedMotion,
    forcedColors,
  } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    timezoneId: zone,
    locale: 'en-GB',
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
    ...(forcedColors === undefined ? {} : { forcedColors }),
  });
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const mishaps: string[] = [];
  page.on('pageerror', (error) => mishaps.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted Type/i.test(message.text())) mishaps.push(message.text());
  });
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !/^(blob|data):/.test(address)) mishaps.push(`asked ${address}`);
  });
  return { page, context, mishaps };
}

/** Logs in with a key and waits for the shell. */
export async function logIn(page: Page, url: string, key: string): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Management or API key').fill(key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
}

/** Waits until a page has what it asked for. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('.loading, .stale').first().waitFor({ state: 'detached' });
  await page.waitForLoadState('networkidle');
}

/**
 * Waits until there are so many: a page that shows other things already is not always done with them.
 * @throws An assertion, where there are others after ten seconds.
 */
export async function countIs(shown: Locator, expected: number, message?: string): Promise<void> {
  const until = Date.now() + 10_000;
  let count = await shown.count();
  while (count !== expected && Date.now() < until) {
    await delay(50);
    count = await shown.count();
  }
  assert.equal(count, expected, message ?? `so many of ${shown}`);
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe-core finds against WCAG 2.2 AA, a line each, once the page has its heading. */
export async function violationsOf(page: Page, name: string): Promise<readonly string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' });
  // By the protocol of the browser's tools, which the page's policy does not concern.
  await page.evaluate(axe);
  const tags = JSON.stringify(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']);
  const found: readonly Violation[] = await page.evaluate(
    `axe.run(document, { runOnly: ${tags} }).then(({ violations }) => violations)`,
  );
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary = '' }) => `${name}: ${id}: ${help}: ${html.slice(0, 300)} ${failureSummary}`,
    ),
  );
}

/** How many pixels a page is wider than its window, in words; nothing where it fits. */
export async function sideScroll(page: Page, name: string): Promise<readonly string[]> {
  const over: number = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  return over > 0 ? [`${name} is ${over} pixels too wide`] : [];
}
