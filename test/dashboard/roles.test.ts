import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Demo } from '../../scripts/demo/start-demo.ts';
import { createRawKey } from '../../src/core/api-key.ts';
import type { Role } from '../../src/core/roles.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { logIn, openBrowser, openPage, settle } from './support/open-browser.ts';
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

async function keyOf(role: Role): Promise<string> {
  const raw = createRawKey();
  const of = {
    accountId: demoKeys(demo).acme.account.id,
    workspaceId: null,
    kind: 'management',
    name: role,
  } as const;
  await demo.storage.keys.create(newKey(raw, { ...of, role, creatorUserId: 'user_ada', createdAt: 1 }));
  return raw;
}

/** What of the pages that depend on the role each role has in its navigation. */
const shown: Readonly<Record<Exclude<Role, 'owner'>, readonly string[]>> = {
  admin: ['Keys', 'Guardrails & plugins', 'Own credentials', 'Credits & ledger', 'Audit log', 'Destinations'],
  editor: ['Keys', 'Guardrails & plugins', 'Destinations'],
  viewer: ['Keys', 'Guardrails & plugins', 'Own credentials', 'Destinations'],
  billing: ['Credits & ledger'],
};

for (const [role, titles] of Object.entries(shown)) {
  test(`${role}: the pages shown are those of the role, and none asks for what it may not read`, async () => {
    const { page, context, mishaps } = await openPage(browser, demo.url);
    await logIn(page, demo.url, await keyOf(role as Role));
    const refused: string[] = [];
    page.on('response', (answer) => {
      if (answer.status() === 403) refused.push(answer.url());
    });
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const all = (await links.allTextContents()).map((title) => title.trim());
    const depending = [...new Set(Object.values(shown).flat())].filter((title) => all.includes(title));
    assert.deepEqual(depending.toSorted(), titles.toSorted());
    for (const title of all) {
      await page
        .getByRole('navigation', { name: 'Pages' })
        .getByRole('link', { name: title, exact: true })
        .click();
      await settle(page);
      assert.deepEqual(refused, [], `${title} as ${role}`);
    }
    assert.deepEqual(mishaps, []);
    await context.close();
  });
}

test('a page that is not for the role says so, and buttons that the role has no use for are not there', async () => {
  const { page, context } = await openPage(browser, demo.url);
  await logIn(page, demo.url, await keyOf('viewer'));
  await page.goto(`${demo.url}/ui/audit`);
  await page.getByRole('heading', { name: 'Audit log is not for your role' }).waitFor();
  await page.goto(`${demo.url}/ui/keys`);
  await page.locator('tbody tr').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'New key' }).count(), 0);
  await context.close();
  const other = await openPage(browser, demo.url);
  await logIn(other.page, demo.url, await keyOf('admin'));
  await other.page.goto(`${demo.url}/ui/keys`);
  await other.page.getByRole('button', { name: 'New key' }).first().waitFor();
  await other.context.close();
});
