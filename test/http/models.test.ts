import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Catalogue } from '../../src/core/catalogue.ts';
import { readCatalogue } from '../support/catalogue-file.ts';
import { checkContract, checkContractAt } from '../support/contract.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

const file = `
catalog: none
providers:
  sandbox: { enabled: false }
  north:
    name: OpenAI
    adapter: sandbox
    retains_prompts: false
    trains_on_prompts: false
    privacy_policy_url: https://north.example/privacy
    headquarters: DE
    datacenters: [DE, FR]
  south: { name: Groq, adapter: sandbox, status_page_url: https://south.example/status }
models:
  - id: acme/atlas-4
    canonical_slug: acme/atlas-4-20260301
    name: Atlas 4
    description: Writes programs and prose
    family: atlas
    created: 1772323200
    aliases: [acme/atlas-4-0, oldco/atlas]
    categories: [programming, marketing/seo]
    distillable: true
    tokenizer: GPT
    default_parameters: { temperature: 0.7 }
    hugging_face_id: acme/atlas-4-weights
    input_modalities: [text, image]
    knowledge_cutoff: '2025-06-30'
    benchmarks:
      intelligence_index: 61.5
      coding_index: 50
      arenas: [{ arena: models, category: code, elo: 1300.5, win_rate: 61, rank: 3 }]
    reasoning: { default_enabled: true, default_effort: medium, supported_efforts: [high, medium, low] }
    endpoints:
      - provider: south
        model: atlas
        context_length: 64000
        price: { input: 3, output: 15, cache_read: 0.3, discount: 0.1, overrides: [{ min_prompt_tokens: 32000, input: 6 }] }
        data_region: europe
        quantization: fp8
        supported_parameters: [tools, temperature]
      - { provider: north, model: atlas, context_length: 128000, max_prompt_tokens: 100000, price: { input: 4, output: 20 }, implicit_caching: true }
      - { provider: north, model: atlas, tag: north/priority, tier: priority, price: { input: 8, output: 40 } }
      - { provider: north, model: atlas, tag: north/old, status: deprecated, price: { input: 1, output: 1 } }
      - { provider: north, model: atlas, tag: north/off, status: disabled, price: { input: 1, output: 1 } }
  - id: acme/atlas-3
    name: Atlas 3
    family: atlas
    created: 1740000000
    endpoints: [{ provider: south, model: echo, context_length: 32000, price: { input: 5, output: 2, overrides: [{ input: 1 }] } }]
  - id: acme/atlas-2
    retired: true
    successor: acme/atlas-4
  - id: acme/atlas-4:free
    retired: true
  - id: acme/dune
    hidden: true
    endpoints: [{ provider: south, model: dune }]
  - id: acme/hermit
    accounts: [nobody]
    endpoints: [{ provider: south, model: echo }]
  - id: globex/ibis-mini
    created: 1760000000
    benchmarks: { intelligence_index: 40, coding_index: 70 }
    endpoints: [{ provider: south, model: ibis, context_length: 200000 }]
  - id: globex/ibis-voice
    output_modalities: [audio]
    created: 1750000000
    endpoints: [{ provider: south, model: ibis, price: { input: 2, output: 2 } }]
`;

let catalogue: Catalogue;
let gateway: TestGateway;

before(async () => {
  catalogue = await readCatalogue(file);
  gateway = await startGateway({ models: [], config: { catalogue } });
});

after(() => gateway.stop());

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
async function get(path: string, status = 200, headers: Record<string, string> = {}): Promise<any> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, { headers });
  const body = await response.json();
  assert.equal(response.status, status, JSON.stringify(body));
  return body;
}

/** The ids of a list; routers, which test/http/routers.test.ts covers, left out. */
const ids = async (query: string, headers?: Record<string, string>): Promise<string[]> => {
  const { data } = await get(`/models${query}`, 200, headers);
  const listed: string[] = data.map(({ id }: { id: string }) => id);
  return listed.filter((id) => !id.startsWith('service/'));
};

const all = ['acme/atlas-4', 'acme/atlas-3', 'globex/ibis-mini', '~acme/atlas-latest'];

test('the list holds what may be seen, with everything known of it', async () => {
  const body = await get('/models');
  checkContract('ModelsListResponse', body);
  assert.deepEqual([body.total_count, body.links.next], [6, null]);
  assert.deepEqual(await ids(''), all);
  const [atlas, , , latest] = body.data;
  const owners = [atlas, latest].flatMap(({ object, owned_by }) => [object, owned_by]);
  assert.deepEqual([body.object, ...owners], ['list', 'model', 'acme', 'model', 'acme']);
  assert.deepEqual(
    [atlas.pricing.prompt, atlas.pricing.discount, atlas.pricing.overrides],
    ['0.0000027', 0.1, [{ min_prompt_tokens: 32000, prompt: '0.0000054' }]],
  );
  assert.deepEqual(atlas.architecture, {
    modality: 'text+image->text',
    input_modalities: ['text', 'image'],
    output_modalities: ['text'],
    tokenizer: 'GPT',
    instruct_type: null,
  });
  assert.equal(atlas.benchmarks.design_arena[0].win_rate, 61);
  assert.deepEqual(atlas.reasoning, {
    mandatory: false,
    default_enabled: true,
    default_effort: 'medium',
    supported_efforts: ['high', 'medium', 'low'],
  });
  assert.deepEqual(latest.alias_target, { slug: 'acme/atlas-4', name: 'Atlas 4' });
  assert.deepEqual(
    [latest.context_length, latest.pricing, latest.links.details],
    [atlas.context_length, atlas.pricing, '/api/v1/models/~acme/atlas-latest/endpoints'],
  );
});

test('each filter keeps what it says', async () => {
  const cases: [string, readonly string[]][] = [
    ['output_modalities=all', [...all.slice(0, 3), 'globex/ibis-voice', '~acme/atlas-latest']],
    ['output_modalities=audio', ['globex/ibis-voice']],
    ['input_modalities=text,image', ['acme/atlas-4', '~acme/atlas-latest']],
    ['supported_parameters=tools', all],
    ['supported_parameters=tools,temperature', ['acme/atlas-4', '~acme/atlas-latest']],
    ['supported_parameters=reasoning', ['acme/atlas-4', '~acme/atlas-latest']],
    ['category=marketing/seo', ['acme/atlas-4', '~acme/atlas-latest']],
    ['category=law', []],
    ['q=PROSE%20atlas', ['acme/atlas-4', '~acme/atlas-latest']],
    ['context=64001', ['globex/ibis-mini']],
    ['min_price=2', ['acme/atlas-4', '~acme/atlas-latest']],
    ['max_price=1', ['acme/atlas-3']],
    ['max_output_price=13.5&min_output_price=2.5', ['acme/atlas-4', '~acme/atlas-latest']],
    ['arch=gpt', ['acme/atlas-4', '~acme/atlas-latest']],
    ['model_authors=globex', ['globex/ibis-mini']],
    ['providers=openai', ['acme/atlas-4', '~acme/atlas-latest']],
    ['providers=south', all],
    ['distillable=true', ['acme/atlas-4', '~acme/atlas-latest']],
    ['distillable=false', ['acme/atlas-3', 'globex/ibis-mini']],
    ['zdr=true', ['acme/atlas-4', '~acme/atlas-latest']],
    ['region=eu', ['acme/atlas-4', '~acme/atlas-latest']],
    ['region=us', []],
    ['min_intelligence_index=41', ['acme/atlas-4', '~acme/atlas-latest']],
    ['max_coding_index=70&min_coding_index=60', ['globex/ibis-mini']],
    ['min_tool_success_rate=0.5', []],
    ['max_age_days=0', []],
    ['min_age_days=1', all],
  ];
  for (const [query, expected] of cases) {
    if (query === 'category=law')
      assert.match((await get('/models?category=law', 400)).error.message, /^category: /);
    else assert.deepEqual(await ids(`?${query}`), expected, query);
  }
});

test('what a query cannot mean is refused by the name of the parameter', async () => {
  for (const query of [
    'use_rss=true',
    'sort=best',
    'limit=0',
    'limit=1001',
    'limit=x',
    'offset=-1',
    'context=long',
    'max_price=-1',
    'max_price=0.0000001',
    'output_modalities=smell',
    'input_modalities=',
    'region=mars',
    'zdr=false',
    'distillable=maybe',
    'min_age_days=1&min_age_days=2',
  ]) {
    if (query === 'input_modalities=') assert.deepEqual(await ids(`?${query}`), all, 'empty is absent');
    else {
      const body = await get(`/models?${query}`, 400);
      checkContract('BadRequestResponse', body);
      assert.ok(body.error.message.startsWith(`${query.split('=')[0]}: `), body.error.message);
    }
  }
});

test('each sort orders, and what has no data comes last', async () => {
  const cases: [string, readonly string[]][] = [
    ['pricing-low-to-high', ['acme/atlas-3', 'acme/atlas-4', '~acme/atlas-latest', 'globex/ibis-mini']],
    ['pricing-high-to-low', ['acme/atlas-4', '~acme/atlas-latest', 'acme/atlas-3', 'globex/ibis-mini']],
    ['newest', ['acme/atlas-4', '~acme/atlas-latest', 'globex/ibis-mini', 'acme/atlas-3']],
    ['context-high-to-low', ['globex/ibis-mini', 'acme/atlas-4', '~acme/atlas-latest', 'acme/atlas-3']],
    ['intelligence-high-to-low', ['acme/atlas-4', '~acme/atlas-latest', 'globex/ibis-mini', 'acme/atlas-3']],
    ['coding-high-to-low', ['globex/ibis-mini', 'acme/atlas-4', '~acme/atlas-latest', 'acme/atlas-3']],
    ['agentic-high-to-low', all],
    [
      'design-arena-elo-high-to-low',
      ['acme/atlas-4', '~acme/atlas-latest', 'acme/atlas-3', 'globex/ibis-mini'],
    ],
    ['throughput-high-to-low', all],
    ['latency-low-to-high', all],
    ['most-popular', all],
  ];
  for (const [sort, expected] of cases) assert.deepEqual(await ids(`?sort=${sort}`), expected, sort);
});

test('popularity counts the tokens of the week', async () => {
  const other = await startGateway({ models: [], config: { catalogue } });
  try {
    const headers = { authorization: `Bearer ${other.key}` };
    const answer = await other.post({ model: 'acme/atlas-3', input: 'Hello there' });
    assert.equal(answer.status, 200);
    const list = await fetch(`${other.url}/api/v1/models?sort=top-weekly`, { headers });
    assert.match(await list.text(), /^\{"data":\[\{"id":"acme\/atlas-3"/);
  } finally {
    await other.stop();
  }
});

test('pages follow each other to the end and keep the filters', async () => {
  const seen: string[] = [];
  let next: string | null = '/api/v1/models?limit=1&model_authors=acme&sort=newest';
  while (next !== null) {
    const body = await get(next.replace('/api/v1', ''));
    assert.equal(body.total_count, 3);
    seen.push(...body.data.map(({ id }: { id: string }) => id));
    next = body.links.next;
  }
  assert.deepEqual(seen, ['acme/atlas-4', '~acme/atlas-latest', 'acme/atlas-3']);
  assert.deepEqual(await ids('?offset=99'), []);
});

test('models are counted as they are listed', async () => {
  const body = await get('/models/count?output_modalities=all');
  checkContract('ModelsCountResponse', body);
  assert.deepEqual(body, { data: { count: 7 } });
  assert.deepEqual(await get('/models/count'), { data: { count: 6 } });
});

test('a model is found by id, former id, canonical slug, variant and alias; case does not matter', async () => {
  for (const slug of [
    'acme/atlas-4',
    'ACME/Atlas-4',
    'acme/atlas-4-20260301',
    'acme/atlas-4-0',
    'oldco/atlas',
  ]) {
    const body = await get(`/model/${slug}`);
    checkContract('ModelResponse', body);
    assert.deepEqual([body.data.id, body.data.alias_target], ['acme/atlas-4', undefined], slug);
  }
  assert.equal((await get('/model/acme/atlas-4:nitro')).data.id, 'acme/atlas-4');
  assert.equal((await get('/model/acme/dune')).data.id, 'acme/dune', 'hidden from lists only');
  const latest = await get('/model/~acme/atlas-latest');
  checkContract('ModelResponse', latest);
  assert.deepEqual([latest.data.id, latest.data.alias_target.slug], ['~acme/atlas-latest', 'acme/atlas-4']);
});

test('a path that names no model says why', async () => {
  const cases: [string, string, readonly string[] | undefined][] = [
    ['acme/nothing', 'model_not_found', undefined],
    ['acme/hermit', 'model_not_found', undefined],
    ['acme/atlas-4:nitro:floor', 'model_not_found', undefined],
    ['acme/atlas-2', 'model_deprecated', ['acme/atlas-4']],
    ['acme/atlas-4:free', 'free_variant_ended', ['acme/atlas-4']],
    ['~acme/nothing-latest', 'model_not_found', undefined],
  ];
  for (const [slug, code, successors] of cases) {
    for (const path of [`/model/${slug}`, `/models/${slug}/endpoints`]) {
      const body = await get(path, 404);
      checkContract('NotFoundResponse', body);
      const { availability } = body.error.metadata;
      assert.deepEqual([availability.code, availability.fallback_models], [code, successors], path);
    }
  }
});

test('the endpoints of a model have their own prices and tiers; figures need a key', async () => {
  const pointer =
    '/paths/~1models~1{author}~1{slug}~1endpoints/get/responses/200/content/application~1json/schema';
  const body = await get('/models/oldco/atlas/endpoints');
  checkContractAt(pointer, body);
  assert.equal(body.data.id, 'acme/atlas-4');
  const shown = body.data.endpoints.map((one: Record<string, unknown>) => [
    one.tag,
    (one.pricing as { prompt: string }).prompt,
    one.status,
    one.max_prompt_tokens,
    one.supports_implicit_caching,
    one.quantization,
  ]);
  assert.deepEqual(shown, [
    ['south', '0.0000027', 0, null, false, 'fp8'],
    ['north', '0.000004', 0, 100000, true, null],
    ['north/priority', '0.000008', 0, null, false, null],
    ['north/old', '0.000001', -5, null, false, null],
  ]);
  assert.equal(body.data.endpoints[0].latency_last_30m, null);
});

test('providers and endpoints that keep nothing', async () => {
  const providers = await get('/providers');
  checkContractAt('/paths/~1providers/get/responses/200/content/application~1json/schema', providers);
  assert.deepEqual(providers.data[0], {
    name: 'OpenAI',
    slug: 'north',
    privacy_policy_url: 'https://north.example/privacy',
    terms_of_service_url: null,
    status_page_url: null,
    headquarters: 'DE',
    datacenters: ['DE', 'FR'],
  });
  const zdr = await get('/endpoints/zdr');
  checkContractAt('/paths/~1endpoints~1zdr/get/responses/200/content/application~1json/schema', zdr);
  assert.deepEqual(
    zdr.data.map(({ tag }: { tag: string }) => tag),
    ['north', 'north/priority', 'north/old'],
  );
});

test('private models exist for the accounts named alone', async () => {
  const own = await readCatalogue(file.replace('accounts: [nobody]', `accounts: [${gateway.account.id}]`));
  const other = await startGateway({ models: [], config: { catalogue: own } });
  try {
    assert.equal((await other.post({ model: 'acme/hermit', input: 'Hi' })).status, 400);
    assert.equal((await other.get('/api/v1/model/acme/hermit')).status, 404);
  } finally {
    await other.stop();
  }
  gateway.server.replaceConfig(configOf({ models: [], config: { catalogue: own } }));
  const headers = { authorization: `Bearer ${gateway.key}` };
  assert.ok((await ids('', headers)).includes('acme/hermit'), 'without a restart');
  assert.ok(!(await ids('')).includes('acme/hermit'));
  assert.ok(!(await ids('', { authorization: 'Bearer wrong' })).includes('acme/hermit'));
  assert.equal((await gateway.post({ model: 'acme/hermit', input: 'Hi' })).status, 200);
  assert.equal((await get('/models/user', 200, headers)).data.length, 7);
  await get('/models/user', 401);
});
