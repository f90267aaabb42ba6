// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { adapterNames } from '../catalogue/vocabulary.ts';
import { formatUsd } from '../core/money.ts';
import type { Environment } from '../settings/environment.ts';
import { ConfigError } from './config-error.ts';
import { loadConfig } from './load-config.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-config-'));
});
after(() => rm(folder, { recursive: true, force: true }));

let files = 0;
async function load(text: string, environment: Environment = {}, flags = {}) {
  files += 1;
  const file = `case-${files}.yaml`;
  await writeFile(join(folder, file), text);
  return loadConfig({ file, environment, directory: folder, flags });
}

/** The lines of the error, the file's name shortened to `f`. */
async function mistakes(text: string, environment: Environment = {}): Promise<readonly string[]> {
  try {
    await load(text, environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    assert.equal(error.message.split('\n').length, error.problems.length);
    return error.message.split('\n').map((line) => line.replaceAll(`case-${files}.yaml`, 'f'));
  }
  assert.fail('the configuration was accepted');
}

test('without a file everything has its default', async () => {
  const { config, warnings } = await loadConfig({ environment: {}, directory: folder });
  assert.deepEqual(warnings, []);
  assert.equal(config.file, undefined);
  assert.deepEqual(config.server, {
    host: '127.0.0.1',
    port: 8484,
    bodyLimit: 32 * 1024 * 1024,
    bodiesLimit: 512 * 1024 * 1024,
    corsOrigins: [],
    trustProxy: false,
    drainTimeout: 30_000,
    requestTimeout: 600_000,
    keepAlive: 10_000,
    sendTimeout: 60_000,
    metricsPort: undefined,
    workers: 1,
  });
  assert.equal(config.dataDirectory, join(folder, '.headgate'));
  assert.deepEqual(config.database, {
    url: `sqlite:${folder}/.headgate/headgate.db`,
    autoMigrate: true,
    poolSize: 8,
  });
  assert.deepEqual(config.sharedState, { url: undefined, onFailure: 'reject' });
  assert.equal(config.logLevel, 'info');
  assert.equal(config.bootstrap.billingMode, 'invoice');
  assert.equal(formatUsd(config.limits.inFlightBudget.ceiling), '25');
  assert.equal(config.limits.freeModels.perDayAfterPurchase, 1000);
  assert.equal(formatUsd(config.byok.monthlyAllowance), '25000');
  assert.deepEqual([...config.catalogue.providers.keys()], ['sandbox']);
});

test('a file that says nothing is as none: every way to say nothing', async () => {
  for (const text of ['', '# later\n', '---\n', '--- # later\n...\n', '~\n', 'null\n', '\uFEFF---\r\n']) {
    const { config } = await load(text, { HEADGATE_HOST: 'localhost' });
    assert.deepEqual([config.server.host, config.server.port], ['localhost', 8484], JSON.stringify(text));
    assert.equal((await load(text)).config.server.host, '127.0.0.1', JSON.stringify(text));
  }
});

test('the whole example of the specification is read', async () => {
  const { config, warnings } = await load(example, { NORTHGPU_API_KEY: 'secret-of-northgpu' });
  assert.deepEqual(warnings, []);
  const provider = config.catalogue.providers.get('northgpu');
  assert.equal(provider?.apiKey?.reveal(), 'secret-of-northgpu');
  assert.equal(provider?.timeouts.firstEvent, 120_000);
  assert.equal(provider?.retainsPrompts, false);
  assert.deepEqual(provider?.headers, { 'x-team': 'gateway' });
  const model = config.catalogue.models.get('acme/atlas-4');
  assert.equal(model?.endpoints[0]?.price?.cacheRead, 15_000n);
  assert.equal(model?.endpoints[0]?.price?.prompt, 150_000n);
  assert.equal(model?.endpoints[0]?.tag, 'northgpu');
  assert.deepEqual(model?.endpoints[0]?.prior, { ttftMs: 400, tps: 80 });
  assert.equal(model?.endpoints[0]?.hedgeAfter, 1500);
  assert.equal(model?.contextLength, 131_072);
  assert.equal(config.catalogue.models.get('acme/atlas-4:free')?.endpoints[0]?.price?.prompt, 0n);
  assert.equal(config.limits.inFlightBudget.settlementWindow, 120_000);
  assert.equal(config.sharedState.url, 'redis://127.0.0.1:6379/0');
});

test('flag over environment over file over default', async () => {
  const text = 'server: { host: file.example, port: 1 }';
  const environment = { HEADGATE_PORT: '2', HEADGATE_HOST: 'environment.example' };
  assert.equal((await load(text)).config.server.port, 1);
  assert.equal((await load(text, environment)).config.server.port, 2);
  const { server } = (await load(text, environment, { port: '3' })).config;
  assert.deepEqual([server.port, server.host], [3, 'environment.example']);
});

test('every environment variable reaches its key', async () => {
  const { config } = await load('server:\n', {
    HEADGATE_DATA_DIR: '/srv/data',
    HEADGATE_REDIS_URL: 'redis://:pw@cache:6379',
    HEADGATE_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: 'm'.repeat(32),
    HEADGATE_BOOTSTRAP_API_KEY: 'a'.repeat(32),
    HEADGATE_BILLING_MODE: 'prepaid',
    HEADGATE_LOG_LEVEL: 'warn',
  });
  assert.equal(config.database.url, 'sqlite:/srv/data/headgate.db');
  assert.equal(config.sharedState.url, 'redis://:pw@cache:6379');
  assert.equal(config.masterKey?.reveal().length, 44);
  assert.equal(config.bootstrap.managementKey?.reveal(), 'm'.repeat(32));
  assert.equal(config.bootstrap.apiKey?.reveal(), 'a'.repeat(32));
  assert.equal(config.bootstrap.billingMode, 'prepaid');
  assert.equal(config.logLevel, 'warn');
  const url = 'postgres://user:pw@db/headgate';
  assert.equal((await load('', { HEADGATE_DATABASE_URL: url })).config.database.url, url);
});

test('HEADGATE_CONFIG names the file, and a named file must exist', async () => {
  await writeFile(join(folder, 'named.yaml'), 'log_level: error');
  const loaded = await loadConfig({ environment: { HEADGATE_CONFIG: 'named.yaml' }, directory: folder });
  assert.equal(loaded.config.logLevel, 'error');
  assert.equal(loaded.config.file, join(folder, 'named.yaml'));
  await assert.rejects(loadConfig({ file: 'absent.yaml', environment: {}, directory: folder }), {
    name: 'ConfigError',
    message:
      'absent.yaml: the file cannot be read (ENOENT); correct --config or HEADGATE_CONFIG, or create the file',
  });
});

test('a link to nothing in the place of the default file is a mistake', async () => {
  const directory = await mkdtemp(join(folder, 'link-'));
  await symlink('/nowhere/headgate.yaml', join(directory, 'headgate.yaml'));
  await assert.rejects(
    loadConfig({ environment: {}, directory }),
    /^ConfigError: headgate\.yaml: the file cannot be read \(ENOENT\)/,
  );
});

test('${VAR} is filled in anywhere, and $${ stands for itself', async () => {
  const { config } = await load(
    'server: { port: "${PORT}", trust_proxy: "${YES}" }\nplugins: { a: ["x${B}", "$${B}"] }',
    {
      PORT: '99',
      YES: 'true',
      B: '1',
    },
  );
  assert.equal(config.server.port, 99);
  assert.equal(config.server.trustProxy, true);
  assert.deepEqual(config.plugins, { a: ['x1', '${B}'] });
});

test('durations and sizes are read in every unit', async () => {
  const read = async (duration: string, size: string) => {
    const { server } = (await load(`server: { drain_timeout: ${duration}, body_limit: ${size} }`)).config;
    return [server.drainTimeout, server.bodyLimit];
  };
  assert.deepEqual(await read('500ms', '512KiB'), [500, 524_288]);
  assert.deepEqual(await read('1.5s', '2MB'), [1500, 2_000_000]);
  assert.deepEqual(await read('2m', '1024'), [120_000, 1024]);
  assert.deepEqual(await read('1h', '1GiB'), [3_600_000, 1_073_741_824]);
});

test('a secret may come from a file; a literal one works with a warning', async () => {
  await writeFile(join(folder, 'key.txt'), 'from-the-file\n');
  const fromFile = await load('providers: { openai: { api_key_file: key.txt } }');
  assert.equal(fromFile.config.catalogue.providers.get('openai')?.apiKey?.reveal(), 'from-the-file');
  assert.deepEqual(fromFile.warnings, []);
  const literal = await load('providers:\n  openai:\n    api_key: sk-literal-secret\n');
  assert.equal(literal.config.catalogue.providers.get('openai')?.apiKey?.reveal(), 'sk-literal-secret');
  assert.deepEqual(literal.warnings, [
    `case-${files}.yaml:3: providers.openai.api_key: a secret stands in the file itself; better give it as \${VARIABLE} or by api_key_file`,
  ]);
  const headers = await load(
    'providers:\n  openai:\n    headers: { x-team: gateway, x-team-token: literal }\n',
    {
      OPENAI_API_KEY: 'sk-of-the-environment',
    },
  );
  assert.deepEqual(headers.warnings, [
    `case-${files}.yaml:3: providers.openai.headers.x-team-token: a secret stands in the file itself; better give it as \${VARIABLE}`,
  ]);
});

test('each kind of mistake says file, line, key, problem, allowed values and remedy', async () => {
  for (const [text, ...expected] of kindsOfMistake) assert.deepEqual(await mistakes(text), expected, text);
});

test('a quirk nobody knows is told with the nearest one', async () => {
  const quirks = 'quirks: { seedfield: x }';
  const [line = ''] = await mistakes(
    `providers: { p: { adapter: openai-chat, base_url: http://localhost:1, ${quirks} } }`,
  );
  assert.match(line, /^f:1: providers\.p\.quirks\.seedfield: unknown key; .*did you mean "seedField"\?$/);
});

test('all mistakes are told at once, in the order of their lines', async () => {
  const lines = await mistakes('log_level: loud\nserver:\n  port: 70000\n  hots: x\nbyok: 5\n');
  assert.deepEqual(
    lines.map((line) => line.split(': ').slice(0, 2).join(' ')),
    ['f:1 log_level', 'f:3 server.port', 'f:4 server.hots', 'f:5 byok'],
  );
});

test('mistakes in environment and flags name where they stand', async () => {
  const environment = { HEADGATE_PORT: 'eighty', HEADGATE_BOOTSTRAP_API_KEY: 'too-short-to-be-safe' };
  assert.deepEqual(await mistakes('', environment), [
    'environment HEADGATE_PORT: server.port: "eighty" is not a number; allowed: a whole number from 0 to 65535; correct the value',
    'environment HEADGATE_BOOTSTRAP_API_KEY: bootstrap.api_key: the key is too short to be safe; allowed: at least 32 characters; use another random one, or leave it out to have one generated',
  ]);
  await assert.rejects(
    load('', {}, { port: '-1' }),
    /^ConfigError: command line --port: server\.port: "-1" is below 0;/,
  );
  await assert.rejects(
    load('', {}, { port: '' }),
    /^ConfigError: command line --port: server\.port: "" is not a number;/,
  );
  const twice = 'x'.repeat(32);
  const same = { HEADGATE_BOOTSTRAP_API_KEY: twice, HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: twice };
  assert.deepEqual(await mistakes('', same), [
    'environment HEADGATE_BOOTSTRAP_API_KEY: bootstrap.api_key: the key is the management key too; allowed: two different keys; change one of them',
  ]);
  for (const [key, problem] of [
    ['x'.repeat(513), 'the key is too long for a header; allowed: at most 512 characters'],
    ...['two words '.repeat(4), 'ключ'.repeat(8), 'tab\t'.repeat(9)].map((odd) => [
      odd,
      'the key has characters that no header carries as they are; allowed: letters, digits and signs of ASCII, without spaces',
    ]),
  ]) {
    assert.deepEqual(await mistakes('', { HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: key }), [
      `environment HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: bootstrap.management_key: ${problem}; use another random one, or leave it out to have one generated`,
    ]);
  }
  assert.deepEqual(await mistakes('', { OLLAMA_HOST: 'not an address' }), [
    'environment OLLAMA_HOST: providers.ollama.base_url: the value is no address; allowed: a host, host:port or an http:// address; correct or unset it',
  ]);
  const { warnings } = await load('', { HEADGATE_PROT: '1', HEADGATE_SOMETHING_ELSE: '1' });
  assert.deepEqual(warnings, ['environment: HEADGATE_PROT: unknown variable; did you mean HEADGATE_PORT?']);
});

test('an address of sentinels needs the name of a primary; what is refused is not shown', async () => {
  const named = 'rediss-sentinel://:secret@one,two:1/primary?sentinel_password=secret';
  const { config } = await load('', { HEADGATE_REDIS_URL: named });
  assert.equal(config.sharedState.url, named);
  const refused = await mistakes('', { HEADGATE_REDIS_URL: 'redis-sentinel://:secret@one,two:1' });
  assert.match(
    String(refused),
    /HEADGATE_REDIS_URL: shared_state\.url: .*redis-sentinel:..\.\.\..primary-name/,
  );
  assert.ok(!String(refused).includes('secret'));
});

test('several processes need a database and shared state that they can share', async () => {
  const both = [
    'f:1: server.workers: 2 processes need PostgreSQL and Redis; allowed: 1 without them; set database.url (HEADGATE_DATABASE_URL) to postgres://... and shared_state.url (HEADGATE_REDIS_URL) to redis://..., or leave server.workers out',
  ];
  assert.deepEqual(await mistakes('server: { workers: 2 }'), both);
  assert.deepEqual(await mistakes('server: { workers: 2 }\ndatabase: { url: "sqlite:x.db" }'), both);
  const servers = {
    HEADGATE_DATABASE_URL: 'postgres://127.0.0.1/x',
    HEADGATE_REDIS_URL: 'redis://127.0.0.1',
  };
  assert.deepEqual(await mistakes('', { ...servers, HEADGATE_WORKERS: '3', HEADGATE_REDIS_URL: '' }), [
    'environment HEADGATE_WORKERS: server.workers: 3 processes need PostgreSQL and Redis; allowed: 1 without them; set shared_state.url (HEADGATE_REDIS_URL) to redis://..., or leave server.workers out',
  ]);
  const { config } = await load('server: { workers: 2 }', servers, { workers: '4' });
  assert.equal(config.server.workers, 4);
});

test('a time in which nothing can happen is refused', async () => {
  const rest = 'is not above 0; allowed: a duration above 0 such as 500ms, 10s, 2m or 1h, at most 596h';
  for (const [before, key, after] of [
    ['server: {', 'request_timeout', '}'],
    ['server: {', 'keep_alive', '}'],
    ['limits: { in_flight_budget: {', 'lease_renewal', '} }'],
    ['providers: { openai: { timeouts: {', 'first_event', '} } }'],
  ]) {
    const [line = ''] = await mistakes(`${before} ${key}: 0s ${after}`);
    assert.ok(line.includes(`.${key}: "0s" ${rest};`), line);
  }
  const { config } = await load('server: { drain_timeout: 0s }');
  assert.equal(config.server.drainTimeout, 0);
});

test('only an origin that a browser may send is taken', async () => {
  const origins = (list: readonly string[]) => `server: { cors_origins: ${JSON.stringify(list)} }`;
  const sent = [
    '*',
    'null',
    'https://app.example',
    'http://localhost:3000',
    'http://[::1]:8080',
    'tauri://localhost',
  ];
  assert.deepEqual((await load(origins(sent))).config.server.corsOrigins, sent);
  const never = [
    'https://App.example',
    'https://app.example:443',
    'http://app.example:80',
    'https://app.example/x',
  ];
  assert.equal((await mistakes(origins(never))).length, never.length);
});

test('a lease that ends before it is renewed is refused, whichever of the two is written', async () => {
  const renewal = 'limits.in_flight_budget.lease_renewal: is not shorter than lease (20s)';
  const rest = 'allowed: less than 20s; shorten it or raise lease';
  assert.deepEqual(await mistakes('limits:\n  in_flight_budget:\n    lease: 20s\n'), [
    `f:3: ${renewal}; ${rest}`,
  ]);
  assert.deepEqual(await mistakes('limits:\n  in_flight_budget:\n    lease: 20s\n    lease_renewal: 20s\n'), [
    `f:4: ${renewal}; ${rest}`,
  ]);
  await load('limits: { in_flight_budget: { lease: 20s, lease_renewal: 5s } }');
});

test('one port cannot serve both requests and metrics', async () => {
  assert.deepEqual(await mistakes('server:\n  metrics_port: 9000\n', { HEADGATE_PORT: '9000' }), [
    'f:2: server.metrics_port: 9000 is server.port too; allowed: another port; change it, or leave it out to serve metrics beside requests',
  ]);
});

test('an alias of nothing is a mistake, wherever it stands', async () => {
  for (const text of ['server: *none\n', 'plugins: { a: [*none] }\n', 'server:\n  <<: *none\n'])
    assert.match(
      (await mistakes(text))[0] ?? '',
      /^f:\d: \*none is an alias of nothing; allowed: the name of an anchor \(&name\) above it; correct the name/,
      text,
    );
  const { config } = await load('log_level: &level warn\nplugins: { a: *level }\n');
  assert.deepEqual(config.plugins, { a: 'warn' });
});

test('a random unknown key is always named with its line', async () => {
  const word = fc.stringMatching(/^[a-z_]{1,12}$/).filter((key) => !['host', 'port'].includes(key));
  const property = fc.asyncProperty(word, fc.nat({ max: 20 }), async (key, blankLines) => {
    const known =
      /^(body_limit|cors_origins|trust_proxy|drain_timeout|request_timeout|keep_alive|send_timeout|metrics_port|workers)$/;
    fc.pre(!known.test(key));
    const lines = await mistakes(`server:\n  port: 1\n${'\n'.repeat(blankLines)}  ${key}: 1\n`);
    assert.equal(lines.length, 1);
    assert.ok(lines[0]?.startsWith(`f:${blankLines + 3}: server.${key}: unknown key; allowed: host, port, `));
  });
  await fc.assert(property, { numRuns: 60 });
});

test('no secret appears in an error, a warning or the configuration itself', async () => {
  const secret = 'sk-never-shown-0123456789-0123456789';
  const environment = {
    KEY: secret,
    HEADGATE_DATABASE_URL: `mysql://u:${secret}@db`,
    HEADGATE_MASTER_KEY: secret,
  };
  const lines = await mistakes(
    `server: { port: "\${KEY}" }\nproviders:\n  a: { adapter: openai-chat, base_url: "ftp://u:${secret}@x", api_key: { k: ${secret} } }\nshared_state: { url: "http://:${secret}@x" }\nlog_level: \${KEY}\n`,
    environment,
  );
  assert.equal(lines.length, 7);
  assert.ok(!lines.join('\n').includes(secret));
  await assert.rejects(load(`a: "${secret}\nb: x`), (error) => !String(error).includes(secret));
  const { config, warnings } = await load(`providers: { openai: { api_key: ${secret} } }`);
  const shown = [inspect(config, { depth: 10 }), JSON.stringify(config, plain), String(warnings)].join();
  assert.ok(!shown.includes(secret));
});

test('the configuration is frozen', async () => {
  const { config } = await load(example, { NORTHGPU_API_KEY: 'x' });
  const parts: readonly object[] = [
    config,
    config.server,
    config.limits.inFlightBudget,
    config.plugins,
    config.aliases,
    config.catalogue.models.get('acme/atlas-4') ?? {},
  ];
  for (const part of parts) assert.ok(Object.isFrozen(part));
});

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === 'bigint' ? String(value) : value;
}

const adapters = adapterNames.join(', ');
const kindsOfMistake: readonly (readonly [string, ...string[]])[] = [
  [
    'server:\n  prot: 1',
    'f:2: server.prot: unknown key; allowed: host, port, body_limit, bodies_limit, cors_origins, trust_proxy, drain_timeout, request_timeout, keep_alive, send_timeout, metrics_port, workers; did you mean "port"?',
  ],
  [
    'byok: { zzz: 1 }',
    'f:1: byok.zzz: unknown key; allowed: fee_rate, monthly_allowance_usd, enterprise_monthly_allowance_usd; remove it',
  ],
  [
    'server: { port: "8484" }',
    'f:1: server.port: "8484" is not a number; allowed: a whole number from 0 to 65535; correct the value',
  ],
  [
    'server: { port: 1.5 }',
    'f:1: server.port: 1.5 is not a whole number; allowed: a whole number from 0 to 65535; correct the value',
  ],
  [
    'server: { trust_proxy: yes }',
    'f:1: server.trust_proxy: "yes" is neither true nor false; allowed: true or false; correct the value',
  ],
  [
    'server: { host: 5 }',
    'f:1: server.host: 5 is not text; allowed: text that is not empty; correct the value',
  ],
  [
    'server: { cors_origins: x }',
    'f:1: server.cors_origins: is not a list; allowed: a list; correct the value',
  ],
  [
    'server:\n  cors_origins: ["https://app.example/", "app.example"]',
    ...['https://app.example/', 'app.example'].map(
      (origin, index) =>
        `f:2: server.cors_origins[${index}]: "${origin}" does not have the right form; allowed: * or an origin as browsers send it, such as https://app.example or http://localhost:3000; correct the value`,
    ),
  ],
  [
    'server: { port: [1] }',
    'f:1: server.port: a list does not belong here; allowed: a whole number from 0 to 65535; write a single value',
  ],
  [
    'server: { keep_alive: 10 }',
    'f:1: server.keep_alive: 10 is not a duration; allowed: a duration above 0 such as 500ms, 10s, 2m or 1h, at most 596h; correct the value',
  ],
  [
    'server: { body_limit: big }',
    'f:1: server.body_limit: "big" is not a size; allowed: a size such as 512KiB, 32MiB or a number of bytes; correct the value',
  ],
  [
    'byok: { fee_rate: 1.01 }',
    'f:1: byok.fee_rate: 1.01 is above 1; allowed: a number from 0 to 1; correct the value',
  ],
  [
    'providers:\n  a:\n    adapter: openai-chat\n    base_url: http://x\n    api_key: ${ABSENT}',
    'f:5: providers.a.api_key: environment variable ABSENT is not set; allowed: ${NAME} of a variable that is set; set ABSENT or remove the key',
  ],
  [
    'log_level: "${oops"',
    'f:1: log_level: "${" does not name a variable; allowed: ${NAME}; close the brace, or write $${ for a plain ${',
  ],
  [
    'providers:\n  a: { adapter: openai-caht, base_url: "http://x" }',
    `f:2: providers.a.adapter: "openai-caht" is not known; allowed: ${adapters}; did you mean "openai-chat"?`,
  ],
  [
    'providers:\n  opnai: { api_key_file: /nowhere }',
    'f:2: providers.opnai.api_key_file: the file cannot be read (ENOENT); allowed: the name of a readable file that holds the secret; correct the name or the permissions',
    `f:2: providers.opnai: adapter is missing and "opnai" is no built-in provider; allowed: ${adapters}; did you mean "openai"?`,
  ],
  [
    'providers: { a: { adapter: openai-chat } }',
    'f:1: providers.a: base_url is missing; allowed: an http:// or https:// address; add base_url',
  ],
  [
    'providers: { A!: { adapter: sandbox } }',
    'f:1: providers.A!: the name does not have the right form; allowed: lowercase letters, digits and . _ - with a letter or digit first; rename it',
  ],
  [
    'providers: { mistral: { price: { input: 1, output: 1 } } }',
    'f:1: providers.mistral.price: only a provider with adapter sandbox has this key; allowed: nothing here; state prices at models[].endpoints[].price',
  ],
  [
    'models:\n  - { id: a/b, endpoints: [{ provider: sandbox, model: echo }] }\n  - { id: A/b, endpoints: [{ provider: sandbox, model: echo }] }',
    'f:3: models[1].id: "A/b" stands here twice, first on line 2; allowed: ids that differ in more than case; remove one of the two or rename it',
  ],
  [
    'providers: { p: { adapter: openai-chat, base_url: http://localhost:1/v1, quirks: { toolChoices: [some] } } }',
    'f:1: providers.p.quirks.toolChoices: the value does not fit; allowed: a list of none, required, named, allowed_tools; correct the value',
  ],
  [
    'catalog: none\nmodels:\n  - id: a/b\n    endpoints:\n      - { provider: sandbix, model: echo }',
    'f:5: models[0].endpoints[0].provider: "sandbix" is no provider; allowed: any built-in provider (docs/providers.md); did you mean "sandbox"?',
  ],
  [
    'catalog: none\nmodels:\n  - id: a/b',
    'f:3: models[0]: endpoints is missing and "a/b" is no built-in model; allowed: a list with at least one entry; add endpoints',
  ],
  [
    'models:\n  - name: x',
    'f:2: models[0]: id is missing; allowed: author/name or author/name:variant; add id',
  ],
  [
    'models:\n  -',
    'f:2: models[0]: has no value; allowed: a map of id, canonical_slug, name, description, family, created, context_length, input_modalities, output_modalities, reasoning, knowledge_cutoff, aliases, hidden, accounts, retired, expiration_date, successor, fast_sibling, distillable, categories, benchmarks, coding_percentile, tokenizer, instruct_type, default_parameters, hugging_face_id, supported_voices, endpoints; write one or remove it',
  ],
  [
    'models:\n  - { id: atlas, endpoints: [{ provider: sandbox, model: echo }] }',
    'f:2: models[0].id: "atlas" does not have the right form; allowed: author/name or author/name:variant; correct the value',
  ],
  [
    'models:\n  - id: a/b\n    endpoints:\n      - provider: sandbox\n        model: echo\n        price: { input: 0.0000001, output: -1 }',
    'f:6: models[0].endpoints[0].price.input: 0.0000001 has more than 6 digits after the decimal point; allowed: USD per million tokens from 0 with at most 6 digits after the point; correct the value',
    'f:6: models[0].endpoints[0].price.output: -1 is below 0; allowed: USD per million tokens from 0 with at most 6 digits after the point; correct the value',
  ],
  [
    'compat: { aliases: [service] }',
    'f:1: compat.aliases[0]: "service" is the prefix itself; allowed: another word; remove it',
  ],
  [
    'server: { port: 1 }\nserver: { port: 2 }',
    'f:2: broken YAML (duplicate key); allowed: YAML 1.2; remove one of the two keys of the same name',
  ],
  [
    'providers:\n  a: { api_key: ${KEY} }',
    'f:2: broken YAML (unexpected token); allowed: YAML 1.2; inside { } and [ ] write "${VAR}" in quotes',
  ],
  [
    'server:\n  port: "1',
    'f:2: broken YAML (missing char); allowed: YAML 1.2; check indentation, colons and quotes on and above this line',
  ],
  [
    '- a',
    'f:1: is not a map; allowed: a map of server, data_dir, database, shared_state, master_key, master_key_file, log_level, bootstrap, providers, catalog, models, location, routing, limits, byok, responses, compat, plugins, guardrails, tools; correct the value',
  ],
];

const example = `
server:
  host: 127.0.0.1
  port: 8484
  body_limit: 32MiB
  cors_origins: []
  trust_proxy: false
database: { url: "sqlite:.headgate/headgate.db", auto_migrate: true }
shared_state: { url: "redis://127.0.0.1:6379/0", on_failure: reject }
providers:
  northgpu:
    name: NorthGPU
    adapter: openai-chat
    base_url: http://127.0.0.1:9100/v1
    api_key: \${NORTHGPU_API_KEY}
    headers: { x-team: gateway }
    retains_prompts: false
    trains_on_prompts: false
    publishes_prompts: false
    timeouts: { connect: 10s, first_event: 120s, total: 600s, idle: 60s }
models:
  - id: acme/atlas-4
    name: Acme Atlas 4
    family: acme/atlas
    created: 1767225600
    input_modalities: [text, image]
    output_modalities: [text]
    reasoning: { supported_efforts: [high, medium, low] }
    endpoints:
      - provider: northgpu
        model: atlas-4-instruct
        tag: northgpu
        tier: default
        quantization: fp8
        context_length: 131072
        max_completion_tokens: 16384
        supported_parameters: [temperature, top_p, tools, tool_choice, response_format, structured_outputs, reasoning]
        price: { input: 0.15, output: 0.60, cache_read: 0.015, cache_write: 0.19 }
        hedge_after_ms: 1500
        prior: { ttft_ms: 400, tps: 80 }
  - id: acme/atlas-4:free
    endpoints: [{ provider: northgpu, model: atlas-4-instruct, context_length: 131072, price: { input: 0, output: 0 } }]
limits:
  in_flight_budget: { fraction: 0.5, ceiling_usd: 25, threshold_usd: 100, output_tokens_cap: 16384, settlement_window: 120s, lease: 900s }
  free_models: { per_minute: 20, per_day: 50, per_day_after_purchase: 1000, purchase_threshold_usd: 9 }
byok: { fee_rate: 0.05, monthly_allowance_usd: 25000 }
`;

test('a provider whose credential or region tells its address needs none', async () => {
  const credential = JSON.stringify({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    region: 'eu-west-1',
  });
  const text =
    'providers:\n  amazon-bedrock: { api_key: "${AWS_KEY}" }\n  other: { adapter: amazon-bedrock, quirks: { region: us-west-2 } }';
  await load(text, { AWS_KEY: credential });
});
