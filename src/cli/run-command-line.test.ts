import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { type Outcome, workplace } from '../../test/support/command-line.ts';
import { migrations } from '../storage/sql/migrations.ts';
import { schemaDialect } from '../storage/sqlite/open-sqlite.ts';

test('wrong usage is exit 2 with one line that helps', async () => {
  const { run } = await workplace();
  for (const [argv, message] of [
    [['serv'], "error: unknown command 'serv' (Did you mean serve?)\n"],
    [['keys', 'crate'], "error: unknown command 'crate' (Did you mean create?)\n"],
    [['nonsense'], `error: unknown command 'nonsense'; see "headgate --help"\n`],
    [
      ['keys', 'create'],
      `error: required option '--name <name>' not specified; see "headgate keys create --help"\n`,
    ],
    [['check', '--liv'], "error: unknown option '--liv' (Did you mean --live?)\n"],
    [
      ['keys', 'create', '--name', 'a', '--limit', '-1'],
      "error: option '--limit <usd>' argument '-1' is invalid. It must not be below 0.\n",
    ],
    [
      ['keys', 'create', '--name', 'a', '--limit', '0.0000000001'],
      "error: option '--limit <usd>' argument '0.0000000001' is invalid. It must be an amount of USD such as 12.50, with at most 9 decimals.\n",
    ],
    [['keys', 'create', '--name', 'a', '--limit-reset', 'daily'], 'error: --limit-reset needs --limit\n'],
    [
      ['keys', 'create', '--name', 'a', '--management', '--limit', '1'],
      'error: a management key has no --limit, --workspace or --include-byok\n',
    ],
    [
      ['keys', 'create', '--name', 'a', '--expires', '2020-01-01T00:00:00Z'],
      'error: --expires lies in the past\n',
    ],
    [
      ['credits', 'grant', '--amount', '10000000000'],
      "error: option '--amount <usd>' argument '10000000000' is invalid. It must be at most 9223372036.854775807 USD.\n",
    ],
    [
      ['keys', 'create', '--name', 'a', '--expires', '2031-02-29'],
      "error: option '--expires <time>' argument '2031-02-29' is invalid. It must be a time such as 2027-01-31T00:00:00Z.\n",
    ],
    [
      ['keys', 'create', '--name', 'a', '--expires', 'tomorrow'],
      "error: option '--expires <time>' argument 'tomorrow' is invalid. It must be a time such as 2027-01-31T00:00:00Z.\n",
    ],
    [
      ['keys', 'disable', 'xyz'],
      `error: command-argument value 'xyz' is invalid for argument 'hash'. It must be the hash of "headgate keys list", or its beginning.\n`,
    ],
    [
      ['accounts', 'create', '--name', 'a', '--billing', 'barter'],
      "error: option '--billing <mode>' argument 'barter' is invalid. Allowed choices are prepaid, invoice, subscription, enterprise.\n",
    ],
    [
      ['accounts', 'set', 'user_x'],
      'error: nothing to change; "headgate accounts set --help" lists what can be\n',
    ],
    [
      ['credits', 'grant', '--amount', '0'],
      "error: option '--amount <usd>' argument '0' is invalid. It must be above 0.\n",
    ],
    [
      ['usage', '--days', '0'],
      "error: option '--days <n>' argument '0' is invalid. It must be a whole number from 1 to 999999.\n",
    ],
  ] as const) {
    assert.deepEqual(await run(...argv), { code: 2, out: '', err: message }, argv.join(' '));
  }
  assert.equal((await run()).code, 2);
  const help = await run('--help');
  assert.equal(help.code, 0);
  for (const command of [
    'serve',
    'check',
    'keys',
    'accounts',
    'credits',
    'models',
    'usage',
    'ledger',
    'db',
    'secrets',
  ]) {
    assert.match(help.out, new RegExp(`^  ${command} `, 'm'));
  }
  assert.match((await run('--version')).out, /^\d+\.\d+\.\d+\n$/);
});

test('a broken configuration is exit 1 with every mistake on a line', async () => {
  const { run } = await workplace('server:\n  prot: 1\nlog_level: loud\n');
  const { code, out, err } = await run('models', 'list');
  assert.equal(code, 1);
  assert.equal(out, '');
  assert.match(err, /^headgate\.yaml:2: server\.prot: .*\nheadgate\.yaml:3: log_level: .*\n$/);
});

test('commands that call no provider do without the secrets of providers, the others do not', async () => {
  const provider = 'adapter: openai-chat, base_url: "http://127.0.0.1:1/v1"';
  const { run } = await workplace(`
catalog: none
providers:
  north: { ${provider}, api_key: "\${NORTH_KEY}", headers: { x-team: "a \${TEAM}" } }
  south: { ${provider}, api_key_file: /nowhere/south }
models:
  - { id: acme/one, endpoints: [{ provider: north, model: one, price: { input: 1, output: 1 } }] }
  - { id: acme/two, endpoints: [{ provider: south, model: two, price: { input: 1, output: 1 } }] }
`);
  for (const argv of [
    ['accounts', 'create', '--name', 'a'],
    ['keys', 'create', '--name', 'a'],
    ['credits', 'balance'],
    ['usage'],
    ['ledger', 'verify'],
    ['db', 'status'],
    ['byok', 'list'],
    ['secrets', 'rotate'],
  ]) {
    const { code, err } = await run(...argv);
    assert.deepEqual([code, err], [0, ''], argv.join(' '));
  }
  assert.match((await run('models', 'list')).out, /acme\/one .* north\nacme\/two .* south\n/);
  for (const argv of [['check'], ['serve'], ['byok', 'test', 'a']]) {
    const { code, err } = await run(...argv);
    assert.equal(code, 1);
    assert.match(
      err,
      /^headgate\.yaml:4: providers\.north\.api_key: environment variable NORTH_KEY is not set;/,
    );
    assert.match(
      err,
      /headgate\.yaml:5: providers\.south\.api_key_file: the file cannot be read \(ENOENT\);/,
    );
  }
});

test('serve hands over the configuration with its flags', async () => {
  const { run, served } = await workplace('server: { port: 1 }\n');
  assert.equal((await run('serve', '--port', '7', '--host', '0.0.0.0')).code, 0);
  assert.equal(served[0]?.[0].server.port, 7);
  assert.equal(served[0]?.[0].server.host, '0.0.0.0');
  assert.deepEqual(served[0]?.[1].load.flags, { port: '7', host: '0.0.0.0' });
  const wrong = await run('serve', '--port', 'x');
  assert.match(wrong.err, /^command line --port: server\.port: "x" is not a number;/);
  assert.equal(wrong.code, 2, 'wrong usage, as with every other option');
});

test('models are listed, filtered and shown', async () => {
  const { run, json } = await workplace();
  const { out } = await run('models', 'list');
  assert.match(
    out,
    /^ID +CONTEXT {2}INPUT \$\/M {2}OUTPUT \$\/M {2}PROVIDERS\nsandbox\/echo +131072 +1 +2 {2}sandbox\n/,
  );
  assert.equal((await json('models', 'list', '--provider', 'sandbox')).models.length, 8);
  assert.match(
    (await run('models', 'list', '--provider', 'openai')).err,
    /^error: no provider "openai" is in service; there are: sandbox\n$/,
  );
  assert.equal((await json('models', 'show', 'sandbox/echo')).endpoints[0].pricing.prompt, '0.000001');
  assert.match((await run('models', 'show', 'Sandbox/Echo')).out, /\n\nEndpoint {8}sandbox\n/);
  assert.equal(
    (await run('models', 'show', 'sandbox/ehco')).err,
    'error: no model "sandbox/ehco" is served; did you mean "sandbox/echo"?\n',
  );
});

test('the model of a provider that README.md asks for is one that its key brings', async () => {
  const { json } = await workplace(undefined, { OPENAI_API_KEY: 'sk-none' });
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8');
  const [, id = ''] = /"model": "(openai\/[^"]+)"/.exec(readme) ?? [];
  assert.equal((await json('models', 'show', id)).id, id);
});

test('only db migrate makes a database or brings one up to date; other commands name the one they mean', async () => {
  const { folder, run, json } = await workplace('database: { url: "sqlite:other.db" }\n');
  const missing =
    `There is no database at "${join(folder, 'other.db')}". Run this where the server of your installation is started, or ` +
    'name its configuration with --config; "headgate serve" and "headgate db migrate" make a new one.';
  for (const command of ['accounts list', 'db status', 'accounts create --name A', 'ledger verify']) {
    const { code, out, err } = await run(...command.split(' '), '--json');
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out), { error: { message: missing } });
    assert.equal(err, `error: ${missing}\n`);
  }
  const older = new DatabaseSync(join(folder, 'other.db'));
  older.exec('create table migrations (name text primary key not null, applied_at integer not null) strict');
  assert.deepEqual(await json('db', 'status'), {
    reachable: true,
    database: join(folder, 'other.db'),
    applied: [],
    pending: [...migrations.keys()],
  });
  const [[name, statements] = ['', () => []]] = migrations;
  for (const statement of statements(schemaDialect)) older.exec(statement);
  older.prepare('insert into migrations values (?, 0)').run(name);
  older.close();
  assert.deepEqual((await json('db', 'status')).applied, ['0001-start']);
  assert.match(
    (await run('accounts', 'list')).err,
    /^error: the database lacks 5 migration\(s\), which only "headgate serve" and "headgate db migrate" apply; run one of them\n$/,
  );
  assert.match((await run('db', 'migrate')).out, /^Applied: 0002-.* \(.*other\.db\)\.\n$/);
  assert.match((await run('db', 'migrate')).out, /^The schema is up to date \(.*other\.db\)\.\n$/);
  assert.deepEqual((await json('db', 'status')).pending, []);
  assert.equal((await run('accounts', 'list')).code, 0);
  const inMemory = await workplace('database: { url: "sqlite::memory:" }\n');
  assert.match(
    (await inMemory.run('accounts', 'list')).err,
    /^error: The database is in the memory of the server/,
  );
  assert.deepEqual(await run('secrets', 'rotate'), {
    code: 0,
    out: 'No stored secrets: nothing to encrypt anew.\n',
    err: '',
  });
});

test('with --json a failure is JSON too, once, and the line for people stays', async () => {
  const { run, folder } = await workplace('server: { prot: 1 }\nlog_level: loud\n');
  const { code, out, err } = await run('keys', 'list', '--json');
  assert.equal(code, 1);
  const { message, problems } = JSON.parse(out).error;
  assert.equal(`${message}\n`, err);
  assert.deepEqual(
    problems.map(({ source, line, path }: Record<string, unknown>) => [source, line, path]),
    [
      ['headgate.yaml', 1, 'server.prot'],
      ['headgate.yaml', 2, 'log_level'],
    ],
  );
  for (const argv of [
    ['keys', 'crate', '--json'],
    ['--json', 'keys', 'create'],
  ]) {
    const wrong = await run(...argv);
    assert.equal(wrong.code, 2);
    assert.equal(`${JSON.parse(wrong.out).error.message}\n`, wrong.err);
  }
  await writeFile(join(folder, 'headgate.yaml'), '');
  const refused = await run('keys', 'disable', 'abc', '--json');
  assert.equal(refused.code, 1);
  assert.equal(`error: ${JSON.parse(refused.out).error.message}\n`, refused.err);
  // One that answered what it found before it failed says nothing more on standard output.
  await writeFile(
    join(folder, 'headgate.yaml'),
    'providers: { x: { adapter: openai-chat, base_url: "http://127.0.0.1:9/v1" } }\n',
  );
  const live = await run('check', '--live', '--json');
  assert.equal(live.code, 1);
  assert.equal(JSON.parse(live.out).live.length, 2);
});

test('headgate.yml is read too, and two files are refused', async () => {
  const { run, folder, json } = await workplace();
  await writeFile(join(folder, 'headgate.yml'), 'log_level: warn\n');
  assert.equal((await json('check')).config.log_level, 'warn');
  await writeFile(join(folder, 'headgate.yaml'), '');
  assert.deepEqual(await run('check'), {
    code: 1,
    out: '',
    err: 'headgate.yml: there is also a headgate.yaml, and only one of them can be meant; remove one, or name one with --config\n',
  });
  assert.equal((await run('check', '--config', 'headgate.yaml')).code, 0);
});

test('a database that cannot be opened is one line', async () => {
  const { run } = await workplace('database: { url: "postgres://u:hidden-password@db/x" }\n');
  const { code, err } = await run('keys', 'list');
  assert.equal(code, 1);
  assert.match(err, /^error: [^\n]+\n$/);
  assert.ok(!err.includes('hidden-password'));
});

test('the command works as a process of its own', async () => {
  const { folder } = await workplace();
  const program = `
    import { runCommandLine } from '${import.meta.resolve('./run-command-line.ts')}';
    import { openStorage } from '${import.meta.resolve('../storage/open-storage.ts')}';
    process.exitCode = await runCommandLine(process.argv.slice(2), {
      env: process.env, cwd: process.cwd(), clock: { now: Date.now },
      stdout: (text) => process.stdout.write(text), stderr: (text) => process.stderr.write(text),
      openStorage: (config, options) => openStorage(config.database.url, options), serve: async () => 0,
    });`;
  await writeFile(join(folder, 'program.mjs'), program);
  const run = async (...argv: string[]): Promise<Outcome> => {
    const child = spawn(process.execPath, ['program.mjs', ...argv], {
      cwd: folder,
      env: { PATH: process.env.PATH },
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      err += text;
    });
    const [code] = await once(child, 'close');
    return { code, out, err };
  };
  const created = await run('accounts', 'create', '--name', 'Main', '--json');
  assert.equal(created.code, 0, created.err);
  assert.equal((await run('credits', 'grant', '--amount', '3')).code, 0);
  assert.match((await run('credits', 'balance')).out, /Balance {4}3 USD/);
  assert.equal((await readFile(join(folder, '.headgate/headgate.db'))).subarray(0, 6).toString(), 'SQLite');
  assert.equal((await run('nonsense')).code, 2);
});
