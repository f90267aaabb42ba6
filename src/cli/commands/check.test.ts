// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { providerSchema } from '../../catalogue/catalogue-schema.ts';

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
    '  sandbox: { quirks: { web: { endpoint: "x-${PLUGIN_KEY}-y", api_key: literal-plugin-secret } } }',
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

test('check probes the sandbox, and fails where that cannot be used', async () => {
  const { run } = await workplace('tools: { sandbox: { driver: http, url: "http://127.0.0.1:1" } }');
  const { code, err } = await run('check');
  assert.equal(code, 1);
  assert.match(err, /tools\.sandbox cannot be used: .*ECONNREFUSED/);
});

test('check shows no secret of MCP servers and of the sandbox', async () => {
  const { run } = await workplace(
    'tools:\n' +
      `  mcp: { servers: { wiki: { url: "http://10.0.0.1/mcp", headers: { authorization: "${secret}" } } } }\n` +
      '  sandbox: { driver: "off" }\n',
  );
  const { code, out, err } = await run('check');
  assert.equal(code, 0, err);
  assert.ok(!out.includes(secret) && !err.includes(secret));
});

test('check notes what is undeclared, and moderation that nobody does', async () => {
  const { run, json } = await workplace(`
catalog: none
providers:
  north: { adapter: openai-chat, base_url: "http://127.0.0.1:1/v1" }
models:
  - { id: acme/plain, endpoints: [{ provider: north, model: a, is_moderated: true }] }
  - { id: acme/full, input_modalities: [text], output_modalities: [text], endpoints: [{ provider: north, model: b }] }
`);
  const { notes } = await json('check');
  assert.deepEqual(
    notes.map((note: string) => note.split(':')[0]),
    [
      'acme/plain',
      'acme/plain',
      'acme/plain',
      'strict clients of the open Responses standard refuse null for settings that a request did not make; responses.echo_defaults',
    ],
  );
  const { out } = await run('check');
  assert.match(out, /^Note: acme\/plain: is_moderated is set, but plugins\.moderation is not/m);
});

test('check notes models that settings of routers name in vain', async () => {
  const { json } = await workplace(`
catalog: none
providers:
  north: { adapter: openai-chat, base_url: "http://127.0.0.1:1/v1" }
models:
  - { id: acme/full, input_modalities: [text], output_modalities: [text], endpoints: [{ provider: north, model: b }] }
responses: { echo_defaults: true }
routing:
  auto:
    default_models: [acme/full, acme/gone]
    priors: { math: { acme/ful: 1 } }
    classifier_model: acme/small
  bodybuilder: { model: acme/full }
`);
  const { notes } = await json('check');
  assert.deepEqual(notes, [
    'routing.auto.default_models: "acme/gone" is no model of the catalogue, so it has no effect',
    'routing.auto.priors.math: "acme/ful" is no model of the catalogue, so it has no effect',
    'routing.auto.classifier_model: "acme/small" is no model of the catalogue, so it has no effect',
  ]);
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
    Object.keys(providerSchema.properties ?? {}).filter((key) => !shown.has(key)),
    [],
  );
});

test('check says what takes room once there is a database, and creates none', async () => {
  const { run, json } = await workplace('data_dir: data\n');
  assert.doesNotMatch((await run('check')).out, /^Room:/m);
  assert.doesNotMatch((await run('check')).out, /^Room:/m, 'a look creates no database');
  assert.equal((await run('db', 'migrate')).code, 0);
  assert.match(
    (await run('check')).out,
    /^Room: database \d+\.\d MiB, files 0\.0 MiB, free on the disk \d+/m,
  );
  const { disk } = await json('check');
  assert.ok(disk.database_bytes > 100_000 && disk.free_bytes > 0);
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
  assert.match(out, /^good {6}ok {6}lists 2 models; not among them: three$/m);
  assert.match(out, /\n\nNo mistakes in \S+headgate\.yaml\.\n(Note: .*\n)*Room: .*\n\nPROVIDER /);
  assert.match(out, /^named {5}ok {6}lists 1 model$/m);
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

test('models lists what a local server has, and says when it cannot be asked', async (t) => {
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ data: [{ id: 'llama3.2:latest' }] }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = (server.address() as AddressInfo).port;
  const { run } = await workplace('', { OLLAMA_HOST: `127.0.0.1:${address}` });
  assert.match((await run('models', 'list', '--provider', 'ollama')).out, /^ollama\/llama3\.2:latest /m);
  assert.equal((await run('models', 'show', 'ollama/llama3.2:latest')).code, 0);
  const away = await workplace('', { OLLAMA_HOST: 'http://127.0.0.1:9' });
  const { code, err } = await away.run('models', 'list', '--provider', 'ollama');
  assert.equal(code, 0);
  assert.match(err, /^warning: ollama could not be reached \(/);
});
