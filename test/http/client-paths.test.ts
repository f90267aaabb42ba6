import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const frugal = { supportedParameters: new Set(['tools']) };
  const models = [
    modelOf('acme/atlas-4', [north]),
    modelOf('acme/frugal', [north], frugal),
    modelOf('acme/mute', [north], { supportedParameters: new Set(['max_tokens']) }),
  ];
  gateway = await startGateway({ models, config: { compat: compat({ byokCreatedStatus: 201 }) } });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const compat = (fields: object) => ({
  aliases: [],
  byokCreatedStatus: 200,
  unavailableTools: 'refuse' as const,
  modelAliases: {},
  claudeIds: true,
  closeStreams: false,
  echoModel: false,
  ...fields,
});
const clientAt = (base: string) =>
  new OpenAI({ baseURL: gateway.url + base, apiKey: gateway.key, maxRetries: 0 });
const get = (path: string) => callApi(gateway, gateway.key, 'GET', path);

test('a client library may take either base path', async () => {
  for (const base of ['/api/v1', '/v1']) {
    const client = clientAt(base);
    const answer = await client.responses.create({ model: 'acme/atlas-4', input: 'Hello' });
    assert.equal(answer.output_text, 'Good day.', base);
    const listed = (await client.models.list()).data.map(({ id }) => id);
    assert.deepEqual(
      listed.toSorted(),
      ['acme/atlas-4', 'acme/frugal', 'acme/mute', 'service/auto', 'service/auto-beta'],
      base,
    );
  }
});

test('the document shows the main base path alone', async () => {
  const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
    readonly servers: unknown;
    readonly paths: object;
  };
  assert.deepEqual(document.servers, [{ url: '/api/v1' }]);
  assert.deepEqual(
    Object.keys(document.paths).filter((path) => path.startsWith('/v1') || path.includes('/models/{id}')),
    [],
  );
});

test('a model is one thing at each of its paths, as a client library asks for it or not', async () => {
  const { data } = (await get('/model/acme/atlas-4')).body;
  for (const path of ['/models/acme/atlas-4', '/models/acme%2Fatlas-4', '/model/acme%2fatlas-4']) {
    assert.deepEqual((await get(path)).body.data, data, path);
  }
  const retrieved: unknown = await clientAt('/v1').models.retrieve('acme/atlas-4');
  assert.deepEqual((retrieved as { readonly data: unknown }).data, data);
  const endpoints = (await get('/models/acme/atlas-4/endpoints')).body;
  assert.deepEqual((await get('/models/acme%2Fatlas-4/endpoints')).body, endpoints);
  const unknown = await get('/models/acme%2Fnobody');
  assert.equal(unknown.status, 404);
  assert.equal(unknown.body.error.metadata.availability.code, 'model_not_found');
});

test('endpoints say which choices of tools they serve', async () => {
  const choicesOf = async (model: string) =>
    (await get(`/models/acme/${model}/endpoints`)).body.data.endpoints[0].supports_tool_choice;
  assert.deepEqual(await choicesOf('atlas-4'), { none: true, auto: true, required: true, function: true });
  assert.deepEqual(await choicesOf('frugal'), { none: true, auto: true, required: false, function: false });
  assert.deepEqual(await choicesOf('mute'), { none: false, auto: false, required: false, function: false });
  const zdr = (await get('/endpoints/zdr')).body.data;
  assert.equal(zdr.length, 3);
  for (const { supports_tool_choice: choices } of zdr) assert.equal(typeof choices.auto, 'boolean');
});

test('a path that nothing is at names one that serves the purpose', async () => {
  const advice = async (method: string, path: string) => {
    const response = await fetch(gateway.url + path, { method });
    assert.equal(response.status, 404, path);
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    return error.message.replace(`There is nothing at ${method} ${path}. `, '');
  };
  const base = 'the base address of this interface ends in /api/v1.';
  assert.equal(await advice('POST', '/responses'), `Use POST, GET /api/v1/responses: ${base}`);
  assert.equal(await advice('POST', '/api/responses'), `Use POST, GET /api/v1/responses: ${base}`);
  assert.equal(await advice('POST', '/v1/v1/responses'), `Use POST, GET /api/v1/responses: ${base}`);
  assert.equal(await advice('GET', '/openai/models'), `Use GET /api/v1/models: ${base}`);
  assert.match(
    await advice('POST', '/v1/completions'),
    /^For this purpose there is POST \/api\/v1\/chat\/completions\.$/,
  );
  assert.match(
    await advice('GET', '/api/v1/keys/a/b'),
    /^There is .*\/api\/v1\/keys; .*\/api\/v1\/keys\/\{hash\}[;.]/,
  );
  for (const [method, path, here] of [
    ['GET', '/v1/responses/resp_68af', 'GET /api/v1/generation'],
    ['GET', '/v1/chat/completions/gen-1', 'GET /api/v1/generation'],
    ['POST', '/v1/images/generations', 'POST /api/v1/chat/completions'],
    ['POST', '/v1/audio/transcriptions', 'POST /api/v1/chat/completions'],
    ['POST', '/v1beta/models/gemini-3-pro:streamGenerateContent', 'POST /api/v1/chat/completions'],
    ['POST', '/v1beta/models/embedding-1:embedContent', 'POST /api/v1/embeddings'],
    ['POST', '/api/generate', 'POST /api/v1/chat/completions'],
    ['POST', '/api/embed', 'POST /api/v1/embeddings'],
    ['GET', '/api/tags', 'GET /api/v1/models'],
    ['GET', '/model_group/info', 'GET /api/v1/models'],
    ['GET', '/key/info', 'GET /api/v1/key'],
    ['POST', '/key/generate', 'GET, POST /api/v1/keys'],
    ['GET', '/v1/dashboard/billing/credit_grants', 'GET /api/v1/credits'],
    ['GET', '/v1/organization/costs', 'GET /api/v1/activity'],
    ['GET', '/healthz', 'GET /health/live'],
  ] as const) {
    assert.equal(await advice(method, path), `For this purpose there is ${here}.`, `${method} ${path}`);
  }
  assert.equal(await advice('GET', '/nowhere'), 'GET /docs describes every path.');
});

test('the refusal of an unknown provider names the list of those that take credentials', async () => {
  const key = await gateway.createKey({ kind: 'management', workspaceId: null });
  const refused = await callApi(gateway, key, 'POST', '/byok', { provider: 'North', key: 'x' });
  assert.match(refused.body.error.message, /GET \/api\/v1\/providers\?all=true/);
  const slugs = async (query: string): Promise<string[]> =>
    (await get(`/providers${query}`)).body.data.map(({ slug }: { readonly slug: string }) => slug);
  assert.deepEqual(await slugs(''), ['north']);
  const all = await slugs('?all=true');
  assert.ok(all.includes('north') && all.length > 50);
  assert.equal(new Set(all).size, all.length);
  for (const provider of ['openai', 'north']) {
    const made = await callApi(gateway, key, 'POST', '/byok', { provider, key: 'sk-1234567890' });
    assert.equal(made.status, 201, provider);
  }
  assert.ok(all.includes('openai'));
});

test('a method that a path does not take is refused with those it takes', async () => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`);
  assert.deepEqual([response.status, response.headers.get('allow')], [405, 'POST']);
  await response.arrayBuffer();
});

test('a body sent with GET or DELETE is ignored', async () => {
  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  const { hash } = (await callApi(gateway, management, 'POST', '/keys', { name: 'short-lived' })).body.data;
  for (const [method, path] of [
    ['GET', `/api/v1/keys/${hash}`],
    ['DELETE', `/api/v1/keys/${hash}`],
  ] as const) {
    for (const type of ['application/json', 'text/plain']) {
      const status = await sendBody(method, path, management, type);
      // The second DELETE finds the key gone.
      assert.equal(status, method === 'DELETE' && type === 'text/plain' ? 404 : 200, `${method} ${type}`);
    }
  }
});

/** Sends a body that is no JSON, which `fetch` refuses to send with GET. */
function sendBody(method: string, path: string, key: string, type: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const body = '{not json';
    const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-length': body.length };
    const sent = request(gateway.url + path, { method, headers }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    sent.on('error', reject).end(body);
  });
}
