import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
import { demoKeys, startDemoServer } from './support/start-demo-server.ts';

let demo: Demo;
let browser: Browser;

before(async () => {
  [demo, browser] = await Promise.all([startDemoServer(300), openBrowser()]);
});

after(async () => {
  await browser.close();
  await demo.stop();
});

async function post(path: string, key: string, body: unknown) {
  const response = await fetch(`${demo.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  const answer = (await response.json()) as any;
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

test('a request shows its pipeline without any text, and leads to the explainer', async () => {
  const { acme, operator, holder } = demoKeys(demo);
  const { data } = await post('/guardrails', operator, {
    name: 'No addresses',
    content_filter_builtins: [{ slug: 'email', action: 'redact' }],
  });
  const { data: keys } = (await (
    await fetch(`${demo.url}/api/v1/keys`, { headers: { authorization: `Bearer ${operator}` } })
  ).json()) as { data: readonly { name: string; hash: string }[] };
  const hash = keys.find(({ name }) => name === 'ci-bot')?.hash;
  await post(`/guardrails/${data.id}/assignments/keys`, operator, { key_hashes: [hash] });
  await post('/chat/completions', holder, {
    model: 'sandbox/echo',
    messages: [{ role: 'user', content: 'Write to ada@acme.example' }],
  });
  for (const [theme, width] of [
    ['light', 1280],
    ['dark', 360],
  ] as const) {
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, acme.managementKey);
    await page.goto(`${demo.url}/ui/requests?range=1h&model=sandbox/echo`);
    await page.locator('tbody tr').first().click();
    await page.getByRole('tab', { name: 'Pipeline (1)' }).click();
    const panel = page.getByRole('tabpanel');
    await panel.getByText('No addresses: redacted').waitFor();
    await settle(page);
    assert.doesNotMatch((await panel.textContent()) ?? 'ada@', /ada@/);
    const faults = [...(await violationsOf(page, 'pipeline')), ...(await sideScroll(page, 'pipeline'))];
    await page.getByRole('tab', { name: 'Plan' }).click();
    await panel.getByText(/headgate route explain --generation gen-/).waitFor();
    faults.push(...(await violationsOf(page, 'plan')), ...(await sideScroll(page, 'plan')));
    await panel.getByRole('link', { name: 'Explain now' }).click();
    await page.getByRole('heading', { level: 1, name: 'Route explainer' }).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('model'), 'sandbox/echo');
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  }
});
