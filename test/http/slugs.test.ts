import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readCatalogue } from '../support/catalogue-file.ts';
import { checkContract } from '../support/contract.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';

const endpoint = 'endpoints: [{ provider: sandbox, model: echo }]';
const file = `
catalog: none
models:
  - { id: acme/atlas-4, family: atlas, created: 4, aliases: [oldco/atlas], fast_sibling: acme/atlas-4-fast, ${endpoint} }
  - { id: acme/atlas-4-fast, ${endpoint} }
  - { id: acme/atlas-3, family: atlas, created: 3, fast_sibling: acme/atlas-3-fast, ${endpoint} }
  - { id: acme/atlas-3-fast, expiration_date: '2020-01-31', ${endpoint} }
  - { id: acme/ibis, fast_sibling: acme/ibis-fast, ${endpoint} }
  - { id: acme/ibis-fast, endpoints: [{ provider: sandbox, model: echo, status: disabled }] }
  - { id: acme/atlas-2, expiration_date: '2020-01-31', successor: acme/atlas-4 }
  - { id: 'acme/atlas-4:free', retired: true }
  - { id: acme/lost, family: lost, retired: true }
  - id: acme/tiers
    endpoints: [{ provider: sandbox, model: echo }, { provider: sandbox, model: echo, tier: flex }]
`;

let gateway: TestGateway;

before(async () => {
  gateway = await startGateway({ models: [], config: { catalogue: await readCatalogue(file) } });
});

after(() => gateway.stop());

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: an answer or a problem, each checked by its test.
  readonly body: any;
}

async function ask(fields: object): Promise<Answer> {
  const response = await gateway.post({ input: 'Hi', ...fields }, { 'x-service-metadata': 'enabled' });
  return { status: response.status, body: await response.json() };
}

test('a body may name a model by any of its slugs; the answer names the model', async () => {
  const cases: [string, string, string][] = [
    ['acme/atlas-4', 'acme/atlas-4', 'direct'],
    ['ACME/atlas-4:floor', 'acme/atlas-4', 'direct'],
    ['oldco/atlas', 'acme/atlas-4', 'alias'],
    ['~acme/atlas-latest', 'acme/atlas-4', 'latest'],
  ];
  for (const [model, served, strategy] of cases) {
    const { status, body } = await ask({ model });
    assert.equal(status, 200, JSON.stringify(body));
    const { requested, strategy: told } = body.service_metadata;
    assert.deepEqual([body.model, requested, told], [served, model, strategy]);
  }
});

test('the fast sibling serves the priority tier', async () => {
  for (const service_tier of ['priority', 'fast']) {
    assert.equal((await ask({ model: 'acme/atlas-4', service_tier })).body.model, 'acme/atlas-4-fast');
  }
  assert.equal((await ask({ model: 'acme/atlas-4', service_tier: 'default' })).body.model, 'acme/atlas-4');
  for (const model of ['acme/atlas-3', 'acme/ibis']) {
    const { body } = await ask({ model, service_tier: 'fast' });
    assert.equal(body.model, model, 'its sibling is out of service');
  }
});

test('the slug of a provider names no tier that was not asked for', async () => {
  const total = async (only: string, service_tier?: string) => {
    const { status, body } = await ask({ model: 'acme/tiers', provider: { only: [only] }, service_tier });
    assert.equal(status, 200, JSON.stringify(body));
    return body.service_metadata.endpoints.total;
  };
  assert.equal(await total('sandbox'), 1);
  assert.equal(await total('sandbox/flex'), 2);
  assert.equal(await total('sandbox', 'flex'), 2);
});

test('a slug that leads nowhere says why and what to use', async () => {
  const cases: [string, number, string, readonly string[] | undefined][] = [
    ['acme/atlas-2', 404, 'model_deprecated', ['acme/atlas-4']],
    ['acme/atlas-4:free', 404, 'free_variant_ended', ['acme/atlas-4']],
    ['~acme/lost-latest', 404, 'no_endpoints', undefined],
    ['acme/none', 400, 'model_not_found', undefined],
    ['~acme/none-latest', 400, 'model_not_found', undefined],
  ];
  for (const [model, expected, code, successors] of cases) {
    const { status, body } = await ask({ model });
    checkContract(status === 404 ? 'NotFoundResponse' : 'BadRequestResponse', body);
    checkContract('ServiceMetadata', body.service_metadata);
    const { availability } = body.error.metadata;
    assert.deepEqual([status, availability.code], [expected, code], model);
    if (successors !== undefined) assert.deepEqual(availability.fallback_models, successors);
  }
});

test('variants that exclude each other are refused in a short message, however many there are', async () => {
  const two = await ask({ model: 'acme/atlas-4:nitro:floor' });
  assert.deepEqual(
    [two.status, two.body.error.message],
    [400, 'model: "acme/atlas-4:nitro:floor": the variants nitro and floor do not go together'],
  );
  const many = await ask({ model: `acme/atlas-4${':nitro'.repeat(10_000)}` });
  assert.equal(many.status, 400);
  assert.ok(many.body.error.message.length < 300, many.body.error.message.slice(0, 400));
});

test('a changed file counts at once, and latest aliases follow it', async () => {
  const changed = file.replace('created: 3', 'created: 5');
  gateway.server.replaceConfig(configOf({ models: [], config: { catalogue: await readCatalogue(changed) } }));
  assert.equal((await ask({ model: '~acme/atlas-latest' })).body.model, 'acme/atlas-3');
});

test('the pseudonym of a user nobody named is no alteration', async () => {
  const strict = { 'x-service-strict': 'true', 'x-service-metadata': 'enabled' };
  const plain = await gateway.post({ model: 'acme/atlas-4', input: 'Hi' }, strict);
  const body = (await plain.json()) as { readonly service_metadata: { readonly pipeline?: unknown } };
  assert.deepEqual([plain.status, body.service_metadata.pipeline], [200, undefined]);
  const named = await gateway.post({ model: 'acme/atlas-4', input: 'Hi', user: 'ann' }, strict);
  assert.equal(named.status, 422, 'the sandbox has no such setting');
});

test('a slug of any length is told, and logged, by its beginning', async () => {
  const before = gateway.log.length;
  const slugs = ['a', '/', ':', '"', 'a:'].map((piece) => `acme/atlas-4:${piece.repeat(100_000)}`);
  for (const model of slugs) {
    const response = await gateway.post({ model, input: 'Hello' });
    assert.equal(response.status, 400);
    const text = await response.text();
    assert.match(text, /"error_type":"invalid_request"/);
    assert.ok(text.length < 2_000, `${text.length} characters are answered`);
  }
  const lines = gateway.log.slice(before);
  assert.equal(lines.length, slugs.length);
  for (const line of lines) assert.ok(line.length < 2_000, `${line.length} characters are logged`);
});
