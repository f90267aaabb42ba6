import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { killableServer } from './support/killable-server.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';

test('a killed server: open pages say so, go on when it is back, keep drafts and send nothing twice', async (t) => {
  const server = await killableServer();
  await server.start();
  t.after(() => server.kill());
  const browser = await openBrowser();
  t.after(() => browser.close());
  const { url, managementKey } = server;
  const { page: overview, context, mishaps } = await openPage(browser, url, { width: 360, theme: 'dark' });
  await logIn(overview, url, managementKey);
  await settle(overview);
  const [live, playground] = [await context.newPage(), await context.newPage()];
  await live.goto(`${url}/ui/live`);
  await live.getByText('running').first().waitFor();
  await playground.goto(`${url}/ui/playground?models=slow/lorem`);
  await settle(playground);
  const sent: string[] = [];
  playground.on('request', (request) => {
    if (request.url().endsWith('/ui/api/responses')) sent.push(request.method());
  });
  await playground.getByLabel('Prompt').fill('Rivers and gates');
  await playground.locator('summary').first().click();
  await playground.getByLabel('Instructions').fill('Be slow.');
  await playground.getByRole('button', { name: 'Send', exact: true }).click();
  await playground.locator('.answer', { hasText: 'lorem' }).waitFor();
  await live
    .getByRole('row', { name: /^slow\/lorem/ })
    .getByText('answering')
    .waitFor();

  await server.kill();
  for (const page of [overview, live, playground])
    await page.getByText('The server has not answered since').waitFor();
  await live.getByText(/The server cannot be reached\.|The connection broke\./).waitFor();
  await playground.getByText('The connection broke before the answer had ended').waitFor();
  const answer = await playground.locator('.answer').first().textContent();
  assert.match(answer ?? '', /lorem/, 'what had come stays');
  const faults = [
    ...(await violationsOf(overview, 'away')),
    ...(await sideScroll(overview, 'away')),
    ...(await sideScroll(playground, 'away')),
  ];

  const asked = overview.waitForResponse(
    (response) => response.url().includes('/usage/series') && response.ok(),
  );
  await server.start();
  await asked;
  for (const page of [overview, live, playground]) {
    await page.getByText('The server has not answered since').waitFor({ state: 'detached' });
  }
  await live.locator('.note.warn').waitFor({ state: 'detached' });
  await live.getByText('Nothing runs at the moment').waitFor();
  assert.equal(await playground.getByLabel('Prompt').inputValue(), 'Rivers and gates');
  assert.equal(await playground.getByLabel('Instructions').inputValue(), 'Be slow.');
  assert.deepEqual(sent, ['POST'], 'nothing is sent again by itself');

  await playground.getByRole('button', { name: 'Send', exact: true }).click();
  await live
    .getByRole('row', { name: /^slow\/lorem/ })
    .getByText('answering')
    .waitFor();
  await playground.getByRole('button', { name: 'Stop' }).click();
  const calls = await eventually('the record of the second answer', async () => {
    const response = await fetch(`${url}/api/v1/generations`, {
      headers: { authorization: `Bearer ${managementKey}` },
    });
    const { data } = (await response.json()) as { data: readonly { outcome: string }[] };
    return data.some(({ outcome }) => outcome === 'cancelled') ? data : undefined;
  });
  assert.equal(calls.filter(({ outcome }) => outcome === 'cancelled').length, 1);
  assert.deepEqual(sent, ['POST', 'POST']);
  assert.ok(calls.length <= 2, `${calls.length} calls`);
  assert.deepEqual([faults, mishaps], [[], []]);
});
