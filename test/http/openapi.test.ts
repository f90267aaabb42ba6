import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Price } from '../../src/core/catalogue.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import type { AppServices } from '../../src/edge/app-services.ts';
import { createRoutes, interfaceRows } from '../../src/interface/routes.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { checkerOf } from '../support/published-interface.ts';
import { readStream } from '../support/read-stream.ts';

interface Operation {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: readonly object[];
  readonly servers?: readonly { readonly url: string }[];
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly headers?: Readonly<Record<string, object>>;
        readonly content?: Readonly<Record<string, { schema: object }>>;
      }
    >
  >;
}

interface Document {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

const each = parsePricePerMillion(1);
const units: Required<Omit<Price, 'overrides' | 'discountBasisPoints'>> = {
  prompt: each,
  completion: each,
  reasoning: each,
  cacheRead: each,
  cacheWrite: each,
  cacheWriteLong: each,
  audioInput: each,
  audioCacheRead: each,
  audioOutput: each,
  imageToken: each,
  request: each,
  image: each,
  imageOutputToken: each,
  imageOutput: each,
  webSearch: each,
};
/** Everything that may cost something. */
const price: Price = {
  ...units,
  overrides: [{ ...units, minPromptTokens: 1000, utcStart: '0100', utcEnd: '0200' }],
  discountBasisPoints: 500,
};

let gateway: TestGateway;
let managementKey: string;
let openApi: Document;
let check: ReturnType<typeof checkerOf>;
before(async () => {
  const north = providerOf({ slug: 'north', name: 'NorthGPU', adapter: 'sandbox' });
  const names = ['echo', 'reason', 'tools', 'flaky'];
  gateway = await startGateway({ models: names.map((name) => modelOf(`acme/${name}`, [north], { price })) });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
  openApi = (await (await gateway.get('/openapi.json')).json()) as Document;
  check = checkerOf(openApi);
});

after(() => gateway.stop());

const operations = () =>
  Object.entries(openApi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

const baseOf = (operation: Operation) => (operation.servers ?? openApi.servers)[0]?.url;

test('every route of the server is in the document', () => {
  const described = operations().map(
    ({ path, method, operation }) => `${method.toUpperCase()} ${baseOf(operation)}${path}`,
  );
  // Rows only keep what they are given until they are asked.
  const config = configOf({ models: [] });
  const services: Partial<AppServices> = { config, storage: gateway.storage, clock: systemClock };
  const served = createRoutes(services as AppServices).api.map(({ method, path }) => `${method} ${path}`);
  const further = interfaceRows.flatMap(({ method, alsoAt = [] }) =>
    alsoAt.map((path) => `${method} ${path}`),
  );
  assert.deepEqual(served.sort(), [...described, ...further].sort());
});

test('every operation of the document is there, under a name of its own, and refuses strangers as it says', async () => {
  const names = operations().map(({ operation }) => operation.operationId);
  assert.equal(new Set(names).size, names.length);
  for (const { path, method, operation } of operations()) {
    const url = `${gateway.url}${baseOf(operation)}${path
      .replace('{author}', 'acme')
      .replace('{slug}', 'echo')
      .replace(/\{\w+\}/, 'x')}`;
    const response = await fetch(url, { method: method.toUpperCase() });
    const open = operation.security?.some((way) => Object.keys(way).length === 0);
    const expected = open || operation.security?.length === 0 ? 200 : 401;
    assert.equal(response.status, expected, `${method} ${path}: ${await response.text()}`);
  }
});

test('operations refuse keys of the other kind where the document says so, and nowhere else', async () => {
  for (const { path, method, operation } of operations()) {
    const { description = '' } = operation;
    const given = /Needs an inference key/.test(description) ? managementKey : gateway.key;
    const response = await fetch(`${gateway.url}${baseOf(operation)}${path.replaceAll(/\{\w+\}/g, 'x')}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${given}`, 'content-type': 'application/json' },
      ...(method === 'get' ? {} : { body: '{}' }),
    });
    const refused = /Needs (an inference|a management) key\.$/.test(description);
    // A stream of what goes on has no end.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const said = isStream ? '' : await response.text();
    assert.equal(response.status === 403, refused, `${method} ${path}: ${said}`);
    assert.ok(String(response.status) in operation.responses, `${method} ${path}: ${response.status}`);
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
  const { status, headers, body: answer } = await callApi(gateway, key, method, written, body);
  const operation = openApi.paths[path]?.[method.toLowerCase()];
  const content = operation?.responses[String(status)]?.content?.['application/json'];
  assert.ok(content !== undefined, `${method} ${written}: ${status} ${JSON.stringify(answer)}`);
  const { $ref } = content.schema as { readonly $ref: string };
  check($ref.replace('#/components/schemas/', ''), answer);
  return { headers, answer };
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
  const { headers } = await checkAnswer(
    'POST',
    '/responses',
    '/responses',
    { model: 'acme/echo', input: 'Hi' },
    gateway.key,
  );
  const id = headers.get('x-generation-id');
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
  await checkAnswer('GET', '/byok/terms', '/byok/terms');
  await checkAnswer('GET', '/providers/connections', '/providers/connections');
  await checkAnswer('POST', '/providers/{slug}/check', '/providers/north/check', {});
  await checkAnswer('GET', '/byok/{id}', `/byok/${credentialId}`);
  await checkAnswer('PATCH', '/byok/{id}', `/byok/${credentialId}`, { is_fallback: true });
  await checkAnswer('POST', '/byok/{id}/test', `/byok/${credentialId}/test`, {});
  await checkAnswer('DELETE', '/byok/{id}', `/byok/${credentialId}`);
});

test('the events of every kind of stream fit the document that the server gives of itself', async () => {
  const weather = {
    type: 'function',
    name: 'get_weather',
    parameters: { type: 'object', required: ['city'], properties: { city: { type: 'string' } } },
  };
  const custom = { type: 'custom', name: 'shout' };
  const failing = { model: 'acme/flaky', input: 'disconnect-after-3' };
  const content = openApi.paths['/responses']?.post?.responses['200']?.content?.['text/event-stream'];
  assert.deepEqual(content?.schema, { $ref: '#/components/schemas/StreamEvent' });
  for (const [asked, expected] of [
    [{ model: 'acme/echo', input: 'Good day' }, ['response.output_text.delta', 'response.completed']],
    [{ model: 'acme/echo', input: 'One two three four', max_output_tokens: 2 }, ['response.incomplete']],
    [{ model: 'acme/reason', input: 'Why?' }, ['response.reasoning_text.delta', 'response.completed']],
    [
      { model: 'acme/tools', input: 'Rain?', tools: [weather] },
      ['response.function_call_arguments.delta', 'response.function_call_arguments.done'],
    ],
    [
      { model: 'acme/tools', input: 'Louder', tools: [custom] },
      ['response.custom_tool_call_input.delta', 'response.custom_tool_call_input.done'],
    ],
    [failing, ['error', 'response.failed']],
    [{ ...failing, input: 'malformed', debug: { echo_upstream_body: true } }, ['response.debug', 'error']],
  ] as const) {
    const response = await gateway.post({ ...asked, stream: true }, { 'x-service-metadata': 'enabled' });
    const { events } = await readStream(response);
    for (const event of events) check('StreamEvent', event);
    const types = new Set(events.map(({ type }) => type));
    for (const type of expected) assert.ok(types.has(type), `${type} is not among ${[...types]}`);
  }
});

test('an event that lacks a member, has one too many or is of no known type does not fit', () => {
  const delta = {
    type: 'response.refusal.delta',
    item_id: 'msg_1',
    output_index: 0,
    content_index: 0,
    delta: 'No',
    sequence_number: 4,
  };
  check('StreamEvent', delta);
  const { delta: _left, ...short } = delta;
  for (const wrong of [short, { ...delta, extra: 1 }, { ...delta, type: 'response.unheard_of' }]) {
    assert.throws(() => check('StreamEvent', wrong));
  }
});

test('what operators and browsers ask is answered as the document says', async () => {
  for (const [path, type] of [
    ['/health/live', 'application/json'],
    ['/health/ready', 'application/json'],
    ['/metrics', 'text/plain'],
    ['/openapi.json', 'application/json'],
    ['/docs', 'text/html'],
    ['/api', 'text/html'],
  ] as const) {
    const response = await fetch(gateway.url + path);
    const content = openApi.paths[path]?.get?.responses[String(response.status)]?.content;
    assert.deepEqual(Object.keys(content ?? {}), [type], path);
    assert.ok(response.headers.get('content-type')?.startsWith(type), path);
    const { $ref } = { $ref: undefined, ...content?.[type]?.schema } as { readonly $ref?: string };
    const text = await response.text();
    if ($ref !== undefined) check($ref.replace('#/components/schemas/', ''), JSON.parse(text));
  }
});
