import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIn, workplace } from '../../../test/support/command-line.ts';
import { hashKey } from '../../core/api-key.ts';
import { tokenHash } from '../../operations/sessions/open-session.ts';
import type { Storage } from '../../ports/storage.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('dashboard link: works once, until its time, and is in the audit log without its code', async () => {
  const { folder, run, json } = await workplace();
  await run('accounts', 'create', '--name', 'Main');
  const without = await run('dashboard', 'link');
  assert.equal(without.code, 1);
  assert.match(without.err, /no management key that works/);
  const { key } = await json('keys', 'create', '--name', 'admin', '--management');
  let clock = 0;
  const link = await runIn(
    folder,
    ['dashboard', 'link', '--minutes', '5', '--url', 'https://gate.example/'],
    {
      clock: { now: () => clock },
    },
  );
  const code = /^https:\/\/gate\.example\/#login=([\w-]{43})\n$/.exec(link.out)?.[1] ?? '';
  assert.notEqual(code, '', link.err);
  const audit = await run('audit', 'list');
  assert.match(audit.out, /session\.link/);
  assert.ok(!audit.out.includes(code));
  const { storage, close } = await reopened(folder);
  clock = 5 * 60_000 - 1;
  assert.equal(await storage.sessions.takeLink(tokenHash(code), clock), hashKey(key));
  assert.equal(await storage.sessions.takeLink(tokenHash(code), clock), undefined, 'used up');
  await close();
});

async function reopened(folder: string) {
  let found: Storage | undefined;
  await runIn(folder, ['usage'], {
    openStorage: async (config) => {
      found = await openStorage(config.database.url);
      return openStorage(config.database.url);
    },
  });
  assert.ok(found !== undefined);
  const storage = found;
  return { storage, close: () => storage.close() };
}
