import { setTimeout as sleep } from 'node:timers/promises';
import { TestBrowser } from '../test/support/dashboard.ts';

/**
 * People who look at a Headgate that is measured: each has a session, the page of running requests open, and an overview
 * that asks again every half minute. One of them exports all requests, again and again. Runs in a process of its own;
 * tells its parent when all of them watch, and answers a message with a report.
 */
const { HEADGATE_URL = '', MANAGEMENT_KEY = '', VIEWERS = '20' } = process.env;
const overviewPause = 30_000;
const day = 86_400_000;

/** What pages did since the start. */
export interface ViewersReport {
  readonly liveEvents: number;
  readonly answers: number;
  readonly exportedRows: number;
  /** Answers that were no success, each kind once. */
  readonly refusals: readonly string[];
}

const report = { liveEvents: 0, answers: 0, exportedRows: 0 };
const refusals = new Set<string>();

async function get(page: TestBrowser, path: string) {
  const { status, body } = await page.call('GET', `/ui/api${path}`);
  if (status === 200) report.answers += 1;
  else refusals.add(`${status} ${path.split('?')[0]}`);
  return body;
}

/** An answer that is read while it comes. */
function ask({ url, cookie, csrf }: TestBrowser, path: string): Promise<Response> {
  const headers = { cookie, 'x-headgate-csrf': csrf, 'sec-fetch-site': 'same-origin' };
  return fetch(`${url}/ui/api${path}`, { headers });
}

/** Keeps the page of running requests open. Resolves when its first bytes are there. */
async function openLive(page: TestBrowser): Promise<void> {
  const response = await ask(page, '/live');
  if (response.status !== 200 || response.body === null) {
    refusals.add(`${response.status} /live`);
    return;
  }
  const reader = response.body.getReader();
  await reader.read();
  void (async () => {
    for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
      report.liveEvents += Buffer.from(value ?? [])
        .toString()
        .split('\nevent: ').length;
    }
  })().catch(() => undefined);
}

/** The questions of the overview, as its page asks them. */
function overviewPaths(): readonly string[] {
  const to = Math.ceil(Date.now() / 60_000) * 60_000;
  const range = (length: number) =>
    `from=${new Date(to - length).toISOString()}&to=${new Date(to).toISOString()}&tz=UTC`;
  const series = (rest: string, length = day) => `/usage/series?${range(length)}&${rest}`;
  return [
    series('times=true&compare=previous'),
    series('group=model&top=6'),
    series('group=error&top=6&outcome=failed'),
    series('bucket=all', 7 * day),
    ...['model', 'key', 'provider'].map((group) => series(`group=${group}&bucket=all&top=6`)),
    '/ledger?limit=1',
    '/budgets',
  ];
}

async function lookAtOverview(page: TestBrowser, wait: number): Promise<void> {
  await sleep(wait);
  for (;;) {
    await Promise.all(overviewPaths().map((path) => get(page, path)));
    await sleep(overviewPause);
  }
}

/** Has a file made of all requests of the day, again and again. */
async function exportAll(page: TestBrowser): Promise<void> {
  for (;;) {
    const from = new Date(Date.now() - day).toISOString();
    const response = await ask(page, `/generations/export?format=jsonl&from=${from}`);
    if (response.status !== 200) refusals.add(`${response.status} /generations/export`);
    for await (const chunk of response.body ?? []) {
      report.exportedRows += Buffer.from(chunk).toString('latin1').split('\n').length - 1;
    }
    await sleep(500);
  }
}

const pages = await Promise.all(
  Array.from({ length: Number(VIEWERS) }, async () => {
    const page = new TestBrowser(HEADGATE_URL);
    await page.login(MANAGEMENT_KEY);
    return page;
  }),
);
for (const page of pages) await openLive(page);
for (const [at, page] of pages.entries()) {
  void lookAtOverview(page, (at * overviewPause) / pages.length);
}
const [first] = pages;
if (first !== undefined) void exportAll(first);
process.on('message', () => process.send?.({ ...report, refusals: [...refusals] } satisfies ViewersReport));
process.on('disconnect', () => process.exit());
process.send?.('watching');
