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

async function statusOf(key: string): Promise<number> {
  const response = await fetch(`${demo.url}/api/v1/key`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status;
}

for (const [theme, width, grace] of [
  ['light', 1280, 'in 24 hours'],
  ['dark', 360, 'at once'],
] as const) {
  test(`a key is rotated in three clicks and its new secret shown once (${theme}, ${width})`, async () => {
    const { operator, holder, globex, manager } = demoKeys(demo);
    const first = width === 1280;
    const old = first ? holder : Object.values(globex.keys)[0];
    assert.ok(old !== undefined);
    const { page, context, mishaps } = await openPage(browser, demo.url, { theme, width });
    await logIn(page, demo.url, first ? operator : manager);
    await page.goto(`${demo.url}/ui/keys`);
    await settle(page);
    const named = first ? 'ci-bot' : (Object.keys(globex.keys)[0] ?? '');
    await page.getByRole('button', { name: `Actions for ${named}` }).click();
    await page.getByRole('button', { name: 'Rotate…' }).click();
    await page.getByRole('combobox', { name: 'stops working' }).selectOption(grace);
    const faults = [...(await violationsOf(page, 'before')), ...(await sideScroll(page, 'before'))];
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    const secret = (await page.locator('.raw-key').textContent()) ?? '';
    assert.match(secret, /^sk-hg-v1-[0-9a-f]{64}$/);
    await page.getByText(first ? 'which works until' : 'is refused from now on').waitFor();
    faults.push(...(await violationsOf(page, 'shown once')), ...(await sideScroll(page, 'shown once')));
    const fits =
      "[...document.querySelectorAll('dialog[open]')].every((one) => one.scrollWidth <= one.clientWidth)";
    assert.equal(await page.evaluate(fits), true);
    // Nothing closes it before the secret was copied, without asking.
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('You have not copied the key.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.deepEqual([await statusOf(old), await statusOf(secret)], [first ? 200 : 401, 200]);
    assert.ok(!page.url().includes(secret) && !(await page.content()).includes(secret));
    await page.getByRole('link', { name: named, exact: true }).click();
    await page.getByText('Rotated', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'What applies to this key' }).waitFor();
    await page.getByText('of this key, resets').waitFor();
    await settle(page);
    if (first)
      await page
        .getByText('the earlier secret ends in 24 hours')
        .or(page.getByText('ends tomorrow'))
        .waitFor();
    faults.push(...(await violationsOf(page, 'detail')), ...(await sideScroll(page, 'detail')));
    assert.deepEqual([faults, mishaps], [[], []]);
    await context.close();
  });
}
