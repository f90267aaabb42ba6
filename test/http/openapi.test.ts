import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { schema: object }>> }>
  >;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

let gateway: TestGateway;
let managementKey: string;
let openApi: Document;
const ajv = new Ajv2020({ strict: false, validateFormats: false });

before(async () => {
  const north = providerOf({ slug: 'north', name: 'NorthGPU', adapter: 'sandbox' });
  const echo = modelOf('acme/echo', [north]);
  gateway = await startGateway({ models: [{ ...echo, endpoints: echo.endpoints }] });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  openApi = (await (await gateway.get('/openapi.json')).json()) as Document;
  ajv.addSchema(openApi as object, 'own');
});

after(() => gateway.stop());

const operations = () =>
  Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('every operation of the document is there, under a name of its own, and refuses strangers as it says', async () => {
  const names = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { path, method, operation } of operations()) {
    const url = `${gateway.url}/api/v1${path
      .replace('{author}', 'acme')
      .replace('{slug}', 'echo')
      .replace(/\{\w+\}/, 'x')}`;
    const response = await fetch(url, { method: method.toUpperCase() });
    const expected = operation.security?.length === 0 ? 200 : 401;
    assert.equal(response.status, expected, `${method} ${path}: ${await response.text()}`);
  }
});

test('every reference of the document leads somewhere', () => {
  for (const [, name = ''] of JSON.stringify(openApi).matchAll(/"#\/components\/schemas\/(\w+)["/]/g)) {
    assert.ok(name in openApi.components.schemas, name);
  }
});

async function checkAnswer(
  method: string,
  path: string,
  written: string,
  body?: object,
  key = managementKey,
) {
  const response = await fetch(`${gateway.url}/api/v1${written}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  const operation = openApi.paths[path]?.[method.toLowerCase()];
  const content = operation?.responses[String(response.status)]?.content?.['application/json'];
  assert.ok(content !== undefined, `${method} ${written}: ${response.status} ${JSON.stringify(answer)}`);
  const { $ref } = content.schema as { readonly $ref: string };
  assert.ok(ajv.validate({ $ref: `own${$ref}` }, answer), `${method} ${written}: ${ajv.errorsText()}`);
  return { response, answer };
}

test('what the catalogue answers fits the document', async () => {
  for (const [path, written] of [
    ['/models', '/models?sort=newest&limit=1'],
    ['/models', '/models?sort=worst'],
    ['/models/count', '/models/count'],
    ['/models/user', '/models/user'],
    ['/model/{author}/{slug}', '/model/acme/echo'],
    ['/model/{author}/{slug}', '/model/acme/none'],
    ['/models/{author}/{slug}/endpoints', '/models/acme/echo/endpoints'],
    ['/endpoints/zdr', '/endpoints/zdr'],
    ['/providers', '/providers'],
    ['/key', '/key'],
  ] as const) {
    await checkAnswer('GET', path, written);
  }
  const asked = { model: 'acme/echo', input: 'Hi', tools: [{ type: 'custom', name: 'shout' }] };
  await checkAnswer('POST', '/responses/plan', '/responses/plan', asked, gateway.key);
  const refused = { ...asked, provider: { only: ['nobody'] } };
  await checkAnswer('POST', '/responses/plan', '/responses/plan', refused, gateway.key);
});

test('what the management interface answers fits the document', async () => {
  const { response } = await checkAnswer(
    'POST',
    '/responses',
    '/responses',
    { model: 'acme/echo', input: 'Hi' },
    gateway.key,
  );
  const id = response.headers.get('x-generation-id');
  await checkAnswer('GET', '/generation', `/generation?id=${id}`);
  const created = await checkAnswer('POST', '/keys', '/keys', { name: 'ci' });
  const { hash } = created.answer.data as { readonly hash: string };
  await checkAnswer('GET', '/keys', '/keys');
  await checkAnswer('GET', '/keys/{hash}', `/keys/${hash}`);
  await checkAnswer('PATCH', '/keys/{hash}', `/keys/${hash}`, { name: 'ci 2' });
  await checkAnswer('DELETE', '/keys/{hash}', `/keys/${hash}`);
  await checkAnswer('GET', '/keys/{hash}', `/keys/${hash}`);
  await checkAnswer('POST', '/keys', '/keys', {});
  await checkAnswer('GET', '/credits', '/credits');
  await checkAnswer('GET', '/activity', '/activity');
  const space = await checkAnswer('POST', '/workspaces', '/workspaces', { name: 'Lab', slug: 'lab' });
  const { id: spaceId } = space.answer.data as { readonly id: string };
  await checkAnswer('GET', '/workspaces', '/workspaces');
  await checkAnswer('GET', '/workspaces/{id}', `/workspaces/${spaceId}`);
  await checkAnswer('PATCH', '/workspaces/{id}', `/workspaces/${spaceId}`, { description: 'Trials' });
  await checkAnswer('DELETE', '/workspaces/{id}', `/workspaces/${spaceId}`);
  const credential = { provider: 'north', key: 'sk-own-0123456789abcdef' };
  const stored = await checkAnswer('POST', '/byok', '/byok', credential);
  const { id: credentialId } = stored.answer.data as { readonly id: string };
  await checkAnswer('GET', '/byok', '/byok');
  await checkAnswer('GET', '/byok/{id}', `/byok/${credentialId}`);
  await checkAnswer('PATCH', '/byok/{id}', `/byok/${credentialId}`, { is_fallback: true });
  await checkAnswer('DELETE', '/byok/{id}', `/byok/${credentialId}`);
});
