// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration has its own ${VAR}
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigTexts } from '../../test/support/config-texts.ts';
import { formatUsd } from '../core/money.ts';
import { loadConfig } from './load-config.ts';
import { showConfig } from './show-config.ts';

const texts = new ConfigTexts();

test('without a file everything has its default', async () => {
  const { config, warnings } = await loadConfig({ environment: {}, directory: texts.folder });
  assert.deepEqual(warnings, []);
  assert.equal(config.file, undefined);
  assert.deepEqual(config.server, {
    host: '127.0.0.1',
    port: 8484,
    basePaths: ['/api/v1', '/v1'],
    bodyLimit: 32 * 1024 * 1024,
    bodiesLimit: 512 * 1024 * 1024,
    corsOrigins: [],
    trustProxy: false,
    drainTimeout: 30_000,
    requestTimeout: 600_000,
    keepAlive: 10_000,
    sendTimeout: 60_000,
    headerTimeout: 10_000,
    dashboard: {
      enabled: true,
      readOnly: false,
      allowInsecureHttp: false,
      operatorAccounts: [],
      session: { idle: 7_200_000, max: 86_400_000, keyIdle: 43_200_000, keyMax: 604_800_000 },
    },
    workers: 1,
  });
  assert.equal(config.dataDirectory, join(texts.folder, '.headgate'));
  assert.deepEqual(config.database, {
    url: `sqlite:${texts.folder}/.headgate/headgate.db`,
    autoMigrate: true,
    poolSize: 8,
  });
  assert.deepEqual(config.sharedState, { onFailure: 'reject' });
  assert.equal(config.logLevel, 'info');
  assert.equal(config.bootstrap.billingMode, 'invoice');
  assert.equal(formatUsd(config.limits.inFlightBudget.ceiling), '25');
  assert.equal(config.limits.freeModels.perDayAfterPurchase, 1000);
  assert.equal(formatUsd(config.byok.monthlyAllowance), '25000');
  assert.deepEqual([...config.catalogue.providers.keys()], ['sandbox']);
});

test('a file that says nothing is as none: every way to say nothing', async () => {
  for (const text of ['', '# later\n', '---\n', '--- # later\n...\n', '~\n', 'null\n', '\uFEFF---\r\n']) {
    const { config } = await texts.load(text, { HEADGATE_HOST: 'localhost' });
    assert.deepEqual([config.server.host, config.server.port], ['localhost', 8484], JSON.stringify(text));
    assert.equal((await texts.load(text)).config.server.host, '127.0.0.1', JSON.stringify(text));
  }
});

test('a section that can be switched off may be `false`; nothing else takes the place of a map', async () => {
  const { config } = await texts.load('server: { dashboard: false }');
  const { config: same } = await texts.load('server: { dashboard: { enabled: false } }');
  assert.equal(config.server.dashboard.enabled, false);
  assert.deepEqual(config.server, same.server);
  for (const text of ['server: { dashboard: true }', 'server: { dashboard: "false" }', 'server: false']) {
    await assert.rejects(texts.load(text), /is not a map/);
  }
});

test('the whole example of the specification is read', async () => {
  const { config, warnings } = await texts.load(example, { NORTHGPU_API_KEY: 'secret-of-northgpu' });
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
  assert.equal((await texts.load(text)).config.server.port, 1);
  assert.equal((await texts.load(text, environment)).config.server.port, 2);
  const { server } = (await texts.load(text, environment, { port: '3' })).config;
  assert.deepEqual([server.port, server.host], [3, 'environment.example']);
});

test('every environment variable reaches its key', async () => {
  const { config } = await texts.load('server:\n', {
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
  assert.equal((await texts.load('', { HEADGATE_DATABASE_URL: url })).config.database.url, url);
});

test('variables of OpenTelemetry set the keys of telemetry, and one that says off wins', async () => {
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=secret-of-collector, team=a%20b,broken',
    OTEL_SERVICE_NAME: 'inference',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test,service.name=other',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
  };
  const { config } = await texts.load('telemetry: { sampling: { ratio: 1 } }', environment);
  const { endpoint, protocol, headers, resource, sampling } = config.telemetry;
  assert.deepEqual([endpoint, protocol], ['http://collector.example:4318', 'http/json']);
  assert.deepEqual(headers, { 'api-key': 'secret-of-collector', team: 'a b' });
  assert.deepEqual(resource, { 'deployment.environment.name': 'test', 'service.name': 'inference' });
  assert.deepEqual([sampling.ratio, sampling.followParent], [0.25, true]);
  const shown = JSON.stringify(showConfig(config, environment));
  assert.ok(!shown.includes('secret-of-collector'), shown);
  const off = await texts.load('', { ...environment, OTEL_SDK_DISABLED: 'true' });
  assert.deepEqual([off.config.telemetry.traces, off.config.telemetry.metrics.enabled], [false, false]);
  await assert.rejects(
    texts.load('', { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
    /environment OTEL_EXPORTER_OTLP_PROTOCOL.*http\/protobuf, http\/json/,
  );
});

test('files of server.tls and server.ca_file are looked up in the folder of the file that names them', async () => {
  await mkdir(join(texts.folder, 'elsewhere'), { recursive: true });
  const file = join(texts.folder, 'elsewhere', 'headgate.yaml');
  await writeFile(file, 'server: { ca_file: ca.pem, tls: { cert_file: tls/a.crt, key_file: /b.key } }\n');
  const { server } = (await loadConfig({ file, environment: {}, directory: texts.folder })).config;
  assert.equal(server.caFile, join(texts.folder, 'elsewhere/ca.pem'));
  assert.deepEqual(server.tls, { certFile: join(texts.folder, 'elsewhere/tls/a.crt'), keyFile: '/b.key' });
});

test('HEADGATE_CONFIG names the file, and a named file must exist', async () => {
  await writeFile(join(texts.folder, 'named.yaml'), 'log_level: error');
  const loaded = await loadConfig({
    environment: { HEADGATE_CONFIG: 'named.yaml' },
    directory: texts.folder,
  });
  assert.equal(loaded.config.logLevel, 'error');
  assert.equal(loaded.config.file, join(texts.folder, 'named.yaml'));
  await assert.rejects(loadConfig({ file: 'absent.yaml', environment: {}, directory: texts.folder }), {
    name: 'ConfigError',
    message:
      'absent.yaml: the file cannot be read (ENOENT); correct --config or HEADGATE_CONFIG, or create the file',
  });
});

test('a link to nothing in the place of the default file is a mistake', async () => {
  const directory = await mkdtemp(join(texts.folder, 'link-'));
  await symlink('/nowhere/headgate.yaml', join(directory, 'headgate.yaml'));
  await assert.rejects(
    loadConfig({ environment: {}, directory }),
    /^ConfigError: headgate\.yaml: the file cannot be read \(ENOENT\)/,
  );
});

test('${VAR} is filled in anywhere, and $${ stands for itself', async () => {
  const { config } = await texts.load(
    'server: { port: "${PORT}", trust_proxy: "${YES}" }\nproviders: { a: { adapter: openai-chat, base_url: "http://127.0.0.1:9", quirks: { omit: ["x${B}", "$${B}"] } } }',
    {
      PORT: '99',
      YES: 'true',
      B: '1',
    },
  );
  assert.equal(config.server.port, 99);
  assert.equal(config.server.trustProxy, true);
  assert.deepEqual(config.catalogue.providers.get('a')?.quirks, { omit: ['x1', '${B}'] });
});

test('proxies are believed by address and network, by their number, or all with a warning', async () => {
  const read = async (value: string) => {
    const { config, warnings } = await texts.load(`server:\n  trust_proxy: ${value}\n`, {
      HOPS: '2',
      PROXY: '10.0.0.1',
    });
    return [config.server.trustProxy, warnings] as const;
  };
  assert.deepEqual(await read('false'), [false, []]);
  assert.deepEqual(await read('2'), [2, []]);
  assert.deepEqual(await read('"${HOPS}"'), [2, []]);
  assert.deepEqual(await read('[127.0.0.1, "::ffff:10.0.0.0/104", "FD00::/8", "${PROXY}"]'), [
    ['127.0.0.1', '10.0.0.0/8', 'fd00::/8', '10.0.0.1'],
    [],
  ]);
  const [all, warnings] = await read('true');
  assert.equal(all, true);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? '',
    /:2: server\.trust_proxy: true believes .*set the addresses of your proxies/,
  );
  const [, everywhere] = await read('[10.0.0.1, "::/0"]');
  assert.equal(everywhere.length, 1);
  assert.match(everywhere[0] ?? '', /server\.trust_proxy\[1\]: ::\/0 is every address/);
});

test('durations and sizes are read in every unit', async () => {
  const read = async (duration: string, size: string) => {
    const { server } = (await texts.load(`server: { drain_timeout: ${duration}, body_limit: ${size} }`))
      .config;
    return [server.drainTimeout, server.bodyLimit];
  };
  assert.deepEqual(await read('500ms', '512KiB'), [500, 524_288]);
  assert.deepEqual(await read('1.5s', '2MB'), [1500, 2_000_000]);
  assert.deepEqual(await read('2m', '1024'), [120_000, 1024]);
  assert.deepEqual(await read('1h', '1GiB'), [3_600_000, 1_073_741_824]);
});

test('what is no regular file of a reasonable size is no secret', async () => {
  await writeFile(join(texts.folder, 'large'), 'x'.repeat(70_000));
  for (const [name, reason] of [
    ['/dev/zero', 'it is not a regular file'],
    ['.', 'it is not a regular file'],
    ['large', 'it is larger than 65536 bytes'],
  ]) {
    const lines = await texts.mistakes(`providers: { openai: { api_key_file: ${name} } }`);
    assert.match(lines.join(), new RegExp(`the file cannot be read \\(${reason}\\)`));
  }
});

test('a secret may come from a file; a literal one works with a warning', async () => {
  await writeFile(join(texts.folder, 'key.txt'), 'from-the-file\n');
  const fromFile = await texts.load('providers: { openai: { api_key_file: key.txt } }');
  assert.equal(fromFile.config.catalogue.providers.get('openai')?.apiKey?.reveal(), 'from-the-file');
  assert.deepEqual(fromFile.warnings, []);
  const literal = await texts.load('providers:\n  openai:\n    api_key: sk-literal-secret\n');
  assert.equal(literal.config.catalogue.providers.get('openai')?.apiKey?.reveal(), 'sk-literal-secret');
  assert.deepEqual(literal.warnings, [
    `${texts.file}:3: providers.openai.api_key: a secret stands in the file itself; better give it as \${VARIABLE} or by api_key_file`,
  ]);
  const headers = await texts.load(
    'providers:\n  openai:\n    headers: { x-team: gateway, x-team-token: literal }\n',
    {
      OPENAI_API_KEY: 'sk-of-the-environment',
    },
  );
  assert.deepEqual(headers.warnings, [
    `${texts.file}:3: providers.openai.headers.x-team-token: a secret stands in the file itself; better give it as \${VARIABLE}`,
  ]);
});

test('no secret appears in an error, a warning or the configuration itself', async () => {
  const secret = 'sk-never-shown-0123456789-0123456789';
  const environment = {
    KEY: secret,
    HEADGATE_DATABASE_URL: `mysql://u:${secret}@db`,
    HEADGATE_MASTER_KEY: secret,
  };
  const lines = await texts.mistakes(
    `server: { port: "\${KEY}" }\nproviders:\n  a: { adapter: openai-chat, base_url: "ftp://u:${secret}@x", api_key: { k: ${secret} } }\nshared_state: { url: "http://:${secret}@x" }\nlog_level: \${KEY}\n`,
    environment,
  );
  assert.equal(lines.length, 7);
  assert.ok(!lines.join('\n').includes(secret));
  await assert.rejects(texts.load(`a: "${secret}\nb: x`), (error) => !String(error).includes(secret));
  const { config, warnings } = await texts.load(`providers: { openai: { api_key: ${secret} } }`);
  const shown = [inspect(config, { depth: 10 }), JSON.stringify(config, plain), String(warnings)].join();
  assert.ok(!shown.includes(secret));
});

test('the configuration is frozen', async () => {
  const { config } = await texts.load(example, { NORTHGPU_API_KEY: 'x' });
  const parts: readonly object[] = [
    config,
    config.server,
    config.limits.inFlightBudget,
    config.routing.health,
    config.compat,
    config.catalogue.models.get('acme/atlas-4') ?? {},
  ];
  for (const part of parts) assert.ok(Object.isFrozen(part));
});

test('a provider whose credential or region tells its address needs none', async () => {
  const credential = JSON.stringify({
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
    region: 'eu-west-1',
  });
  const text =
    'providers:\n  amazon-bedrock: { api_key: "${AWS_KEY}" }\n  other: { adapter: amazon-bedrock, quirks: { region: us-west-2 } }';
  await texts.load(text, { AWS_KEY: credential });
});

function plain(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === 'bigint' ? String(value) : value;
}

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
