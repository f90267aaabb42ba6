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

/** Keeps the page of running requests open. Resolves when its first bytes are there. */
async function openLive(page: TestBrowser): Promise<void> {
  const headers = { cookie: page.cookie, 'x-headgate-csrf': page.csrf, 'sec-fetch-site': 'same-origin' };
  const response = await fetch(`${page.url}/ui/api/live`, { headers });
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

/** Reads all requests of the day, page by page, as the export of the list does. */
async function exportAll(page: TestBrowser): Promise<void> {
  for (;;) {
    const to = new Date().toISOString();
    const range = `from=${new Date(Date.now() - day).toISOString()}&to=${to}&limit=200`;
    let cursor: string | null | undefined;
    let rows = 0;
    do {
      const body = await get(page, `/generations?${range}${cursor ? `&cursor=${cursor}` : ''}`);
      cursor = body?.next;
      const count = body?.data?.length ?? 0;
      rows += count;
      report.exportedRows += count;
    } while (cursor && rows < 20_000);
    // A key has 600 calls of the dashboard a minute, which all these viewers share.
    await sleep(overviewPause);
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
