import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { loadConfig } from '../config/load-config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { formatPrice, type PicoUsd, parsePricePerUnit } from '../core/money.ts';
import { providerRows } from './provider-rows.ts';
import { adapterNames } from './vocabulary.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

/** The catalogue of a configuration file's text and an environment. */
async function load(text: string, environment: Record<string, string> = {}) {
  const directory = temporaryFolder();
  await writeFile(join(directory, 'headgate.yaml'), text);
  const { config, warnings } = await loadConfig({ environment, directory, clock: { now: () => now } });
  return { ...config.catalogue, warnings };
}

/** Every variable that built-in providers need, set; a file of credentials is any file that can be read. */
const everyVariable = Object.fromEntries(
  providerRows.flatMap(({ variable, variableIsAddress, variableIsFile, baseUrl = '' }) => {
    const parts = [...baseUrl.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'there']);
    if (variable === undefined) return parts;
    if (variableIsFile === true) return [...parts, [variable, import.meta.filename]];
    return [...parts, [variable, variableIsAddress === true ? '127.0.0.1' : `key-of-${variable}`]];
  }),
);

function ids({ models }: Catalogue, provider: string): readonly string[] {
  return [...models.values()]
    .filter(({ endpoints }) => endpoints.some((endpoint) => endpoint.provider.slug === provider))
    .map(({ id }) => id);
}

test('the usual variables of the clouds bring their providers into service', async () => {
  const { providers } = await load('', {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-west-1',
    AZURE_OPENAI_API_KEY: 'key',
    AZURE_OPENAI_ENDPOINT: 'https://acme.openai.azure.com/',
    DATABRICKS_TOKEN: 'token',
    DATABRICKS_HOST: 'https://acme.cloud.databricks.com/',
  });
  const bedrock = providers.get('amazon-bedrock');
  assert.equal(bedrock?.baseUrl, 'https://bedrock-runtime.eu-west-1.amazonaws.com');
  assert.deepEqual(JSON.parse(bedrock?.apiKey?.reveal() ?? ''), {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'secret',
  });
  assert.equal(providers.get('azure')?.baseUrl, 'https://acme.openai.azure.com/');
  assert.equal(providers.get('databricks')?.baseUrl, 'https://acme.cloud.databricks.com/serving-endpoints');
  const half = await load('', { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_REGION: 'eu-west-1' });
  assert.deepEqual([...half.providers.keys()], ['sandbox']);
  const token = await load('', {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
    AWS_REGION: 'eu-west-1',
  });
  const credential = JSON.parse(token.providers.get('amazon-bedrock')?.apiKey?.reveal() ?? '');
  assert.equal(credential.sessionToken, 'session');
});

test('variables that cannot enable a provider are reported', async () => {
  const { warnings, providers } = await load('', {
    GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json',
    AZURE_OPENAI_API_KEY: 'key',
  });
  assert.ok(!providers.has('google-vertex'));
  assert.deepEqual(warnings, [
    'environment AZURE_OPENAI_API_KEY: a key alone needs AZURE_OPENAI_ENDPOINT too, or providers.azure.base_url',
    'environment GOOGLE_APPLICATION_CREDENTIALS: the file cannot be read or is empty: Google Vertex stays out of service',
  ]);
  await assert.rejects(
    load('', { AZURE_OPENAI_API_KEY: 'key', AZURE_OPENAI_ENDPOINT: 'acme.openai.azure.com' }),
    /^ConfigError: environment AZURE_OPENAI_ENDPOINT: providers\.azure\.base_url: the value is no address; allowed: /,
  );
});

test('searches and prefixes kept for an hour have prices, also where the package of prices knows none', async () => {
  const { models } = await load('', everyVariable);
  const prices = (id: string, slug: string) => {
    const price = models.get(id)?.endpoints.find(({ provider }) => provider.slug === slug)?.price;
    const shown = (value: PicoUsd | undefined) => value && formatPrice(value);
    return { search: shown(price?.webSearch), long: shown(price?.cacheWriteLong), price };
  };
  for (const slug of ['google-ai-studio', 'google-vertex']) {
    assert.equal(prices('google/gemini-2.5-pro', slug).search, '0.035');
    assert.equal(prices('google/gemini-3-pro-preview', slug).search, '0.014');
  }
  for (const slug of ['anthropic', 'google-vertex']) {
    const { search, long } = prices('anthropic/claude-opus-4-8', slug);
    assert.deepEqual([search, long], ['0.01', '0.00001'], slug);
  }
  assert.equal(prices('openai/o3-deep-research', 'openai').search, '0.01');
  const ofXai = [...models.values()].flatMap(({ endpoints }) =>
    endpoints.filter(({ provider }) => provider.slug === 'xai'),
  );
  assert.deepEqual([...new Set(ofXai.map(({ price }) => price?.webSearch))], [parsePricePerUnit('0.005')]);
  // A longer prompt has another price, and so has what is kept of it.
  const long = prices('anthropic/claude-sonnet-4-5', 'google-vertex').price?.overrides?.[0]?.cacheWriteLong;
  assert.equal(long && formatPrice(long), '0.000012');
});

test('searches without a price cost what a built-in provider documents', async () => {
  const { models } = await load(
    [
      'catalog: none',
      'providers: { north: { adapter: openai-responses, base_url: "http://127.0.0.1:9/v1" }, openai: {}, anthropic: {} }',
      'models:',
      '  - id: acme/atlas-4',
      '    endpoints:',
      '      - { provider: openai, model: atlas, price: { input: 1, output: 2 } }',
      '      - { provider: anthropic, model: claude-sonnet-5-5, price: { input: 1, output: 2 } }',
      '      - { provider: openai, model: own, price: { input: 1, output: 2, web_search: 0.5 } }',
      '      - { provider: openai, model: none, price: { input: 1, output: 2, web_search: 0 } }',
      '      - { provider: openai, model: free, price: { input: 0, output: 0 } }',
      '      - { provider: north, model: atlas, price: { input: 1, output: 2 } }',
    ].join('\n'),
    { OPENAI_API_KEY: 'a', ANTHROPIC_API_KEY: 'b' },
  );
  const prices = models.get('acme/atlas-4')?.endpoints.map(({ price }) => price?.webSearch);
  assert.deepEqual(
    prices?.map((price) => price && formatPrice(price)),
    ['0.01', '0.01', '0.5', 0n, undefined, undefined],
  );
});

test('where a region is named, newer Claude costs a tenth more on Vertex', async () => {
  const pricesIn = async (region: string | undefined) => {
    const file = join(temporaryFolder(), 'key.json');
    await writeFile(file, JSON.stringify({ type: 'service_account', region }));
    const { models } = await load('', { GOOGLE_APPLICATION_CREDENTIALS: file });
    const shown = ['anthropic/claude-sonnet-4-5', 'anthropic/claude-opus-4-1', 'google/gemini-2.5-pro'];
    return shown.map((id) => {
      const price = models.get(id)?.endpoints[0]?.price;
      const units = [price?.prompt, price?.completion, price?.cacheRead, price?.cacheWriteLong];
      const [longer] = price?.overrides ?? [];
      return [...units, longer?.prompt, price?.webSearch].map((unit) => unit && formatPrice(unit));
    });
  };
  const [claude, old, gemini] = await pricesIn('global');
  assert.deepEqual(claude, ['0.000003', '0.000015', '0.0000003', '0.000006', '0.000006', '0.01']);
  assert.deepEqual(await pricesIn(undefined), [claude, old, gemini]);
  const regional = ['0.0000033', '0.0000165', '0.00000033', '0.0000066', '0.0000066', '0.01'];
  for (const region of ['eu', 'europe-west1']) {
    assert.deepEqual(await pricesIn(region), [regional, old, gemini]);
  }
});

test('the sandbox is there without anything; its free model costs nothing, the others something', async () => {
  const { models, providers } = await load('');
  assert.deepEqual([...providers.keys()], ['sandbox']);
  assert.deepEqual(
    [...models.keys()],
    [
      'sandbox/echo',
      'sandbox/echo:free',
      'sandbox/lorem',
      'sandbox/reason',
      'sandbox/tools',
      'sandbox/json',
      'sandbox/flaky',
      'sandbox/embed',
    ],
  );
  for (const { id, endpoints } of models.values()) {
    assert.equal(endpoints[0]?.price?.prompt, id.endsWith(':free') ? 0n : 1_000_000n);
  }
  assert.equal(models.get('sandbox/echo:free')?.endpoints[0]?.upstreamModel, 'echo');
});

test('the sandbox can be paced, priced and turned off', async () => {
  const settings = 'first_token_delay: 250ms, tokens_per_second: 40, price: { input: 3, output: 15 }';
  const { models, providers } = await load(`providers: { sandbox: { ${settings} } }`);
  assert.deepEqual(providers.get('sandbox')?.quirks, { firstTokenDelay: 250, tokensPerSecond: 40 });
  assert.equal(models.get('sandbox/lorem')?.endpoints[0]?.price?.completion, 15_000_000n);
  assert.equal(models.get('sandbox/echo:free')?.endpoints[0]?.price?.completion, 0n);
  const off = await load('providers: { sandbox: { enabled: false } }');
  assert.deepEqual([off.models.size, off.providers.size], [0, 0]);
  assert.equal((await load('catalog: none')).models.size, 8);
});

test('a set variable enables its provider with its models, an empty one does not', async () => {
  const { models, providers } = await load('', { OPENAI_API_KEY: 'sk-x', GROQ_API_KEY: '' });
  assert.deepEqual([...providers.keys()], ['sandbox', 'openai']);
  const provider = providers.get('openai');
  assert.equal(provider?.adapter, 'openai-responses');
  assert.equal(provider?.apiKey?.reveal(), 'sk-x');
  const model = models.get('openai/gpt-4o-mini');
  assert.equal(model?.contextLength, 128_000);
  assert.equal(model?.endpoints[0]?.upstreamModel, 'gpt-4o-mini');
  assert.equal(formatPrice(model?.endpoints[0]?.price?.prompt ?? (0n as PicoUsd)), '0.00000015');
  assert.ok(model?.inputModalities.includes('image'));
  assert.equal((await load('catalog: none', { OPENAI_API_KEY: 'sk-x' })).models.size, 8);
});

test('every built-in provider has a known adapter, an address and, where it has models, prices', async () => {
  const catalogue = await load('', everyVariable);
  assert.deepEqual([...catalogue.providers.keys()].sort(), providerRows.map(({ slug }) => slug).sort());
  for (const provider of catalogue.providers.values()) {
    assert.ok(adapterNames.some((name) => name === provider.adapter));
    const row = providerRows.find(({ slug }) => slug === provider.slug);
    const hasAddress = row?.baseUrl !== undefined || row?.variableIsAddress === true;
    if (hasAddress) assert.match(provider.baseUrl ?? '', /^https?:\/\/[^/{}]+(\/[^/{}]+)*$/);
  }
  for (const { slug, priceSource } of providerRows) {
    if (priceSource !== undefined) assert.ok(ids(catalogue, slug).length > 0, slug);
  }
  for (const model of catalogue.models.values()) {
    assert.match(model.id, /^[a-z0-9._-]+\/[a-z0-9._-]+(:free)?$/, model.id);
    assert.ok(Object.isFrozen(model) && model.endpoints.every(Object.isFrozen), model.id);
    for (const { price } of model.endpoints) {
      assert.ok(price !== undefined && (price.prompt > 0n || model.id.endsWith(':free')), model.id);
    }
  }
  assert.equal(catalogue.providers.get('ollama')?.baseUrl, 'http://127.0.0.1:11434/v1');
});

test('a provider whose address needs a variable of its own is enabled by both', async () => {
  const key = { CLOUDFLARE_API_KEY: 'x' };
  assert.equal((await load('', key)).providers.has('cloudflare'), false);
  const { providers } = await load('', { ...key, CLOUDFLARE_ACCOUNT_ID: 'a1' });
  const address = 'https://api.cloudflare.com/client/v4/accounts/a1/ai/v1';
  assert.equal(providers.get('cloudflare')?.baseUrl, address);
});

test('a model that several providers name alike is one model with an endpoint for each', async () => {
  const { models } = await load('', everyVariable);
  const shared = models.get('openai/gpt-oss-120b');
  assert.deepEqual(shared?.endpoints.map(({ tag }) => tag).sort(), [
    'baseten',
    'cerebras',
    'cloudflare',
    'fireworks',
    'groq',
  ]);
  const upstream = new Map(shared?.endpoints.map(({ tag, upstreamModel }) => [tag, upstreamModel]));
  assert.equal(upstream.get('groq'), 'openai/gpt-oss-120b');
  assert.equal(upstream.get('fireworks'), 'accounts/fireworks/models/gpt-oss-120b');
  assert.ok(models.has('groq/llama-3.3-70b-versatile'));
});

test('a credential may stand in a file; its provider shares models with their makers', async () => {
  const key = { GEMINI_API_KEY: 'x', ANTHROPIC_API_KEY: 'x' };
  const file = { GOOGLE_APPLICATION_CREDENTIALS: import.meta.filename };
  const { models, providers } = await load('', { ...key, ...file });
  assert.match(providers.get('google-vertex')?.apiKey?.reveal() ?? '', /^import assert/);
  const tags = (id: string) => models.get(id)?.endpoints.map(({ tag }) => tag);
  assert.deepEqual(tags('google/gemini-2.5-pro'), ['google-ai-studio', 'google-vertex']);
  assert.deepEqual(tags('anthropic/claude-sonnet-4-6'), ['anthropic', 'google-vertex']);
  const missing = await load('', { GOOGLE_APPLICATION_CREDENTIALS: '/nowhere/key.json' });
  assert.equal(missing.providers.has('google-vertex'), false);
});

test('prices that depend on the length of the prompt or the hour are kept as overrides', async () => {
  const { models } = await load('', { OPENAI_API_KEY: 'x', DEEPSEEK_API_KEY: 'x' });
  const long = models.get('openai/gpt-5.4')?.endpoints[0]?.price;
  assert.equal(long?.overrides?.[0]?.minPromptTokens, 271_999);
  assert.ok((long?.overrides?.[0]?.prompt ?? 0n) > (long?.prompt ?? 0n));
  const hourly = models.get('deepseek/deepseek-v4-pro')?.endpoints[0]?.price;
  assert.match(hourly?.overrides?.[0]?.utcStart ?? '', /^\d{4}$/);
});

test('a configured model is laid over the built-in one by id', async () => {
  const file = `
models:
  - id: openai/gpt-4o-mini
    name: House model
  - id: openai/gpt-4o
    endpoints: [{ provider: near, model: mirror-of-4o, price: { input: 1, output: 2 } }]
  - id: house/own
    endpoints: [{ provider: near, model: own, context_length: 1000 }, { provider: near, model: own, tag: near/big, context_length: 9000 }]
providers:
  near: { adapter: openai-chat, base_url: "http://127.0.0.1:9/v1/" }
`;
  const { models, providers } = await load(file, { OPENAI_API_KEY: 'x' });
  assert.equal(models.get('openai/gpt-4o-mini')?.name, 'House model');
  assert.equal(models.get('openai/gpt-4o-mini')?.endpoints[0]?.provider.slug, 'openai');
  const replaced = models.get('openai/gpt-4o');
  assert.deepEqual(
    replaced?.endpoints.map(({ upstreamModel }) => upstreamModel),
    ['mirror-of-4o'],
  );
  assert.ok(replaced?.inputModalities.includes('image'));
  assert.equal(models.get('house/own')?.contextLength, 9000);
  assert.equal(models.get('house/own')?.endpoints[0]?.price, undefined);
  assert.equal(providers.get('near')?.baseUrl, 'http://127.0.0.1:9/v1');
  assert.equal(providers.get('near')?.trainsOnPrompts, true);
});

test('an endpoint that states no length has that of its model, where the model states one', async () => {
  const { models } = await load(`
models:
  - id: house/stated
    context_length: 4000
    endpoints:
      - { provider: sandbox, model: echo }
      - { provider: sandbox, model: echo, tag: sandbox/long, context_length: 9000 }
  - id: house/derived
    endpoints:
      - { provider: sandbox, model: echo }
      - { provider: sandbox, model: echo, tag: sandbox/long, context_length: 9000 }
`);
  const lengths = (id: string) => models.get(id)?.endpoints.map(({ contextLength }) => contextLength);
  assert.deepEqual(lengths('house/stated'), [4000, 9000]);
  assert.deepEqual(lengths('house/derived'), [undefined, 9000]);
});

test('a model whose providers are out of service is left out with a warning', async () => {
  const { models, warnings } = await load(
    'models:\n  - { id: a/b, endpoints: [{ provider: groq, model: x, price: { input: 1, output: 1 } }] }\n  - { id: openai/gpt-4o, name: X }\n',
  );
  assert.equal(models.has('a/b'), false);
  assert.deepEqual(warnings, [
    'headgate.yaml:2: models[0]: "a/b" is not served: it has no endpoint among the providers in service',
    'headgate.yaml:3: models[1]: "openai/gpt-4o" is not served: no built-in model has this id among the providers in service',
  ]);
});

test('a credential from the environment goes to its own provider only', async () => {
  const moved = 'providers: { openai: { base_url: "http://127.0.0.1:9/v1" } }';
  const { providers, warnings } = await load(moved, { OPENAI_API_KEY: 'sk-x' });
  assert.equal(providers.get('openai')?.apiKey, undefined);
  assert.deepEqual(warnings, [
    'headgate.yaml:1: providers.openai: OPENAI_API_KEY is not sent to another base_url; add api_key if it needs one',
  ]);
  const bare = await load('providers: { openai: { timeouts: { connect: 1s } } }');
  assert.deepEqual(bare.warnings, [
    'headgate.yaml:1: providers.openai: no credential: set OPENAI_API_KEY or add api_key',
  ]);
  assert.equal(bare.providers.get('openai')?.timeouts.connect, 1000);
});

test('a built-in provider put in service without a credential serves with those of accounts alone', async () => {
  const { providers, models } = await load('providers:\n  openai: {}\n  groq: { api_key: key-of-groq }\n');
  assert.equal(providers.get('openai')?.ownCredentialsOnly, true);
  assert.equal(providers.get('groq')?.ownCredentialsOnly, undefined);
  assert.ok([...models.keys()].some((id) => id.startsWith('openai/')));
  const addressed = await load('providers:\n  openai: { base_url: http://127.0.0.1:9000/v1 }\n');
  assert.equal(addressed.providers.get('openai')?.ownCredentialsOnly, undefined, 'a server of the operator');
});

test('models are discovered at Ollama and at own providers without models, unless the file says otherwise', async () => {
  const local = (members: string) => `{ adapter: openai-chat, base_url: "http://127.0.0.1:9/v1"${members} }`;
  const file = [
    'providers:',
    `  alone: ${local('')}`,
    `  named: ${local('')}`,
    `  both: ${local(', discover: true')}`,
    `  off: ${local(', discover: false')}`,
    '  maker: { adapter: anthropic-messages, base_url: "http://127.0.0.1:9/v1" }',
    '  groq: { api_key: x }',
    'models:',
    '  - { id: a/one, endpoints: [{ provider: named, model: one }] }',
    '  - { id: a/two, endpoints: [{ provider: both, model: two }] }',
  ].join('\n');
  const { providers } = await load(file, { OLLAMA_HOST: '127.0.0.1' });
  const discovering = [...providers.values()].filter(({ discovers }) => discovers === true);
  assert.deepEqual(discovering.map(({ slug }) => slug).sort(), ['alone', 'both', 'ollama']);
  const off = await load('providers: { ollama: { discover: false } }', { OLLAMA_HOST: '127.0.0.1' });
  assert.equal(off.providers.get('ollama')?.discovers, undefined);
});
