/**
 * What the dashboard costs a browser, by the protocol of its tools: `npm run measure:dashboard [-- minutes of Live]`.
 * Needs Chromium. Prints the median of five loads of each page with a cold cache, at full speed and with the processor
 * slowed four times, and how long it then takes until what was pressed or typed is seen; then the growth of the heap while
 * Live shows 50 requests a second, which are 200 events.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CDPSession, Page } from 'playwright-core';
import { logIn, openBrowser, openPage } from '../test/dashboard/support/open-browser.ts';
import { buildDashboard } from './dashboard-build.ts';
import { type Demo, startDemo } from './demo/start-demo.ts';

const loads = 5;
const perSecond = 50;
const addresses = ['/?range=7d', '/ui/requests?range=7d', '/ui/models', '/ui/keys'];

const watch = `(() => {
  globalThis.seen = { moved: 0, busy: 0, slowest: 0 };
  const observe = (type, note) => new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true, durationThreshold: 16 });
  observe('layout-shift', (entry) => { if (!entry.hadRecentInput) globalThis.seen.moved += entry.value; });
  observe('longtask', (entry) => { globalThis.seen.busy += entry.duration; });
  observe('event', (entry) => { if (entry.interactionId > 0) globalThis.seen.slowest = Math.max(globalThis.seen.slowest, entry.duration); });
})()`;

interface Seen {
  readonly paint: number;
  readonly moved: number;
  readonly busy: number;
  /** From an input to the next paint, at most. */
  readonly slowest: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Bytes that scripts of the page hold after a collection. */
async function heapOf(tools: CDPSession): Promise<number> {
  await tools.send('HeapProfiler.collectGarbage');
  return (await tools.send('Runtime.getHeapUsage')).usedSize;
}

/** Waits until a page has what it asked for. Nothing is looked for in it before: that would be work of the page. */
async function rest(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  while (
    await page.evaluate(
      'document.querySelector("h1") === null || document.querySelector(".loading, .stale") !== null',
    )
  ) {
    await sleep(200);
  }
}

/** Opens the palette, types, closes it, marks and opens a row, chooses columns and another range, and goes to another page. */
async function useIt(page: Page): Promise<void> {
  const { keyboard } = page;
  await keyboard.press('Control+k');
  await keyboard.type('atl', { delay: 60 });
  await keyboard.press('Escape');
  for (const key of ['j', 'j', 'Enter', 'Escape', '?', 'Escape', 't', 'ArrowDown']) {
    await keyboard.press(key);
    await sleep(80);
  }
  await page.mouse.click(640, 420);
  await sleep(500);
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

/** Loads a page some times and prints the medians as a row of a table. */
async function measureLoads(page: Page, tools: CDPSession, url: string, slowed: number): Promise<void> {
  const runs: (Seen & { readonly heap: number })[] = [];
  for (let run = 0; run < loads; run += 1) {
    await page.goto(url);
    await rest(page);
    const loaded: Seen = await page.evaluate(
      '({ ...globalThis.seen, paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN })',
    );
    const heap = await heapOf(tools);
    await useIt(page);
    const slowest: number = await page.evaluate('globalThis.seen.slowest');
    runs.push({ ...loaded, slowest, heap });
  }
  const { pathname } = new URL(url);
  const paint = median(runs.map((run) => run.paint)).toFixed(0);
  const moved = median(runs.map((run) => run.moved)).toFixed(4);
  const busy = median(runs.map((run) => run.busy)).toFixed(0);
  const heap = megabytes(median(runs.map((run) => run.heap)));
  const slowest = median(runs.map((run) => run.slowest)).toFixed(0);
  console.log(`| ${pathname} | ${slowed} | ${paint} | ${moved} | ${busy} | ${slowest} | ${heap} |`);
}

/** Sends requests evenly until it is told to stop; answers what became of them, by status. */
async function traffic(demo: Demo, signal: AbortSignal): Promise<ReadonlyMap<number, number>> {
  const key = demo.accounts[0]?.keys['support-search'];
  const statuses = new Map<number, number>();
  const running = new Set<Promise<void>>();
  const ask = async () => {
    const response = await fetch(`${demo.url}/api/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/atlas-4-mini', input: 'A river.', max_output_tokens: 16 }),
    });
    await response.arrayBuffer();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  };
  const begun = performance.now();
  for (let sent = 0; !signal.aborted; sent += 1) {
    const early = begun + (sent * 1000) / perSecond - performance.now();
    if (early > 0) await sleep(early);
    // A server that cannot keep up gets no more than this at once.
    if (running.size >= 500) await Promise.race(running);
    const one: Promise<void> = ask().finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  return statuses;
}

/** Watches Live under traffic and prints its heap each half minute. */
async function measureLive(page: Page, tools: CDPSession, demo: Demo, minutes: number): Promise<void> {
  await page.goto(`${demo.url}/ui/live`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const stop = new AbortController();
  const sent = traffic(demo, stop.signal);
  // The first rows, pools and compiled code come once.
  await sleep(10_000);
  const first = await heapOf(tools);
  const heaps = [first];
  for (let half = 0; half < minutes * 2; half += 1) {
    await sleep(30_000);
    heaps.push(await heapOf(tools));
  }
  stop.abort();
  const statuses = [...(await sent)].map(([status, count]) => `${count} of status ${status}`).join(', ');
  console.log(`\nLive, ${minutes} min, ${perSecond} requests/s asked for: ${statuses}`);
  console.log(`heap (MB) each half minute: ${heaps.map(megabytes).join(' ')}`);
  console.log(`growth: ${megabytes((heaps.at(-1) ?? first) - first)} MB`);
}

const minutes = Number(process.argv[2] ?? 10);
if (!Number.isFinite(minutes) || minutes <= 0) {
  throw new Error('say how many minutes of Live, for example: npm run measure:dashboard -- 10');
}
await buildDashboard();
const [demo, browser] = await Promise.all([startDemo({ port: 0, calls: 6000 }), openBrowser()]);
const { page, context } = await openPage(browser, demo.url);
await logIn(page, demo.url, demo.accounts[0]?.managementKey ?? '');
await page.addInitScript(watch);
const tools = await context.newCDPSession(page);
await tools.send('Network.enable');
await tools.send('Network.setCacheDisabled', { cacheDisabled: true });
console.log(
  '| page | slowed | first paint (ms) | layout shift | long tasks (ms) | input to paint (ms) | heap (MB) |',
);
console.log('|---|--:|--:|--:|--:|--:|--:|');
for (const slowed of [1, 4]) {
  await tools.send('Emulation.setCPUThrottlingRate', { rate: slowed });
  for (const address of addresses) await measureLoads(page, tools, demo.url + address, slowed);
}
await tools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
await measureLive(page, tools, demo, minutes);
await browser.close();
await demo.stop();
