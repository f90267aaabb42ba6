import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { configMistakes } from '../../test/samples/config-mistakes.ts';
import { ConfigTexts } from '../../test/support/config-texts.ts';

const texts = new ConfigTexts();

test('each kind of mistake says file, line, key, problem, allowed values and remedy', async () => {
  for (const [text, ...expected] of configMistakes)
    assert.deepEqual(await texts.mistakes(text), expected, text);
});

test('a quirk nobody knows is told with the nearest one', async () => {
  const quirks = 'quirks: { seedfield: x }';
  const [line = ''] = await texts.mistakes(
    `providers: { p: { adapter: openai-chat, base_url: http://localhost:1, ${quirks} } }`,
  );
  assert.match(line, /^f:1: providers\.p\.quirks\.seedfield: unknown key; .*did you mean "seedField"\?$/);
});

test('all mistakes are told at once, in the order of their lines', async () => {
  const lines = await texts.mistakes('log_level: loud\nserver:\n  port: 70000\n  hots: x\nbyok: 5\n');
  assert.deepEqual(
    lines.map((line) => line.split(': ').slice(0, 2).join(' ')),
    ['f:1 log_level', 'f:3 server.port', 'f:4 server.hots', 'f:5 byok'],
  );
});

test('an address that nobody can be reached by is told before anything starts, without its password', async () => {
  const database =
    'allowed: sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/DATABASE, special characters percent-encoded';
  for (const [name, url, says] of [
    ['DATABASE', 'postgres://u:12/secret@db/books', `is not such an address; ${database}`],
    ['DATABASE', 'postgres://u:secret/@db/books', `is not such an address; ${database}`],
    ['DATABASE', 'postgres://u:12#secret@db/books', `is not such an address; ${database}`],
    ['DATABASE', 'postgres://u:12?secret@db/books', `is not such an address; ${database}`],
    ['REDIS', 'redis://:secret@one,two', 'names several hosts; a cluster begins with redis-cluster://'],
    ['REDIS', 'redis://:sec/ret@one', 'is not redis://[user:password@]host'],
    ['REDIS', 'redis-sentinel://:secret@one', 'lacks the name of the primary'],
  ] as const) {
    const [line = '', ...rest] = await texts.mistakes('', { [`HEADGATE_${name}_URL`]: url });
    assert.deepEqual(
      [line.includes(`_URL: ${name === 'REDIS' ? 'shared_state' : 'database'}.url: the value ${says}`), rest],
      [true, []],
      line,
    );
    assert.doesNotMatch(line, /secret|ret@/);
  }
});

test('mistakes in environment and flags name where they stand', async () => {
  const environment = { HEADGATE_PORT: 'eighty', HEADGATE_BOOTSTRAP_API_KEY: 'too-short-to-be-safe' };
  assert.deepEqual(await texts.mistakes('', environment), [
    'environment HEADGATE_PORT: server.port: "eighty" is not a number; allowed: a whole number from 0 to 65535; correct the value',
    'environment HEADGATE_BOOTSTRAP_API_KEY: bootstrap.api_key: the key is too short to be safe; allowed: at least 32 characters; use another random one, or leave it out to have one generated',
  ]);
  await assert.rejects(
    texts.load('', {}, { port: '-1' }),
    /^ConfigError: command line --port: server\.port: "-1" is below 0;/,
  );
  await assert.rejects(
    texts.load('', {}, { port: '' }),
    /^ConfigError: command line --port: server\.port: "" is not a number;/,
  );
  const twice = 'x'.repeat(32);
  const same = { HEADGATE_BOOTSTRAP_API_KEY: twice, HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: twice };
  assert.deepEqual(await texts.mistakes('', same), [
    'environment HEADGATE_BOOTSTRAP_API_KEY: bootstrap.api_key: the key is the management key too; allowed: two different keys; change one of them',
  ]);
  for (const [key, problem] of [
    ['x'.repeat(513), 'the key is too long for a header; allowed: at most 512 characters'],
    ...['two words '.repeat(4), 'ключ'.repeat(8), 'tab\t'.repeat(9)].map((odd) => [
      odd,
      'the key has characters that no header carries as they are; allowed: letters, digits and signs of ASCII, without spaces',
    ]),
  ]) {
    assert.deepEqual(await texts.mistakes('', { HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: key }), [
      `environment HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: bootstrap.management_key: ${problem}; use another random one, or leave it out to have one generated`,
    ]);
  }
  assert.deepEqual(await texts.mistakes('', { OLLAMA_HOST: 'not an address' }), [
    'environment OLLAMA_HOST: providers.ollama.base_url: the value is no address; allowed: a host, host:port or an http:// address; correct or unset it',
  ]);
  const { warnings } = await texts.load('', { HEADGATE_PROT: '1', HEADGATE_SOMETHING_ELSE: '1' });
  assert.deepEqual(warnings, ['environment: HEADGATE_PROT: unknown variable; did you mean HEADGATE_PORT?']);
});

test('an address of sentinels needs the name of a primary; what is refused is not shown', async () => {
  const named = 'rediss-sentinel://:secret@one,two:1/primary?sentinel_password=secret';
  const { config } = await texts.load('', { HEADGATE_REDIS_URL: named });
  assert.equal(config.sharedState.url, named);
  const refused = await texts.mistakes('', { HEADGATE_REDIS_URL: 'redis-sentinel://:secret@one,two:1' });
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
  assert.deepEqual(await texts.mistakes('server: { workers: 2 }'), both);
  assert.deepEqual(await texts.mistakes('server: { workers: 2 }\ndatabase: { url: "sqlite:x.db" }'), both);
  const servers = {
    HEADGATE_DATABASE_URL: 'postgres://127.0.0.1/x',
    HEADGATE_REDIS_URL: 'redis://127.0.0.1',
  };
  assert.deepEqual(await texts.mistakes('', { ...servers, HEADGATE_WORKERS: '3', HEADGATE_REDIS_URL: '' }), [
    'environment HEADGATE_WORKERS: server.workers: 3 processes need PostgreSQL and Redis; allowed: 1 without them; set shared_state.url (HEADGATE_REDIS_URL) to redis://..., or leave server.workers out',
  ]);
  const { config } = await texts.load('server: { workers: 2 }', servers, { workers: '4' });
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
    const [line = ''] = await texts.mistakes(`${before} ${key}: 0s ${after}`);
    assert.ok(line.includes(`.${key}: "0s" ${rest};`), line);
  }
  const { config } = await texts.load('server: { drain_timeout: 0s }');
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
  assert.deepEqual((await texts.load(origins(sent))).config.server.corsOrigins, sent);
  const never = [
    'https://App.example',
    'https://app.example:443',
    'http://app.example:80',
    'https://app.example/x',
  ];
  assert.equal((await texts.mistakes(origins(never))).length, never.length);
});

test('an endpoint without a price is told of, and a retention that SQLite does not have', async () => {
  const text = [
    'database: { retention_days: 30 }',
    'models:',
    '  - id: a/b',
    '    endpoints:',
    '      - { provider: sandbox, model: echo, price: { input: 0, output: 0 } }',
    '      - { provider: sandbox, model: echo, tag: sandbox/off, status: disabled }',
    '      - { provider: sandbox, model: echo, tag: sandbox/free }',
  ].join('\n');
  const unpriced =
    'models[0].endpoints[2]: it has no price: prepaid accounts and keys with a limit are refused, others are charged ' +
    'nothing; where it costs nothing say price: { input: 0, output: 0 }';
  const onSqlite = await texts.load(text);
  assert.deepEqual(onSqlite.warnings, [
    `${texts.file}:7: ${unpriced}`,
    `${texts.file}:1: database.retention_days: it has no effect on SQLite, which keeps all records`,
  ]);
  const onPostgres = await texts.load(text, { HEADGATE_DATABASE_URL: 'postgres://db/x' });
  assert.deepEqual(onPostgres.warnings, [`${texts.file}:7: ${unpriced}`]);
});

test('a free variant with a price is refused: it is let in without credits and would be charged', async () => {
  const priced = (price: string) =>
    `models:\n  - id: a/b:free\n    endpoints:\n      - { provider: sandbox, model: echo, price: ${price} }\n`;
  const path = 'models[0].endpoints[0].price';
  const isFree = 'an id that ends in :free is of a model that costs nothing';
  const rest = 'allowed: 0 throughout, but for web_search; state no other price or give the model another id';
  for (const price of [
    '{ input: 1, output: 0 }',
    '{ input: 0, output: 0, request: 0.1 }',
    '{ input: 0, output: 0, overrides: [{ min_prompt_tokens: 9, output: 1 }] }',
  ]) {
    assert.deepEqual(await texts.mistakes(priced(price)), [`f:4: ${path}: ${isFree}; ${rest}`], price);
  }
  await texts.load(priced('{ input: 0, output: 0, web_search: 0.01 }'));
});

test('a rate of money that would be rounded off is refused', async () => {
  const allowed = 'allowed: a fraction from 0 to 1 with at most 4 digits after the point; correct the value';
  const finer = 'has more than 4 digits after the point';
  assert.deepEqual(await texts.mistakes('byok: { fee_rate: 0.00125 }\n'), [
    `f:1: byok.fee_rate: 0.00125 ${finer}; ${allowed}`,
  ]);
  const discounted = (discount: string) =>
    `models:\n  - id: a/b\n    endpoints:\n      - { provider: sandbox, model: echo, price: { input: 1, output: 1, discount: ${discount} } }\n`;
  const path = 'models[0].endpoints[0].price.discount';
  for (const [discount, problem] of [
    ['0.33333', finer],
    ['1e-5', finer],
    ['1.5', 'is above 1'],
    ['-0.1', 'is below 0'],
    ['.nan', 'is not a decimal number'],
  ] as const) {
    assert.deepEqual(await texts.mistakes(discounted(discount)), [
      `f:4: ${path}: ${discount} ${problem}; ${allowed}`,
    ]);
  }
  const { config } = await texts.load(`byok: { fee_rate: 0.0550 }\n${discounted('0.3333')}`);
  assert.equal(config.byok.feeRate, 0.055);
  assert.equal(config.catalogue.models.get('a/b')?.endpoints[0]?.price?.discountBasisPoints, 3333);
});

test('a lease that ends before it is renewed is refused, whichever of the two is written', async () => {
  const renewal = 'limits.in_flight_budget.lease_renewal: is not shorter than lease (20s)';
  const rest = 'allowed: less than 20s; shorten it or raise lease';
  assert.deepEqual(await texts.mistakes('limits:\n  in_flight_budget:\n    lease: 20s\n'), [
    `f:3: ${renewal}; ${rest}`,
  ]);
  assert.deepEqual(
    await texts.mistakes('limits:\n  in_flight_budget:\n    lease: 20s\n    lease_renewal: 20s\n'),
    [`f:4: ${renewal}; ${rest}`],
  );
  await texts.load('limits: { in_flight_budget: { lease: 20s, lease_renewal: 5s } }');
});

test('limits begin anew in a zone that has a name', async () => {
  const wrong = (zone: string) =>
    `f:2: limits.reset_timezone: "${zone}" is no time zone; allowed: a name of the IANA database, such as UTC, Europe/Berlin or America/New_York; name the city that keeps the time you mean; offsets such as +02:00 know no summer time`;
  for (const zone of ['Mars/Olympus', '+02:00', 'local']) {
    assert.deepEqual(await texts.mistakes(`limits:\n  reset_timezone: "${zone}"\n`), [wrong(zone)]);
  }
  await texts.load('limits: { reset_timezone: Asia/Kathmandu, week_start: saturday }');
});

test('one port cannot serve both requests and metrics', async () => {
  assert.deepEqual(await texts.mistakes('server:\n  metrics_port: 9000\n', { HEADGATE_PORT: '9000' }), [
    'f:2: server.metrics_port: 9000 is server.port too; allowed: another port; change it, or leave it out to serve metrics beside requests',
  ]);
});

test('the dashboard cannot have a port that serves something else', async () => {
  const text = (port: number) =>
    `server:\n  port: 9000\n  metrics_port: 9001\n  dashboard: { port: ${port} }\n`;
  const wrong = (port: number, name: string) =>
    `f:4: server.dashboard.port: ${port} is ${name} too; allowed: another port; change it, or leave it out to serve the dashboard beside the interface`;
  assert.deepEqual(await texts.mistakes(text(9000)), [wrong(9000, 'server.port')]);
  assert.deepEqual(await texts.mistakes(text(9001)), [wrong(9001, 'server.metrics_port')]);
});

test('a public address has a scheme, a host and a plain path', async () => {
  const allowed =
    'an http:// or https:// address without credentials, query and fragment, such as https://ai.example/gateway';
  for (const url of [
    'gate.example',
    'ftp://gate.example',
    'https://a:b@gate.example',
    'https://gate.example/?a',
    'https://gate.example/#a',
    'https://gate.example/a&b',
  ]) {
    const [line = ''] = await texts.mistakes(`server: { public_url: '${url}' }\n`);
    assert.match(line, /^f:1: server\.public_url: /, url);
    assert.ok(line.includes(`allowed: ${allowed}`), line);
  }
  for (const [written, read] of [
    ['https://gate.example/gateway/', 'https://gate.example/gateway'],
    ['http://gate.lan:8080', 'http://gate.lan:8080'],
  ]) {
    const { config } = await texts.load(`server: { public_url: '${written}' }\n`);
    assert.equal(config.server.publicUrl, read);
  }
});

test('an alias of nothing is a mistake, wherever it stands', async () => {
  for (const text of [
    'server: *none\n',
    'providers: { a: { quirks: { omit: [*none] } } }\n',
    'server:\n  <<: *none\n',
  ])
    assert.match(
      (await texts.mistakes(text))[0] ?? '',
      /^f:\d: \*none is an alias of nothing; allowed: the name of an anchor \(&name\) above it; correct the name/,
      text,
    );
  const { config } = await texts.load('log_level: &level warn\nlocation: { region: *level }\n');
  assert.equal(config.location.region, 'warn');
});

test('a default for a plugin that no request could name is refused with its place', async () => {
  const [line = ''] = await texts.mistakes(
    'plugins:\n  defaults:\n    web: { config: { max_results: 99 } }\n',
  );
  assert.match(line, /^f:3: plugins\.defaults\.web: .*max_results: must be between 1 and 25/);
  assert.match((await texts.mistakes('plugins: { defaults: { wbe: {} } }\n'))[0] ?? '', /wbe/);
  assert.match(
    (await texts.mistakes('plugins: { defaults: { response-healing: { config: { a: 1 } } } }\n'))[0] ?? '',
    /response-healing.*config.a/,
  );
});

test('detectors of names and addresses need an analyzer', async () => {
  const rule = '{ content_filter_builtins: [{ slug: address, action: flag }], apply: { all: true } }';
  const [line = ''] = await texts.mistakes(`guardrails: { rules: { a: ${rule} } }\n`);
  assert.match(
    line,
    /content_filter_builtins\[0\]\.slug: it needs an analyzer;.*add guardrails.entity_analyzer/,
  );
  const analyzer = 'entity_analyzer: { base_url: "http://127.0.0.1:5002" }';
  const { config } = await texts.load(`guardrails: { ${analyzer}, rules: { a: ${rule} } }\n`);
  assert.deepEqual(config.entityAnalyzer, {
    baseUrl: 'http://127.0.0.1:5002',
    timeout: 2_000,
    language: 'en',
    scoreThreshold: 0.5,
  });
});

test('a random unknown key is always named with its line', async () => {
  const word = fc.stringMatching(/^[a-z_]{1,12}$/).filter((key) => !['host', 'port'].includes(key));
  const property = fc.asyncProperty(word, fc.nat({ max: 20 }), async (key, blankLines) => {
    const known =
      /^(body_limit|cors_origins|trust_proxy|drain_timeout|request_timeout|keep_alive|send_timeout|header_timeout|connections_per_address|metrics_port|public_url|workers)$/;
    fc.pre(!known.test(key));
    const lines = await texts.mistakes(`server:\n  port: 1\n${'\n'.repeat(blankLines)}  ${key}: 1\n`);
    assert.equal(lines.length, 1);
    assert.ok(lines[0]?.startsWith(`f:${blankLines + 3}: server.${key}: unknown key; allowed: host, port, `));
  });
  await fc.assert(property, { numRuns: 60 });
});
