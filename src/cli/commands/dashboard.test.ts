import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runIn, workplace } from '../../../test/support/command-line.ts';
import { hashKey } from '../../core/api-key.ts';
import { tokenHash } from '../../management/sessions/sessions.ts';
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

test('dashboard link: names the address of browsers where the configuration has one', async () => {
  for (const [server, start] of [
    ['{ port: 9000 }', 'http://127.0.0.1:9000/#login='],
    ['{ port: 9000, dashboard: { port: 9001 } }', 'http://127.0.0.1:9001/#login='],
    [
      "{ dashboard: { port: 9001 }, public_url: 'https://gate.example/ai/' }",
      'https://gate.example/ai/#login=',
    ],
  ]) {
    const { run } = await workplace(`server: ${server}\n`);
    await run('accounts', 'create', '--name', 'Main');
    await run('keys', 'create', '--name', 'admin', '--management');
    const { out, err } = await run('dashboard', 'link');
    assert.ok(out.startsWith(start ?? ''), out + err);
  }
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
