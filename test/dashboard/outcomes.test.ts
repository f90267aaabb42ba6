import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { responsesEvents, toStream } from '../fake-upstream/responses-stream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const cached = dataEvent({
  id: 'chatcmpl-1',
  choices: [],
  usage: {
    prompt_tokens: 1_000,
    completion_tokens: 7,
    total_tokens: 1_007,
    prompt_tokens_details: { cached_tokens: 900 },
  },
});
const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: pixel } as const;

/** What each provider does. */
const scripts: Readonly<Record<string, Script>> = {
  broken: { status: 503, headers: {}, steps: ['{"error":{"message":"no capacity left"}}'] },
  steady: { steps: chatStream('All ', 'is ', 'well.') },
  slow: { steps: [chatChunk({ role: 'assistant', content: 'Once' })], ending: 'hang' },
  caching: { steps: [chatChunk({ content: 'Short.' }), chatChunk({}, 'stop'), cached, 'data: [DONE]\n\n'] },
  unpriced: { steps: chatStream('For ', 'free?') },
  own: { steps: chatStream('Your ', 'own.') },
  painter: { steps: toStream(responsesEvents({ output: [picture] })) },
};

const upstreams: FakeUpstream[] = [];
let gateway: TestGateway;
let browser: Browser;
let boss: string;
let page: Page;
const mishaps: string[] = [];

before(async () => {
  const providers = await Promise.all(
    Object.entries(scripts).map(async ([slug, script]) => {
      const upstream = await startFakeUpstream(script);
      upstreams.push(upstream);
      const isPainter = slug === 'painter';
      return providerOf({
        slug,
        name: `${slug.slice(0, 1).toUpperCase()}${slug.slice(1)}`,
        baseUrl: `${upstream.url}/v1`,
        ...(isPainter && { adapter: 'openai-responses', quirks: { hostedTools: ['image_generation'] } }),
      });
    }),
  );
  const at = (...slugs: string[]) => providers.filter(({ slug }) => slugs.includes(slug));
  const price = {
    prompt: parsePricePerMillion(3),
    completion: parsePricePerMillion(15),
    cacheRead: parsePricePerMillion(0.3),
  };
  gateway = await startGateway({
    models: [
      modelOf('acme/broken', at('broken')),
      modelOf('acme/fallback', at('broken', 'steady')),
      modelOf('acme/slow', at('slow')),
      modelOf('acme/caching', at('caching'), { price }),
      modelOf('acme/unpriced', at('unpriced'), { price: undefined }),
      modelOf('acme/own', at('own')),
      modelOf('acme/painter', at('painter')),
    ],
    parts: { notePause: 50 },
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const stored = await fetch(`${gateway.url}/api/v1/byok`, {
    method: 'POST',
    headers: { authorization: `Bearer ${boss}`, 'content-type': 'application/json' },
    body: JSON.stringify({ provider: 'own', key: 'a-credential-of-the-account-0001', name: 'eu' }),
  });
  assert.ok(stored.ok, await stored.text());
  browser = await openBrowser();
  const opened = await openPage(browser, gateway.url);
  page = opened.page;
  page.on('close', () => mishaps.push(...opened.mishaps));
  await logIn(page, gateway.url, boss);
});

after(async () => {
  await browser.close();
  await gateway.stop();
  await Promise.all(upstreams.map((upstream) => upstream.close()));
});

/** Sends a request to a model and opens its detail once it is there. */
async function openCall(
  model: string,
  { body = {}, key = gateway.key }: { body?: object; key?: string } = {},
): Promise<string> {
  const sent = await gateway.post(
    { model, input: 'Hello', stream: true, ...body },
    { authorization: `Bearer ${key}` },
  );
  await sent.text();
  return openDetail(sent.headers.get('x-generation-id') ?? '');
}

async function openDetail(id: string): Promise<string> {
  await eventually('the row', async () => {
    const found = await gateway.get(`/api/v1/generations/${id}`, { authorization: `Bearer ${boss}` });
    await found.text();
    return found.ok;
  });
  await page.goto(`${gateway.url}/ui/requests/${id}?range=1h`);
  await settle(page);
  return id;
}

const detail = () => page.getByRole('complementary', { name: 'Request' });
const see = (text: string | RegExp) => detail().getByText(text).first().waitFor();
const openTab = (name: string | RegExp) => page.getByRole('tab', { name }).click();

/** The last column of the table of costs, as nano-USD times a thousand: the lines, and their sum. */
async function costLines(): Promise<{ lines: readonly bigint[]; sum: bigint }> {
  await openTab('Cost');
  const cells = await detail().locator('tbody tr td:last-child').allTextContents();
  const pico = cells.map((cell) => {
    const [units = '', fraction = ''] = cell.replaceAll(/[$,]/g, '').split('.');
    return BigInt(units) * 10n ** 12n + BigInt(fraction.padEnd(12, '0'));
  });
  return { lines: pico.slice(0, -1), sum: pico.at(-1) ?? 0n };
}

/** Checks that the lines add up to the sum, rounded to nano-USD, and returns the sum. */
async function addUp(): Promise<bigint> {
  const { lines, sum } = await costLines();
  assert.ok(lines.length > 0);
  const exact = lines.reduce((total, line) => total + line, 0n);
  assert.equal(((exact + 500n) / 1000n) * 1000n, sum);
  return sum;
}

test('a failed call names its outcome, every attempt with its reason, and costs nothing', async () => {
  await openCall('acme/broken');
  await see(/503|overloaded|unavailable/);
  await see('Nothing was charged.');
  await openTab(/Attempts \(\d\)/);
  await see('Broken');
  await see(/529 after/);
  await openTab('Cost');
  await see('$0.000000000');
});

test('a call that fell back shows both attempts, and the lines of the one that served', async () => {
  await openCall('acme/fallback', { body: { provider: { order: ['broken', 'steady'] } } });
  await openTab('Attempts (2)');
  await see('1. Broken');
  await see(/529 after/);
  await see('2. Steady');
  await see(/first token after/);
  assert.ok((await addUp()) > 0n);
});

test('a cancelled call says so, and charges what was written until then', async () => {
  const controller = new AbortController();
  const sent = await fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/slow', input: 'Hello', stream: true }),
    signal: controller.signal,
  });
  await sent.body?.getReader().read();
  controller.abort();
  await openDetail(sent.headers.get('x-generation-id') ?? '');
  await see('cancelled');
  await see('The client left before the end.');
  await addUp();
  await see('estimated, because the provider did not report all of them');
});

test('what a provider read from its cache is a line of its own, and what that saved is said', async () => {
  await openCall('acme/caching');
  await see(/900 from a cache/);
  const sum = await addUp();
  assert.equal(sum, 100n * 3_000_000n + 900n * 300_000n + 7n * 15_000_000n);
  await see('Input read from a cache');
  await see(/saved \$0\.00243/);
});

test('a call without a price is not shown as free', async () => {
  await openCall('acme/unpriced');
  await see('unknown: the endpoint has no price');
  await openTab('Cost');
  await see(/no known price, so the cost is unknown rather than zero/);
});

test('a call by an own credential shows what the provider charges, and why no credits were', async () => {
  await openCall('acme/own');
  await openTab(/Attempts/);
  await see('own credential');
  assert.ok((await addUp()) > 0n);
  await see(/because an own credential was used; the sum above is what the provider charges you/);
  await see('$0.000000000');
  await page.getByRole('tab', { name: 'Overview' }).click();
  await see(/^\$0 by an own credential; list price \$0\.\d+$/);
  await page.goto(`${gateway.url}/ui/requests?range=1h&model=acme/own`);
  await settle(page);
  const cost = page.locator('tbody tr').first().locator('td').nth(8);
  assert.match((await cost.textContent()) ?? '', /^\$0list \$0\.\d+$/);
});

test('a request that a limit turned away is in the list, with its reason, at no cost', async () => {
  const key = await gateway.createKey({ name: 'poor', limit: parseUsd(0.000_001) });
  // The limit counts what was charged: the first request may still go over it.
  await (await gateway.post({ model: 'acme/own', input: 'x' }, { authorization: `Bearer ${key}` })).text();
  await (
    await gateway.post({ model: 'acme/caching', input: 'x' }, { authorization: `Bearer ${key}` })
  ).text();
  const id = await openCall('acme/caching', { key });
  await see(/refused: 40/);
  await see('No endpoint was asked, and nothing was charged.');
  await openTab('Cost');
  await see('because no endpoint was asked');
  await page.goto(`${gateway.url}/ui/requests?range=1h`);
  await settle(page);
  await page.locator(`tr[id="${id}"]`, { hasText: 'refused' }).waitFor();
});

test('a refused call opens again in the explainer and the playground, with its facts and nothing it said', async () => {
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const opened = await openPage(browser, gateway.url, { theme, width });
    const other = opened.page;
    const sent = await gateway.post({
      model: 'acme/own',
      input: 'my secret prompt',
      max_output_tokens: 77,
      provider: { only: ['steady'] },
      tools: [{ type: 'function', name: 'secret_name', parameters: { type: 'object', properties: {} } }],
    });
    await sent.text();
    const id = sent.headers.get('x-generation-id') ?? '';
    await logIn(other, gateway.url, boss);
    await eventually('the row', async () => (await gateway.get(`/api/v1/generations/${id}`)).ok);
    await other.goto(`${gateway.url}/ui/requests/${id}?range=1h`);
    await other.getByRole('tab', { name: 'Plan' }).click();
    await settle(other);
    const faults = [...(await violationsOf(other, 'plan')), ...(await sideScroll(other, 'plan'))];
    await other.getByRole('link', { name: 'Explain now' }).click();
    await other.getByText('would be refused').waitFor();
    assert.equal(await other.getByLabel('Most output tokens').inputValue(), '77');
    const more = await other.getByLabel('Further members of the request').inputValue();
    assert.deepEqual(JSON.parse(more).provider, { only: ['steady'] });
    faults.push(...(await violationsOf(other, 'explainer')), ...(await sideScroll(other, 'explainer')));
    await other.goBack();
    await other.getByRole('tab', { name: 'Plan' }).waitFor();
    await other.getByRole('link', { name: 'Open in the playground' }).first().click();
    await other.getByRole('heading', { level: 1, name: 'Playground' }).waitFor();
    assert.equal(await other.getByLabel('Most output tokens').inputValue(), '77');
    assert.equal(await other.getByLabel('Prompt').inputValue(), '');
    const provider = await other.getByLabel('Provider preferences').inputValue();
    assert.deepEqual(JSON.parse(provider), { only: ['steady'] });
    const [tool] = JSON.parse(await other.getByLabel('Tools, as a JSON array').inputValue());
    assert.deepEqual([tool.type, tool.name], ['function', 'example_1']);
    await other.waitForURL((address) => !address.searchParams.has('settings'));
    assert.doesNotMatch(await other.content(), /secret/);
    assert.deepEqual([faults, opened.mishaps], [[], []]);
    await opened.context.close();
  }
});

test('a picture that a model makes is shown', async () => {
  await page.goto(`${gateway.url}/ui/playground?models=acme/painter&run=${gateway.keyHash}`);
  await settle(page);
  await page.getByLabel('Prompt').fill('A gate');
  await page.locator('summary').first().click();
  await page.getByLabel('Tools, as a JSON array').fill('[{ "type": "image_generation" }]');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  const shown = page.locator('.column img.shown-picture');
  await shown.waitFor();
  await eventually('the picture is drawn', () =>
    page.evaluate<boolean>("document.querySelector('.column img.shown-picture')?.naturalWidth === 1"),
  );
  assert.equal(await shown.getAttribute('src'), `data:image/png;base64,${pixel}`);
  await page.close();
  assert.deepEqual(mishaps, []);
});
