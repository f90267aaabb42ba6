import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, storedAccount } from '../../../test/conformance/fixtures.ts';
import { makeDatabase, runIn, workplace } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { hashKey } from '../../core/api-key.ts';
import { openStorage } from '../../storage/open-storage.ts';
import type { CliEnvironment } from '../cli-environment.ts';

test('keys: created once, listed, found by prefix, disabled, enabled, deleted', async () => {
  const { run, json } = await workplace();
  assert.deepEqual(await run('keys', 'create', '--name', 'a'), {
    code: 1,
    out: '',
    err: 'error: there is no account yet; run "headgate serve" once or "headgate accounts create --name NAME"\n',
  });
  const account = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const made = await json(
    ...['keys', 'create', '--name', 'bot', '--limit', '12.50', '--limit-reset', 'weekly'],
    ...['--expires', '2027-01-31', '--include-byok'],
  );
  assert.match(made.key, /^sk-hg-v1-[0-9a-f]{64}$/);
  assert.equal(made.hash, hashKey(made.key));
  assert.equal(made.limit, 12.5);
  assert.equal(made.limit_reset, 'weekly');
  assert.equal(made.expires_at, '2027-01-31T00:00:00.000Z');
  assert.equal(made.include_byok_in_limit, true);
  assert.equal(made.account_id, account);
  const plain = await run('keys', 'create', '--name', 'admin', '--management');
  assert.match(plain.out, /^Key {3}sk-hg-v1-[0-9a-f]{64}\nHash {2}[0-9a-f]{64}\nNote {2}keep the key now/);

  const list = await run('keys', 'list');
  assert.match(list.out, /^HASH +LABEL +NAME +KIND +STATE +SPENT USD +LIMIT USD\n/);
  assert.match(list.out, / bot +inference +until 2027-01-31 +0 +12\.5 weekly\n/);
  assert.ok(!list.out.includes(made.key));
  assert.equal((await json('keys', 'list')).keys.length, 2);

  assert.equal((await run('keys', 'disable', made.hash.slice(0, 16))).out, `${made.label} "bot" disabled.\n`);
  assert.match((await run('keys', 'list')).out, /bot .*disabled/);
  assert.equal((await run('keys', 'enable', made.hash.toUpperCase())).code, 0);
  assert.equal((await run('keys', 'delete', made.hash)).out, `${made.label} "bot" deleted.\n`);
  assert.deepEqual(await run('keys', 'delete', made.hash), {
    code: 1,
    out: '',
    err: `error: no key has a hash that begins with "${made.hash}"; see "headgate keys list"\n`,
  });
});

test('a key is rotated and its new secret printed once; management keys too', async () => {
  const { run, json } = await workplace();
  await run('accounts', 'create', '--name', 'Main');
  for (const kind of [[], ['--management']]) {
    const made = await json('keys', 'create', '--name', 'bot', ...kind);
    const rotated = await json('keys', 'rotate', made.hash.slice(0, 12));
    assert.match(rotated.key, /^sk-hg-v1-[0-9a-f]{64}$/);
    assert.notEqual(rotated.key, made.key);
    assert.equal(rotated.hash, made.hash);
    assert.deepEqual(rotated.replaces, { label: made.label, ends_at: '2026-11-22T12:00:00.000Z' });
    const { out } = await run('keys', 'rotate', hashKey(rotated.key), '--grace', '90m');
    assert.match(
      out,
      /^Key {7}sk-hg-v1-[0-9a-f]{64}\nHash {6}[0-9a-f]{64}\nReplaces {2}sk-hg-v1-.{9}, which works until 2026-11-21T13:30:00.000Z\nNote {6}keep the key now/,
    );
    assert.match((await run('keys', 'rotate', made.hash, '--grace', '0s')).out, /, refused from now on\n/);
    const { code, err } = await run('keys', 'rotate', made.hash, '--grace', '169h');
    assert.deepEqual([code, err], [1, 'error: --grace must be at most 168h (7 days)\n']);
    assert.match((await run('keys', 'rotate', made.hash, '--grace', 'soon')).err, /a duration such as/);
  }
});

test('a change is announced to running servers before the database closes', async () => {
  const folder = temporaryFolder();
  await makeDatabase(folder);
  const announced: unknown[] = [];
  const openAndListen: CliEnvironment['openStorage'] = async (config) => {
    const storage = await openStorage(config.database.url);
    const announce = async (change: unknown) => {
      await storage.ping();
      announced.push(change);
    };
    return Object.defineProperties({} as typeof storage, {
      ...Object.getOwnPropertyDescriptors(storage),
      announce: { value: announce },
    });
  };
  const run = (...argv: string[]) => runIn(folder, argv, { openStorage: openAndListen });
  await run('accounts', 'create', '--name', 'Main');
  const { hash } = JSON.parse((await run('keys', 'create', '--name', 'a', '--json')).out);
  announced.length = 0;
  assert.equal((await run('keys', 'disable', hash)).code, 0);
  assert.deepEqual(announced, [{ kind: 'callers', keyHash: hash }]);
});

test('a key belongs to a workspace of its account, named by id or slug, or to no other', async () => {
  const { run, json } = await workplace();
  const first = await json('accounts', 'create', '--name', 'First');
  const second = await json('accounts', 'create', '--name', 'Second');
  const create = ['keys', 'create', '--name', 'a', '--account', first.id];
  await json(...create, '--workspace', first.default_workspace_id);
  await json(...create, '--workspace', 'default');
  for (const workspace of ['nonsense', second.default_workspace_id]) {
    assert.deepEqual(await run(...create, '--workspace', workspace), {
      code: 1,
      out: '',
      err: `error: the account has no workspace "${workspace}"; GET /api/v1/workspaces with a management key lists them\n`,
    });
  }
  const workspaces = (await json('keys', 'list')).keys.map(
    (key: { workspace_id: string }) => key.workspace_id,
  );
  assert.deepEqual(workspaces, [first.default_workspace_id, first.default_workspace_id]);
});

test('an ambiguous prefix is refused with the number of keys it fits', async () => {
  const { run, json } = await workplace();
  await run('accounts', 'create', '--name', 'Main');
  const byFirst = new Map<string, number>();
  // Seventeen hashes cannot all begin with different digits.
  for (let index = 0; index < 17; index += 1) {
    const { hash } = await json('keys', 'create', '--name', `key ${index}`);
    byFirst.set(hash[0], (byFirst.get(hash[0]) ?? 0) + 1);
  }
  const [digit, count] = [...byFirst].find(([, keys]) => keys > 1) ?? [];
  assert.deepEqual(await run('keys', 'delete', digit ?? ''), {
    code: 1,
    out: '',
    err: `error: "${digit}" is the beginning of ${count} hashes; give more characters of it\n`,
  });
  assert.equal((await json('keys', 'list')).keys.length, 17);
});

test('a list of many keys asks a few things of the database at a time', async (t) => {
  const storage = await openStorage('sqlite::memory:');
  await storage.migrate();
  const owner = await storedAccount(storage);
  for (let count = 0; count < 150; count += 1) await storage.keys.create(apiKey(owner));
  const { ledger } = storage;
  const keySpend = ledger.keySpend.bind(ledger);
  let [running, most] = [0, 0];
  t.mock.method(ledger, 'keySpend', async (...asked: Parameters<typeof keySpend>) => {
    running += 1;
    most = Math.max(most, running);
    const spend = await keySpend(...asked);
    running -= 1;
    return spend;
  });
  const { out } = await runIn(temporaryFolder(), ['keys', 'list'], { openStorage: async () => storage });
  assert.equal(out.split('\n').length, 152);
  assert.ok(most < 100, String(most));
});

test('keys of several accounts are told apart, and those of one asked for', async () => {
  const { run, json } = await workplace();
  const first = await json('accounts', 'create', '--name', 'First');
  await run('keys', 'create', '--name', 'one\u001b[31m\n');
  assert.match(
    (await run('keys', 'list')).out,
    /LIMIT USD\n.* {2}one\\u001b\[31m\\n {2}inference +active +0 +-\n$/,
  );
  const second = await json('accounts', 'create', '--name', 'Second');
  await run('keys', 'create', '--name', 'two', '--account', second.id);
  const { out } = await run('keys', 'list');
  assert.match(out, /LIMIT USD {2}ACCOUNT\n/);
  assert.match(out, /^\S+ {2}\S+ {2}two {2,}inference .* {2}Second$/m);
  assert.match(out, /^\S+ {2}\S+ {2}one\S+ {2}inference .* {2}First$/m);
  assert.match((await run('keys', 'list', '--account', second.id)).out, /LIMIT USD\n[^\n]* two [^\n]* -\n$/);
  const { keys } = await json('keys', 'list', '--account', first.id);
  assert.deepEqual(
    keys.map((key: { account_id: string }) => key.account_id),
    [first.id],
  );
  assert.match((await run('keys', 'list', '--account', 'nobody')).err, /^error: no account "nobody"; see/);
});

test('update changes what is named and leaves the rest; none clears', async () => {
  const { run, json } = await workplace();
  assert.equal((await run('accounts', 'create', '--name', 'Acme')).code, 0);
  const made = await json('keys', 'create', '--name', 'app', '--limit', '5', '--limit-reset', 'daily');
  const prefix = made.hash.slice(0, 12);
  const renamed = await run('keys', 'update', prefix, '--name', 'application', '--include-byok', 'true');
  assert.deepEqual([renamed.code, renamed.out], [0, `${made.label} "application" updated.\n`]);
  const changed = await json('keys', 'update', prefix, '--limit', 'none', '--limit-reset', 'none');
  assert.deepEqual([changed.name, changed.hash, changed.disabled], ['application', made.hash, false]);
  assert.deepEqual(
    [changed.limit, changed.limit_reset, changed.include_byok_in_limit, changed.usage],
    [null, null, true, 0],
  );
  const nothing = await run('keys', 'update', prefix);
  assert.deepEqual([nothing.code, /nothing to change/.test(nothing.err)], [2, true]);
  const unknown = await run('keys', 'update', 'f'.repeat(64), '--name', 'x');
  assert.match(unknown.err, /^error: no key has a hash that begins with/);
});

test('a list of addresses is set and cleared, for management keys too', async () => {
  const { run, json } = await workplace();
  assert.equal((await run('accounts', 'create', '--name', 'Acme')).code, 0);
  const create = ['keys', 'create', '--name', 'boss', '--management', '--allowed-ips'];
  const made = await json(...create, '10.0.0.0/8, ::ffff:192.0.2.1');
  assert.deepEqual(made.allowed_ips, ['10.0.0.0/8', '192.0.2.1']);
  const prefix = made.hash.slice(0, 12);
  assert.deepEqual((await json('keys', 'update', prefix, '--name', 'chief')).allowed_ips, made.allowed_ips);
  assert.deepEqual((await json('keys', 'update', prefix, '--allowed-ips', '::1')).allowed_ips, ['::1']);
  assert.equal((await json('keys', 'update', prefix, '--allowed-ips', 'none')).allowed_ips, null);
  const wrong = await run(...create, '10.0.0.0/8,example.com');
  assert.deepEqual([wrong.code, /Every entry must be an IP address/.test(wrong.err)], [2, true]);
  const long = await run(...create, Array.from({ length: 65 }, () => '::1').join());
  assert.deepEqual([long.code, /at most 64/.test(long.err)], [2, true]);
});

test('a management key gets a role, and an editor acts for a member who cannot go before it', async () => {
  const { run, json } = await workplace();
  assert.equal((await run('accounts', 'create', '--name', 'Acme', '--organization')).code, 0);
  await run('members', 'add', 'user_jane', '--email', 'jane@acme.example');
  const create = ['keys', 'create', '--name', 'x'];
  const boss = [...create, '--management'];
  const viewer = await json(...boss, '--role', 'viewer');
  assert.equal(viewer.role, 'viewer');
  assert.equal((await json('keys', 'update', viewer.hash, '--role', 'admin')).role, 'admin');
  assert.equal((await json(...boss)).role, null);
  const editor = await json(...boss, '--role', 'editor', '--member', 'user_jane');
  assert.equal(editor.role, 'editor');
  const mistakes: readonly (readonly [number, RegExp, readonly string[]])[] = [
    [2, /Allowed choices are owner, admin, editor, viewer, billing/, [...boss, '--role', 'chief']],
    [2, /--role and --member need --management/, [...create, '--role', 'viewer']],
    [2, /--role and --member need --management/, [...create, '--member', 'user_jane']],
    [1, /acts for a member: create the key with --member/, [...boss, '--role', 'editor']],
    [1, /acts for a member/, ['keys', 'update', viewer.hash, '--role', 'editor']],
    [1, /"user_none" is no member/, [...boss, '--role', 'editor', '--member', 'user_none']],
    [1, /acts for "user_jane"; delete it first/, ['members', 'remove', 'user_jane']],
    [
      1,
      /only management keys have a role/,
      ['keys', 'update', (await json(...create)).hash, '--role', 'viewer'],
    ],
  ];
  for (const [code, message, command] of mistakes) {
    const refused = await run(...command);
    assert.equal(refused.code, code, command.join(' '));
    assert.match(refused.err, message);
  }
  assert.equal((await run('keys', 'delete', editor.hash)).code, 0);
  assert.equal((await run('members', 'remove', 'user_jane')).code, 0);
});

test('models and scopes are set and cleared, each for the kind of key it is for', async () => {
  const { run, json } = await workplace();
  assert.equal((await run('accounts', 'create', '--name', 'Acme')).code, 0);
  const app = await json('keys', 'create', '--name', 'app', '--allowed-models', 'Acme/*, other/fast');
  assert.deepEqual([app.allowed_models, app.scopes], [['acme/*', 'other/fast'], null]);
  const update = ['keys', 'update', app.hash];
  assert.equal((await json(...update, '--allowed-models', 'none')).allowed_models, null);
  const boss = await json('keys', 'create', '--name', 'boss', '--management', '--scopes', 'read');
  assert.deepEqual([boss.allowed_models, boss.scopes], [null, ['read']]);
  assert.equal((await json('keys', 'update', boss.hash, '--scopes', 'none')).scopes, null);
  const refused = [
    [...update, '--scopes', 'read'],
    ['keys', 'create', '--name', 'x', '--scopes', 'read'],
    ['keys', 'update', boss.hash, '--allowed-models', 'a/b'],
    ['keys', 'create', '--name', 'x', '--management', '--allowed-models', 'a/b'],
  ];
  for (const words of refused) {
    const { code, err } = await run(...words);
    assert.deepEqual(
      [code, /only management keys have scopes|cannot run inference/.test(err)],
      [1, true],
      err,
    );
  }
  for (const words of [
    [...update, '--allowed-models', 'a**'],
    ['keys', 'update', boss.hash, '--scopes', 'write'],
  ]) {
    assert.equal((await run(...words)).code, 2);
  }
});
