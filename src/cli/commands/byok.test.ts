import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { chatBody } from '../../../test/fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { makeDatabase, runIn } from '../../../test/support/command-line.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';

const secret = 'sk-live-7Hq2ZpXw93LmTtVbNc84';

async function begin(t: TestContext, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const upstream = await startFakeUpstream({ whole: chatBody('OK') });
  t.after(() => upstream.close());
  const file = `catalog: none
providers:
  north: { adapter: openai-chat, base_url: "${upstream.url}/v1", headers: { x-team: operator } }
models:
  - { id: acme/dear, endpoints: [{ provider: north, model: dear, price: { input: 3, output: 15 } }] }
  - { id: acme/cheap, endpoints: [{ provider: north, model: cheap, price: { input: 1, output: 1 } }] }
`;
  await makeDatabase(folder);
  await writeFile(join(folder, 'headgate.yaml'), file);
  await writeFile(join(folder, 'key.txt'), `${secret}\n`);
  const shown: string[] = [];
  const runWith = async (more: Record<string, string>, ...argv: string[]) => {
    const outcome = await runIn(folder, argv, { env: { ...env, ...more } });
    shown.push(outcome.out, outcome.err);
    return outcome;
  };
  const run = (...argv: string[]) => runWith({}, ...argv);
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run('--json', ...argv);
    assert.deepEqual([code, err], [0, '']);
    return JSON.parse(out);
  };
  assert.equal((await run('accounts', 'create', '--name', 'Acme')).code, 0);
  t.after(() => assert.ok(!shown.join('').includes(secret), 'never shown'));
  return { folder, upstream, run, runWith, json };
}

test('credentials are added from a file, listed, disabled, enabled and removed', async (t) => {
  const { folder, run, json } = await begin(t);
  const add = ['byok', 'add', '--provider', 'north', '--key-file', 'key.txt'];
  const made = await json(...add, '--name', 'Main', '--fallback', '--models', 'acme/dear', 'acme/cheap');
  assert.deepEqual([made.label, made.is_fallback, made.sort_order], ['sk-...Nc84', true, 0]);
  assert.deepEqual(made.allowed_models, ['acme/dear', 'acme/cheap']);
  const wide = await json(...add, '--account-wide', '--required', '--declared-zdr', 'true');
  assert.deepEqual([wide.workspace_id, wide.is_required, wide.declared_zdr], [null, true, true]);
  const text = await run(...add);
  assert.match(
    text.out,
    /^Id +[0-9a-f-]{36}\nProvider +north\nLabel +sk-\.\.\.Nc84\nNext +headgate byok test/,
  );

  assert.equal((await json('byok', 'list')).credentials.length, 3);
  assert.deepEqual((await json('byok', 'list', '--provider', 'none')).credentials, []);
  const { out } = await run('byok', 'list');
  assert.match(out, /^ID +PROVIDER +LABEL +NAME +STATE +FLAGS +ORDER\n/);
  assert.match(out, /north +sk-\.\.\.Nc84 +Main +active +fallback +0\n/);
  assert.match(out, /north +sk-\.\.\.Nc84 +- +active +account-wide required zdr +0\n/);

  const prefix = made.id.slice(0, 8);
  assert.match((await run('byok', 'disable', prefix)).out, /^north sk-\.\.\.Nc84 disabled\.\n$/);
  const stateOf = async (id: string) =>
    (await json('byok', 'list')).credentials.find((one: { id: string }) => one.id === id)?.disabled;
  assert.equal(await stateOf(made.id), true);
  await run('byok', 'enable', prefix);
  assert.equal(await stateOf(made.id), false);
  assert.match((await run('byok', 'remove', prefix)).out, /removed\.\n$/);
  assert.equal(await stateOf(made.id), undefined);
  const again = await run('byok', 'remove', prefix);
  assert.equal(again.code, 1);
  assert.match(again.err, /^error: no credential has an id that begins with/);
  for (const name of ['headgate.db', 'headgate.db-wal']) {
    const bytes = await readFile(join(folder, '.headgate', name), 'latin1').catch(() => '');
    assert.ok(!bytes.includes(secret), name);
  }
});

test('what cannot be stored is refused in one line, without showing the credential', async (t) => {
  const { folder, run } = await begin(t);
  await writeFile(join(folder, 'empty.txt'), '\n');
  const add = ['byok', 'add', '--key-file', 'key.txt', '--provider'];
  const cases: [number, RegExp, string[]][] = [
    [1, /there is no provider "none"/, [...add, 'none']],
    [1, /cannot be read from "gone.txt"/, ['byok', 'add', '--provider', 'north', '--key-file', 'gone.txt']],
    [1, /the credential is empty/, ['byok', 'add', '--provider', 'north', '--key-file', 'empty.txt']],
    [1, /has not the form azure asks for/, [...add, 'azure']],
    [1, /has no workspace "x"/, [...add, 'north', '--workspace', 'x']],
    [2, /exclude each other/, [...add, 'north', '--byok-only', '--fallback']],
    [2, /exclude each other/, [...add, 'north', '--workspace', 'x', '--account-wide']],
    [2, /--provider/, ['byok', 'add', '--key-file', 'key.txt']],
  ];
  for (const [code, message, argv] of cases) {
    const outcome = await run(...argv);
    assert.equal(outcome.code, code, argv.join(' '));
    assert.match(outcome.err, message);
    assert.equal(outcome.err.trim().split('\n').length, 1);
  }
});

test('a test call goes to the cheapest model with the credential alone, and says what came', async (t) => {
  const { upstream, run, json } = await begin(t);
  const { id } = await json('byok', 'add', '--provider', 'north', '--key-file', 'key.txt');
  const good = await run('byok', 'test', id);
  assert.equal(good.code, 0);
  assert.match(good.out, /^north sk-\.\.\.Nc84: acme\/cheap answered "OK" after \d+ ms\.\n$/);
  const [request] = upstream.requests;
  assert.equal(request?.headers.authorization, `Bearer ${secret}`);
  assert.equal(request?.headers['x-team'], undefined, "the operator's headers go with the operator's key");
  assert.match(JSON.stringify(request?.body), /"model":"cheap"/);
  assert.equal((await json('byok', 'test', id, '--model', 'acme/dear')).model, 'acme/dear');

  const words = JSON.stringify({
    error: { message: `Incorrect API key: ${secret}`, code: 'invalid_api_key' },
  });
  upstream.play({ status: 401, headers: { 'content-type': 'application/json' }, steps: [words] });
  const refused = await run('byok', 'test', id);
  assert.equal(refused.code, 1);
  assert.match(
    refused.err,
    /^error: north sk-\.\.\.Nc84: north did not accept the credential.*\(invalid_api_key\)\n$/,
  );
  const unknown = await run('byok', 'test', id, '--model', 'acme/none');
  assert.match(unknown.err, /^error: north does not serve "acme\/none" here/);
});

test('secrets rotate changes the key file, and with given keys wants a new one first', async (t) => {
  const { folder, run, runWith, json } = await begin(t);
  assert.equal((await run('secrets', 'rotate')).out, 'No stored secrets: nothing to encrypt anew.\n');
  const { id } = await json('byok', 'add', '--provider', 'north', '--key-file', 'key.txt');
  const keyFile = join(folder, '.headgate', 'master.key');
  const before = (await readFile(keyFile, 'utf8')).trim();
  const { out } = await run('secrets', 'rotate');
  assert.match(
    out,
    /^1 secret\(s\) encrypted under master key [0-9a-f]{16}; older keys open nothing any more\.\n$/,
  );
  const after = (await readFile(keyFile, 'utf8')).trim();
  assert.notEqual(after, before);
  assert.equal((await run('byok', 'test', id)).code, 0);
  const old = { HEADGATE_MASTER_KEY: before };
  const lost = await runWith(old, 'byok', 'test', id);
  assert.equal(lost.code, 1);
  assert.match(lost.err, /cannot be decrypted.*under master key [0-9a-f]{16}, which is not here/);
  const given = { HEADGATE_MASTER_KEY: after };
  assert.match(
    (await runWith(given, 'secrets', 'rotate')).err,
    /^error: the master key is given from outside.*NEW,OLD/,
  );
  const both = { HEADGATE_MASTER_KEY: `${before},${after}` };
  assert.match((await runWith(both, 'secrets', 'rotate')).out, /^1 secret/);
  assert.equal((await runWith(old, 'byok', 'test', id)).code, 0);
  assert.equal((await runWith(given, 'byok', 'test', id)).code, 1);
});

test('a master key that is lost is told of with the way out, which loses no other and leads to new credentials', async (t) => {
  const { folder, run, json } = await begin(t);
  const add = ['byok', 'add', '--provider', 'north', '--key-file', 'key.txt'];
  const { id } = await json(...add);
  const keyFile = join(folder, '.headgate', 'master.key');
  const lost = await readFile(keyFile, 'utf8');
  await rm(keyFile);
  const way =
    'which is not here: bring it back, or remove all credentials, destinations and contents and run "headgate secrets rotate"';
  const stored = await run(...add);
  assert.match(
    stored.err,
    new RegExp(`^error: secrets are stored under master key [0-9a-f]{16}, ${way}\\n$`),
  );
  const rotated = await run('secrets', 'rotate');
  assert.equal(rotated.code, 1);
  assert.match(
    rotated.err,
    new RegExp(`^error: secrets are sealed under master key [0-9a-f]{16}, ${way}\\n$`),
  );

  await writeFile(keyFile, lost);
  assert.equal((await run('byok', 'test', id)).code, 0, 'the old key brought back opens all');
  await rm(keyFile);
  assert.equal((await run('byok', 'remove', id)).code, 0);
  assert.equal((await run('secrets', 'rotate')).code, 0);
  const again = await json(...add);
  assert.equal((await run('byok', 'test', again.id)).code, 0);
});

test('a credential of a provider that is not in service says how its models come to be served', async (t) => {
  const { run } = await begin(t);
  const added = await run('byok', 'add', '--provider', 'openai', '--key-file', 'key.txt');
  const remedy = 'add "providers: { openai: {} }" to the configuration';
  assert.match(added.out, new RegExp(`\\nNext +${remedy}: none of its models is served yet\\n$`));
  const id = /^Id +(\S+)/.exec(added.out)?.[1] ?? '';
  assert.deepEqual(await run('byok', 'test', id), {
    code: 1,
    out: '',
    err: `error: none of openai's models is served; ${remedy}\n`,
  });
});
