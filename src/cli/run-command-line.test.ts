// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { providerSchema } from '../catalogue/catalogue-schema.ts';
import type { Config } from '../config/config.ts';
import type { FieldSchema } from '../config/field-schema.ts';
import { hashKey } from '../core/api-key.ts';
import { nanoFromInteger } from '../core/money.ts';
import { openCredentialTools } from '../credential-tools.ts';
import type { Generation } from '../ports/generations.ts';
import { openStorage } from '../storage/open-storage.ts';
import { runCommandLine } from './run-command-line.ts';
import type { ServeOptions, Surroundings } from './surroundings.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A folder of its own and a way to run commands in it. */
async function workplace(file?: string, env: Record<string, string> = {}) {
  const folder = temporaryFolder();
  if (file !== undefined) await writeFile(join(folder, 'headgate.yaml'), file);
  const served: [Config, ServeOptions][] = [];
  const time = { now };
  const clock = { now: () => time.now };
  const run = async (...argv: string[]): Promise<Outcome> => {
    let out = '';
    let err = '';
    const surroundings: Surroundings = {
      env,
      cwd: folder,
      stdout: (text) => {
        out += text;
      },
      stderr: (text) => {
        err += text;
      },
      openStorage: (config) => openStorage(config.database.url, { clock }),
      openCredentials: async (config, storage) => openCredentialTools(config, storage),
      serve: async (config, options) => {
        served.push([config, options]);
        return 0;
      },
      clock,
    };
    const code = await runCommandLine(argv, surroundings);
    return { code, out, err };
  };
  /** The answer of a command that must succeed, as JSON. */
  const json = async (...argv: string[]) => {
    const { code, out, err } = await run(...argv, '--json');
    assert.equal(code, 0, err);
    return JSON.parse(out);
  };
  return { folder, run, json, served, time };
}

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
      "error: option '--days <n>' argument '0' is invalid. It must be a whole number from 1.\n",
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

test('accounts are created, changed and listed', async () => {
  const { run, json } = await workplace('bootstrap: { billing_mode: enterprise }\n');
  const first = await json('accounts', 'create', '--name', 'First', '--billing', 'prepaid');
  assert.equal(first.billing_mode, 'prepaid');
  const second = await json('accounts', 'create', '--name', 'Second', '--organization');
  assert.equal(second.billing_mode, 'enterprise');
  assert.deepEqual([first.kind, second.kind], ['personal', 'organization']);
  assert.deepEqual([first.id.slice(0, 5), second.id.slice(0, 4)], ['user_', 'org_']);
  const changed = await run(
    ...['accounts', 'set', first.id, '--billing', 'invoice', '--free-exempt', 'true'],
    ...['--inflight-exempt', 'true', '--disabled', 'true'],
  );
  assert.equal(changed.out, `${first.id} invoice disabled free-exempt inflight-exempt\n`);
  assert.equal((await run('accounts', 'set', first.id, '--disabled', 'false')).code, 0);
  const { accounts } = await json('accounts', 'list');
  const shown = accounts.find(({ id }: { id: string }) => id === first.id);
  assert.deepEqual([shown.free_limit_exempt, shown.disabled, accounts.length], [true, false, 2]);
  assert.match(
    (await run('accounts', 'set', 'user_nobody', '--disabled', 'true')).err,
    /^error: no account "user_nobody"/,
  );
  assert.match(
    (await run('credits', 'balance')).err,
    /^error: there are 2 accounts; name one with --account/,
  );
});

test('credits: grants, purchases and refunds, each reference booked once', async () => {
  const { run, json } = await workplace();
  await run('accounts', 'create', '--name', 'Main');
  const grant = await json('credits', 'grant', '--amount', '5', '--ref', 'order-1');
  assert.deepEqual([grant.booked, grant.balance_usd, grant.purchased_total_usd], [true, 5, 0]);
  const again = await run('credits', 'grant', '--amount', '5', '--ref', 'order-1');
  assert.match(again.out, /^Booked before under this reference: nothing changed\.\nAccount {4}user_/);
  const bought = await json('credits', 'grant', '--amount', '10.000000001', '--purchase');
  assert.deepEqual([bought.balance_usd, bought.purchased_total_usd], [15.000000001, 10.000000001]);
  const refund = await json('credits', 'refund', '--amount', '20', '--ref', 'refund-1');
  assert.deepEqual([refund.balance_usd, refund.purchased_total_usd], [-4.999999999, 10.000000001]);
  const balance = await run('credits', 'balance');
  assert.match(
    balance.out,
    /\nBalance {4}-4\.999999999 USD\nPurchased {2}10\.000000001 USD\nSpent {6}0 USD\n$/,
  );
  assert.deepEqual(await run('ledger', 'verify'), {
    code: 0,
    out: 'The ledger agrees with its entries.\n',
    err: '',
  });
});

test('credits: fees, expiry, adjustments and transfers, each entry shown', async () => {
  const { run, json, time } = await workplace();
  const first = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const gift = ['credits', 'grant', '--amount', '5', '--expires', '2026-12-01', '--ref', 'gift'];
  assert.equal((await json(...gift)).balance_usd, 5);
  assert.match(
    (await run('credits', 'grant', '--amount', '6', '--ref', 'gift')).err,
    /^error: The reference "gift" was booked before with another amount and expiresAt\.\n$/,
  );
  assert.match(
    (await run('credits', 'grant', '--amount', '6', '--expires', '2026-11-01')).err,
    /^error: The expiry lies in the past\.\n$/,
  );
  await run('credits', 'grant', '--amount', '20', '--purchase', '--fee', '1.1', '--by', 'Zoë');
  assert.equal((await json('credits', 'adjust', '--amount=-0.5', '--note', 'typo')).balance_usd, 24.5);
  const second = (await run('accounts', 'create', '--name', 'Other')).out.trim();
  const move = ['credits', 'transfer', '--account', first, '--to', second, '--amount', '1', '--ref', 't1'];
  assert.equal((await json(...move)).balance_usd, 23.5);
  assert.equal((await json(...move)).booked, false);
  assert.equal((await json('credits', 'balance', '--account', second)).balance_usd, 1);
  assert.equal((await run('ledger', 'expire')).out, 'Nothing is past its time.\n');
  time.now = Date.parse('2026-12-01T00:00:00Z');
  const { expired } = await json('ledger', 'expire');
  assert.deepEqual(
    expired.map((entry: { amount_usd: number; account_id: string }) => [entry.amount_usd, entry.account_id]),
    [[-3.5, first]],
  );
  const { entries } = await json('credits', 'entries', '--account', first);
  assert.deepEqual(
    entries.map((entry: { type: string; amount_usd: number; fee_usd: number; created_by: string }) => [
      entry.type,
      entry.amount_usd,
      entry.fee_usd,
      entry.created_by,
    ]),
    [
      ['grant', 5, 0, 'command line'],
      ['purchase', 20, 1.1, 'Zoë'],
      ['adjustment', -0.5, 0, 'command line'],
      ['transfer', -1, 0, 'command line'],
      ['expiry', -3.5, 0, null],
    ],
  );
  assert.match(
    (await run('credits', 'entries', '--account', second)).out,
    /^TIME .*\n2026-11-21T12:00:00.000Z {2}transfer +1 /,
  );
  assert.equal((await run('ledger', 'verify')).code, 0);
});

test('usage sums what generations booked', async () => {
  const { run, json, folder } = await workplace();
  const accountId = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const { hash } = await json('keys', 'create', '--name', 'bot');
  assert.equal((await run('usage')).out, 'Nothing was used.\n');
  const storage = await openStorage(`sqlite:${folder}/.headgate/headgate.db`);
  await storage.ledger.settle(generation(accountId, hash));
  await storage.close();
  const { out } = await run('usage', '--by', 'provider');
  assert.equal(
    out,
    'PROVIDER  REQUESTS  INPUT  CACHED  OUTPUT  REASONING   USD\nsandbox          1     10  40.0 %       5          2  0.25\nTotal            1     10  40.0 %       5          2  0.25\n',
  );
  const { rows, since } = await json('usage', '--days', '2', '--by', 'day');
  assert.equal(since, '2026-11-20T00:00:00.000Z');
  assert.deepEqual([rows[0].group, rows[0].cost_usd], ['2026-11-21', 0.25]);
  assert.deepEqual([rows[0].cached_tokens, rows[0].cached_share], [4, 0.4]);
});

test('models are listed, filtered and shown', async () => {
  const { run, json } = await workplace();
  const { out } = await run('models', 'list');
  assert.match(
    out,
    /^ID +CONTEXT {2}INPUT \$\/M {2}OUTPUT \$\/M {2}PROVIDERS\nsandbox\/echo +131072 +1 +2 {2}sandbox\n/,
  );
  assert.equal((await json('models', 'list', '--provider', 'sandbox')).models.length, 7);
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

test('db migrate and status; without auto_migrate other commands refuse an old schema', async () => {
  const { run, json } = await workplace('database: { auto_migrate: false }\n');
  assert.ok((await json('db', 'status')).pending.length > 0);
  assert.match(
    (await run('accounts', 'list')).err,
    /^error: the database lacks \d+ migration\(s\) and database\.auto_migrate is false; run "headgate db migrate"\n$/,
  );
  assert.match((await run('db', 'migrate')).out, /^Applied: /);
  assert.equal((await run('db', 'migrate')).out, 'The schema is up to date.\n');
  assert.deepEqual((await json('db', 'status')).pending, []);
  assert.equal((await run('accounts', 'list')).code, 0);
  assert.deepEqual(await run('secrets', 'rotate'), {
    code: 0,
    out: 'No stored credentials: nothing to encrypt anew.\n',
    err: '',
  });
});

test('a database that cannot be opened is one line', async () => {
  const { run } = await workplace('database: { url: "postgres://u:hidden-password@db/x" }\n');
  const { code, err } = await run('keys', 'list');
  assert.equal(code, 1);
  assert.match(err, /^error: [^\n]+\n$/);
  assert.ok(!err.includes('hidden-password'));
});

const secret = 'sk-never-shown-0123456789abcdef0123456789';

test('check shows effective values and no secret', async () => {
  const file = [
    'server: { drain_timeout: 90s }',
    'database: { url: "postgres://user:literal-password@db:5432/headgate" }',
    `providers:`,
    '  acme:',
    '    adapter: openai-chat',
    '    base_url: https://acme.example/v1',
    '    api_key: literal-secret-of-acme',
    `    headers: { x-team-token: ${secret} }`,
    '    quirks: { body: { deep: [{ authorization: literal-quirk-secret }] } }',
    'plugins: { web: { endpoint: "x-${PLUGIN_KEY}-y", api_key: literal-plugin-secret } }',
  ].join('\n');
  const env = {
    OPENAI_API_KEY: secret,
    PLUGIN_KEY: secret,
    HEADGATE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
    HEADGATE_BOOTSTRAP_API_KEY: secret,
  };
  const { run } = await workplace(file, env);
  for (const format of [[], ['--json']]) {
    const { code, out, err } = await run('check', ...format);
    assert.equal(code, 0, err);
    for (const hidden of [secret, 'literal-', env.HEADGATE_MASTER_KEY]) {
      assert.ok(!out.includes(hidden) && !err.includes(hidden), `${hidden} in ${out}${err}`);
    }
    assert.match(err, /^warning: headgate\.yaml:2: database\.url: a secret stands in the file itself/);
  }
  const { out } = await run('check');
  assert.match(out, /^server\.drain_timeout +90s$/m);
  assert.match(out, /^database\.retention_days +null$/m);
  assert.match(out, /^database\.url +postgres:\/\/user:\*\*\*@db:5432\/headgate$/m);
  assert.match(out, /^providers\.openai\.api_key +\[secret\]$/m);
  assert.match(out, /^providers\.acme\.base_url +https:\/\/acme\.example\/v1$/m);
});

test('check shows every setting of a provider that the file may have', async () => {
  const file = [
    'providers:',
    '  sandbox: { first_token_delay: 1.5s, tokens_per_second: 40 }',
    '  acme: { adapter: openai-chat, base_url: "http://127.0.0.1:9/v1", datacenters: [DE], refused_countries: [FR] }',
  ];
  const { json } = await workplace(file.join('\n'));
  const { sandbox, acme } = (await json('check')).config.providers;
  assert.deepEqual([sandbox.first_token_delay, sandbox.tokens_per_second], ['1500ms', 40]);
  assert.deepEqual([acme.datacenters, acme.refused_countries], [['DE'], ['FR']]);
  // Who is not in service is not shown, and prices stand with the models.
  const shown = new Set([...Object.keys(sandbox), 'enabled', 'price']);
  assert.deepEqual(
    Object.keys((providerSchema as FieldSchema).properties ?? {}).filter((key) => !shown.has(key)),
    [],
  );
});

test('check --schema prints the schema', async () => {
  const { run } = await workplace();
  const { out } = await run('check', '--schema');
  assert.equal(JSON.parse(out).$schema, 'https://json-schema.org/draft/2020-12/schema');
});

test('check --live asks each provider with its own credential and never shows it', async (t) => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const { headers } = request;
    asked.push(
      `${request.url} ${headers.authorization ?? headers['x-api-key'] ?? headers['x-goog-api-key']}`,
    );
    if (request.url === '/good/models')
      response.end(JSON.stringify({ data: [{ id: 'models/one' }, { id: 'two' }] }));
    else if (request.url === '/named/models?pageSize=1000')
      response.end(JSON.stringify({ models: [{ name: 'models/one' }] }));
    else if (request.url === '/moved/models') response.writeHead(302, { location: '/good/models' }).end();
    else response.writeHead(401).end(`no such key: ${request.headers['x-api-key']}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const nobody = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
  closed.close();
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const file = [
    'providers:',
    `  good: { adapter: openai-chat, base_url: "${base}/good", api_key: "\${A_KEY}" }`,
    `  bad: { adapter: anthropic-messages, base_url: "${base}/bad", api_key: "\${A_KEY}" }`,
    `  moved: { adapter: openai-chat, base_url: "${base}/moved", api_key: "\${A_KEY}" }`,
    `  named: { adapter: google-gemini, base_url: "${base}/named", api_key: "\${A_KEY}" }`,
    `  down: { adapter: openai-chat, base_url: "${nobody}" }`,
    'models:',
    '  - { id: a/one, endpoints: [{ provider: good, model: one, price: { input: 0, output: 0 } }] }',
    '  - { id: a/three, endpoints: [{ provider: good, model: three, price: { input: 0, output: 0 } }] }',
  ].join('\n');
  const { run } = await workplace(file, { A_KEY: secret });
  const { code, out, err } = await run('check', '--live');
  assert.equal(code, 1);
  assert.equal(err, 'error: bad, moved, down did not list models; the table says why\n');
  assert.match(out, /^sandbox {3}ok {6}needs no network$/m);
  assert.match(out, /^good {6}ok {6}lists 2 models; not among them: 1 of the catalogue$/m);
  assert.match(out, /^named {5}ok {6}lists 1 models$/m);
  assert.match(out, /^bad {7}FAILED {2}answered 401: check its credential$/m);
  assert.match(out, /^moved {5}FAILED {2}could not be reached \(/m);
  assert.match(
    out,
    /^down {6}FAILED {2}could not be reached \(ECONNREFUSED\): check base_url and the network$/m,
  );
  assert.ok(!out.includes(secret));
  assert.deepEqual(asked.sort(), [
    `/bad/models ${secret}`,
    `/good/models Bearer ${secret}`,
    `/moved/models Bearer ${secret}`,
    `/named/models?pageSize=1000 ${secret}`,
  ]);
});

test('the command works as a process of its own', async () => {
  const { folder } = await workplace();
  const program = `
    import { runCommandLine } from '${import.meta.resolve('./run-command-line.ts')}';
    import { openStorage } from '${import.meta.resolve('../storage/open-storage.ts')}';
    process.exitCode = await runCommandLine(process.argv.slice(2), {
      env: process.env, cwd: process.cwd(), clock: { now: Date.now },
      stdout: (text) => process.stdout.write(text), stderr: (text) => process.stderr.write(text),
      openStorage: (config) => openStorage(config.database.url), serve: async () => 0,
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

function generation(accountId: string, keyHash: string): Generation {
  return {
    id: 'gen-1',
    requestId: 'req-1',
    accountId,
    keyHash,
    workspaceId: null,
    createdAt: now,
    settledAt: now,
    requestedModel: 'sandbox/echo',
    model: 'sandbox/echo',
    provider: 'sandbox',
    isByok: false,
    streamed: false,
    cancelled: false,
    usage: { uncachedInput: 6, cacheRead: 4, output: 5, reasoning: 2 },
    usageEstimated: false,
    insured: false,
    cost: nanoFromInteger(250_000_000),
    listCost: nanoFromInteger(250_000_000),
    attempts: [],
  };
}
