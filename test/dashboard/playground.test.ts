import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { eventually } from '../support/eventually.ts';
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

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(200), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

async function openPlayground(models: string, options = {}) {
  const opened = await openPage(browser, demo.url, options);
  opened.page.on('dialog', () => opened.mishaps.push('a script ran'));
  await logIn(opened.page, demo.url, demoKeys(demo).operator);
  await opened.page.goto(`${demo.url}/ui/playground?models=${models}`);
  await settle(opened.page);
  return opened;
}

async function send(page: Page, prompt: string): Promise<void> {
  await page.getByLabel('Prompt').fill(prompt);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.locator('.column-foot').getByText('done', { exact: true }).first().waitFor();
}

const setting = async (page: Page, label: string, text: string) => {
  if (!(await page.getByLabel(label).isVisible())) await page.locator('summary').first().click();
  await page.getByLabel(label).fill(text);
};

/** What the open tab shows besides the answer. */
const panel = '.column-body > :not([hidden]) pre';

const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const markdown = `Here it is:

# A heading
Some **bold**, *slanted* and \`code <b>\` with &lt;marks&gt;.

| River | Length |
| --- | ---: |
| Aa | 1 |

- one
  1. inner
- [x] done

> quoted

\`\`\`js
alert("<script>")
\`\`\`

![here](${pixel}) [gate](https://acme.example/a?b=c)
`;

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const) {
  test(`an answer is drawn as Markdown, and plain with one key: ${theme}, ${width} pixels`, async () => {
    const { page, context, mishaps } = await openPlayground('sandbox/echo', { theme, width });
    await send(page, markdown);
    const answer = page.locator('.answer');
    assert.equal(await answer.locator('strong').textContent(), 'bold');
    assert.equal(await answer.locator('code').first().textContent(), 'code <b>');
    assert.match((await answer.textContent()) ?? '', /with <marks>\./);
    assert.deepEqual(await answer.locator('th, td').allTextContents(), ['River', 'Length', 'Aa', '1']);
    assert.equal(await answer.locator('ul > li ol > li').textContent(), 'inner');
    assert.equal(await answer.locator('pre').textContent(), 'alert("<script>")');
    await eventually('the picture is drawn', () =>
      page.evaluate<boolean>("document.querySelector('.answer img')?.naturalWidth === 1"),
    );
    const link = answer.getByRole('link', { name: 'gate' });
    assert.equal(await link.getAttribute('href'), 'https://acme.example/a?b=c');
    assert.equal(await link.getAttribute('rel'), 'noopener noreferrer');
    await answer.getByText('(acme.example)').waitFor();
    const faults = [...(await violationsOf(page, 'markdown')), ...(await sideScroll(page, 'markdown'))];
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('p');
    assert.equal(await answer.textContent(), `[sandbox] ${markdown}`);
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

const hostile = `
<img src=x onerror=alert(1)><script>alert(2)</script>
<svg onload=alert(1)>

<iframe src="https://evil.example/frame"></iframe>

[one](javascript:alert(1)) [two](  JaVaScRiPt:alert(1)) [three](data:text/html;base64,PHNjcmlwdD4=)
[four](&#106;avascript:alert(1)) [five][ref] <javascript:alert(1)> [six](vbscript:x)

[ref]: javascript:alert(1)

![remote](https://evil.example/pixel.png?secret) ![](//evil.example/x.png) ![svg](data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+)

user\u202egnp.exe ![a\u202eb](https://evil.example/\u202e.png)

www.evil.example and ada@evil.example
`;

test('hostile answers run nothing, load nothing, open nothing by themselves, and read as text', async () => {
  const { page, context, mishaps } = await openPlayground('sandbox/echo');
  await send(page, hostile);
  const answer = page.locator('.answer');
  await answer.getByRole('link', { name: 'Picture: remote' }).waitFor();
  assert.equal(await answer.locator('img, script, iframe, svg:not(.icon)').count(), 0);
  const addresses: readonly string[] = await page.evaluate(
    "[...document.querySelectorAll('.answer a')].map(({ href }) => href)",
  );
  assert.ok(addresses.length >= 3);
  for (const address of addresses) assert.match(address, /^(https?:\/\/|mailto:)/);
  const said = (await answer.textContent()) ?? '';
  for (const words of [
    '<img src=x onerror=alert(1)><script>alert(2)</script>',
    '<iframe src="https://evil.example/frame"></iframe>',
    '[one](javascript:alert(1))',
    '[three](data:text/html;base64,PHNjcmlwdD4=)',
    'user\\u202egnp.exe',
    'Picture: a\\u202eb',
    '(evil.example, not loaded)',
  ])
    assert.ok(said.includes(words), words);
  assert.ok(!said.includes('\u202e'), 'no mark that reorders');
  for (const tab of ['Items', 'Events', 'Metadata', 'Code']) {
    await page.getByRole('tab', { name: tab }).click();
    const shown = (await page.locator(panel).first().textContent()) ?? '';
    assert.ok(shown.includes('onerror=alert(1)'), tab);
    assert.ok(!shown.includes('\u202e'), `${tab}: no mark that reorders`);
  }
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('long and deeply nested answers are shown, and the page stays usable', async () => {
  const { page, context, mishaps } = await openPlayground('sandbox/echo');
  await send(page, `\n${'>'.repeat(4_000)} deep`);
  await page.locator('.answer', { hasText: 'deep' }).waitFor();
  await send(page, `\n${'> '.repeat(60)}quoted`);
  assert.ok((await page.locator('.answer blockquote').count()) < 40);
  await page.locator('.answer', { hasText: 'quoted' }).waitFor();
  await send(page, `${'*a '.repeat(40_000)}`);
  assert.equal(await page.locator('.answer .markdown').count(), 0, 'above the limit it is plain');
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('raw events are the bytes of the wire', async () => {
  const { page, context, mishaps } = await openPlayground('globex/ibis-flash');
  const wire: string[] = [];
  await page.route('**/ui/api/responses', async (route) => {
    const response = await route.fetch();
    wire.push(await response.text());
    await route.fulfill({ response });
  });
  await send(page, 'Rivers\n\nand "gates" ü 👋');
  await page.getByRole('tab', { name: 'Events' }).click();
  assert.equal(wire.length, 1);
  assert.match(wire[0] ?? '', /data: \[DONE\]\n\n$/);
  assert.equal(await page.locator(panel).textContent(), wire[0]);
  assert.deepEqual(mishaps, []);
  await context.close();
});

const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const) {
  test(`a call of a tool is answered by hand: ${theme}, ${width} pixels`, async () => {
    const { page, context, mishaps } = await openPlayground('sandbox/tools', { theme, width });
    await setting(page, 'Tools, as a JSON array', '[{');
    await page.getByLabel('Prompt').fill('Weather in Brest?');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').getByText('tools cannot be read as JSON').waitFor();
    await setting(page, 'Tools, as a JSON array', JSON.stringify([weather]));
    await send(page, 'Weather in Brest?');
    const call = page.getByRole('region', { name: 'Call of weather' });
    await call.getByText('"city"').waitFor();
    await call.getByLabel('Result of weather').fill('12 °C, <b>rain</b>');
    const faults = [...(await violationsOf(page, 'a call')), ...(await sideScroll(page, 'a call'))];
    await page.getByRole('tab', { name: 'Items' }).click();
    await page.getByRole('tab', { name: 'Answer' }).click();
    assert.equal(await call.getByLabel('Result of weather').inputValue(), '12 °C, <b>rain</b>');
    await page.getByRole('button', { name: 'Send the result' }).click();
    await page.locator('.answer', { hasText: 'The tool answered: 12 °C, <b>rain</b>' }).waitFor();
    await call.getByText('answered with').waitFor();
    await page.getByRole('tab', { name: 'Code' }).click();
    assert.match((await page.locator(panel).textContent()) ?? '', /function_call_output/);
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

test('an answer is checked against the output schema', async () => {
  const { page, context, mishaps } = await openPlayground('sandbox/json,sandbox/echo');
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  await setting(page, 'Output schema, as JSON schema', JSON.stringify(schema));
  // The second model would be refused, because it promises no format: its column says so.
  await page.getByLabel('Prompt').fill('A city');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('fits the output schema', { exact: true }).waitFor();
  assert.match((await page.locator('.answer').first().textContent()) ?? '', /"city"/);
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('pictures are attached, shown, sent, and those that models do not read are refused', async () => {
  const { page, context, mishaps } = await openPlayground('sandbox/echo');
  const buffer = Buffer.from(pixel.slice(pixel.indexOf(',') + 1), 'base64');
  const files = page.getByLabel('Picture files');
  await files.setInputFiles({ name: 'plan.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
  await page.getByText('plan.svg is no picture that models read').waitFor();
  await files.setInputFiles({ name: 'big.png', mimeType: 'image/png', buffer: Buffer.alloc(20_000_001) });
  await page.getByText('big.png is too large').waitFor();
  await files.setInputFiles({ name: 'gate\u202e.png', mimeType: 'image/png', buffer });
  await page.getByText('gate\\u202e.png').waitFor();
  const asked = page.waitForRequest('**/ui/api/responses');
  await send(page, 'What is this?');
  const { input } = (await asked).postDataJSON();
  assert.deepEqual(input[0].content, [
    { type: 'input_text', text: 'What is this?' },
    { type: 'input_image', image_url: pixel, detail: 'auto' },
  ]);
  await page.getByRole('button', { name: 'Remove gate' }).click();
  await countIs(page.locator('.attached'), 0);
  assert.deepEqual(await violationsOf(page, 'pictures'), []);
  assert.deepEqual(mishaps, []);
  await context.close();
});
