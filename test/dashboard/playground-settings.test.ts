import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { logIn, openBrowser, openPage, settle, sideScroll, violationsOf } from './support/open-browser.ts';
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

async function openPlayground(query: string, options = {}) {
  const opened = await openPage(browser, demo.url, options);
  await logIn(opened.page, demo.url, demoKeys(demo).operator);
  await opened.page.goto(`${demo.url}/ui/playground?${query}`);
  await settle(opened.page);
  return opened;
}

for (const [theme, width] of [
  ['light', 1280],
  ['dark', 360],
] as const) {
  test(`columns with settings of their own: what is planned, sent and shown as code (${theme}, ${width})`, async () => {
    const { page, context, mishaps } = await openPlayground('models=globex/ibis-flash,acme/atlas-4-mini', {
      theme,
      width,
    });
    await page.locator('summary').first().click();
    await page.getByLabel('Most output tokens').fill('50');
    await page.getByLabel('Linked settings').uncheck();
    const columns = page.locator('section.column');
    const [first, second] = [columns.nth(0), columns.nth(1)];
    assert.equal(await first.getByLabel('Most output tokens').inputValue(), '50');
    await second.getByLabel('Most output tokens').fill('70');
    await second.getByLabel('Instructions').fill('Rhyme.');
    const planned: Record<string, unknown>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/ui/api/responses/plan')) planned.push(request.postDataJSON());
    });
    await page.getByLabel('Prompt').pressSequentially('Hello you', { delay: 20 });
    const ceilings = columns.locator('.ceiling');
    for (const at of [0, 1])
      await ceilings
        .nth(at)
        .getByText(/at most \$/)
        .waitFor();
    await page.waitForLoadState('networkidle');
    // Typing is waited for: far fewer plans than characters, and each column asks with its own settings.
    assert.deepEqual(new Set(planned.map((body) => body.max_output_tokens)), new Set([50, 70]));
    assert.ok(planned.length <= 8, `${planned.length} plans for 9 characters in two columns`);
    const faults = [...(await violationsOf(page, 'two')), ...(await sideScroll(page, 'two'))];

    const sent: Record<string, unknown>[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/ui/api/responses')) sent.push(request.postDataJSON());
    });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    for (const at of [0, 1])
      await columns.nth(at).locator('.column-foot').getByText('done', { exact: true }).waitFor();
    const byModel = new Map(sent.map((body) => [body.model, body]));
    assert.deepEqual(byModel.get('globex/ibis-flash'), {
      model: 'globex/ibis-flash',
      input: 'Hello you',
      max_output_tokens: 50,
      stream: true,
    });
    assert.deepEqual(byModel.get('acme/atlas-4-mini'), {
      model: 'acme/atlas-4-mini',
      input: 'Hello you',
      instructions: 'Rhyme.',
      max_output_tokens: 70,
      stream: true,
    });
    await second.getByRole('tab', { name: 'Code' }).click();
    await second.locator('pre', { hasText: '"instructions": "Rhyme."' }).waitFor();
    await second.getByLabel('Instructions').fill('No rhymes.');
    await second.locator('pre', { hasText: '"instructions": "No rhymes."' }).waitFor();

    // A fault names its column, and nothing is sent.
    await first.getByLabel('Tools, as a JSON array').fill('[{');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByRole('alert').getByText('globex/ibis-flash: The tools cannot be read').waitFor();
    assert.equal(sent.length, 2);

    // The tab keeps all of it; linking again shows what is shared.
    await page.reload();
    await settle(page);
    assert.equal(await second.getByLabel('Instructions').inputValue(), 'No rhymes.');
    assert.equal(await page.getByLabel('Prompt').inputValue(), 'Hello you');
    await page.getByLabel('Linked settings').check();
    assert.equal(await page.getByLabel('Most output tokens').inputValue(), '50');
    assert.equal(await page.getByLabel('Instructions').inputValue(), '');
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}

test('a preset is chosen, used with its own model, copied into the settings, and saved under another name', async () => {
  const { page, context, mishaps } = await openPlayground('models=acme/atlas-4-mini');
  await page.locator('summary').first().click();
  await page.getByLabel('Instructions').fill('Answer in verse.');
  await page.getByLabel('Most output tokens').fill('64');
  await page.getByRole('button', { name: 'Save as preset' }).click();
  await page.getByLabel('Name').fill('verse');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'verse' }).waitFor();

  // In another tab, whose draft is empty.
  const other = await context.newPage();
  await other.goto(page.url());
  await other.getByRole('link', { name: 'Try in the playground' }).click();
  await settle(other);
  const preset = other.getByRole('combobox', { name: 'Preset' });
  assert.equal(await preset.inputValue(), 'verse');
  assert.equal(await other.getByLabel('Model', { exact: true }).inputValue(), '');
  const asked = other.waitForRequest('**/ui/api/responses');
  await other.getByLabel('Prompt').fill('Rivers');
  await other
    .locator('.ceiling', { hasText: 'acme/atlas-4-mini' })
    .getByText(/at most \$/)
    .waitFor();
  const faults = [...(await violationsOf(other, 'preset')), ...(await sideScroll(other, 'preset'))];
  await other.getByRole('button', { name: 'Send', exact: true }).click();
  assert.deepEqual((await asked).postDataJSON(), { preset: 'verse', input: 'Rivers', stream: true });
  await other.locator('.column-foot').getByText('done', { exact: true }).waitFor();
  await other.getByRole('tab', { name: 'Code' }).click();
  await other.locator('pre', { hasText: '"preset": "verse"' }).waitFor();
  await other.getByRole('tab', { name: 'Metadata' }).click();
  await other.locator('pre', { hasText: 'acme/atlas-4-mini' }).waitFor();

  await other.getByRole('button', { name: 'Save as preset' }).click();
  await other.getByText('What the preset verse sets is not kept').waitFor();
  await other.getByRole('button', { name: 'Cancel' }).click();
  await other.getByRole('button', { name: 'Copy into the settings' }).click();
  await other.waitForURL(({ search }) => !search.includes('preset'));
  if (!(await other.getByLabel('Instructions').isVisible())) await other.locator('summary').first().click();
  assert.equal(await other.getByLabel('Instructions').inputValue(), 'Answer in verse.');
  assert.equal(await other.getByLabel('Most output tokens').inputValue(), '64');
  assert.equal(await other.getByLabel('Model', { exact: true }).inputValue(), 'acme/atlas-4-mini');
  await preset.selectOption('verse');
  assert.equal(await other.getByLabel('Model', { exact: true }).inputValue(), 'acme/atlas-4-mini');
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});

test('a manager tries a preset of another workspace as a key of that one', async () => {
  const { acme, operator } = demoKeys(demo);
  const { workspaces } = await demo.storage.workspaces.list({
    accountId: acme.account.id,
    offset: 0,
    limit: 9,
  });
  const second = workspaces.find(({ id }) => id !== acme.account.defaultWorkspaceId);
  assert.ok(second !== undefined);
  const post = (path: string, body: object) =>
    fetch(`${demo.url}/api/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.status);
  assert.equal(await post('keys', { name: 'second-bot', workspace_id: second.id }), 201);
  const settings = { model: 'sandbox/echo', instructions: 'Twice.' };
  assert.equal(await post(`presets/twice/responses?workspace_id=${second.id}`, settings), 200);
  const { page, context, mishaps } = await openPlayground('preset=twice');
  const key = page.getByRole('combobox', { name: 'As key' });
  await key.selectOption('ci-bot');
  // As a key of the first workspace it is not found, which the plan says; it stays chosen.
  await page.getByLabel('Prompt').fill('Hi');
  await page.locator('.ceiling', { hasText: /preset "?twice/i }).waitFor();
  assert.equal(await page.getByRole('combobox', { name: 'Preset' }).inputValue(), 'twice');
  await page.goto(`${demo.url}/ui/presets/twice?of=${second.id}`);
  await page.getByRole('link', { name: 'Try in the playground' }).click();
  await settle(page);
  await page.locator('.ceiling', { hasText: 'sandbox/echo' }).waitFor();
  assert.equal(await key.locator('option:checked').textContent(), 'second-bot');
  assert.deepEqual(mishaps, []);
  await context.close();
});

test('reasoning offers what the models know, and a preset brings its effort back', async () => {
  const { page, context, mishaps } = await openPlayground('models=initech/quill-reason', { width: 360 });
  const choice = page.locator('label', { hasText: /^Reasoning/ }).locator('select');
  const offered = () => choice.locator('option').allTextContents();
  await page.locator('summary').first().click();
  assert.deepEqual(await offered(), ["the model's: medium", 'high', 'medium', 'low', 'minimal']);
  await choice.selectOption('minimal');
  const sent = page.waitForRequest((request) => request.url().endsWith('/ui/api/responses'));
  await page.getByLabel('Prompt').fill('Hello');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  assert.deepEqual((await sent).postDataJSON().reasoning, { effort: 'minimal' });
  await page.locator('.column-foot').getByText('done', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save as preset' }).click();
  await page.getByLabel('Name').fill('brief');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'brief' }).waitFor();
  await page.goto(`${demo.url}/ui/playground?models=globex/ibis-flash&preset=brief`);
  await settle(page);
  // Other keys may belong to another workspace, which does not have it.
  await page.getByRole('combobox', { name: 'As key' }).selectOption('ci-bot');
  // Chosen for another model: it stays chosen, and says that this one does not know it.
  assert.deepEqual(await offered(), ['does not reason', 'minimal (not known to it)']);
  await choice.selectOption('');
  await page.getByRole('button', { name: 'Copy into the settings' }).click();
  await page.locator('summary', { hasText: 'Settings (1)' }).waitFor();
  assert.equal(await choice.inputValue(), 'minimal');
  const faults = [...(await violationsOf(page, 'efforts')), ...(await sideScroll(page, 'efforts'))];
  await page.goto(`${demo.url}/ui/playground?models=globex/ibis-flash,initech/quill-reason`);
  await settle(page);
  assert.deepEqual(
    (await offered()).slice(1),
    ['high', 'medium', 'low', 'minimal'],
    'what one of them knows',
  );
  assert.deepEqual([faults, mishaps], [[], []]);
  await context.close();
});
