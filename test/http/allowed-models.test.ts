import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ModelAlias } from '../../src/core/catalogue.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let boss: string;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = [
    modelOf('acme/atlas-4', [north]),
    modelOf('acme/atlas-4:free', [north]),
    { ...modelOf('acme/slow', [north]), fastSibling: 'other/fast' },
    modelOf('other/fast', [north]),
  ];
  const aliases = new Map<string, ModelAlias>([
    ['acme/atlas-old', { kind: 'legacy', target: 'acme/atlas-4' }],
    ['acme/disguise', { kind: 'legacy', target: 'other/fast' }],
  ]);
  const catalogue = {
    models: new Map(models.map((model) => [model.id, model])),
    providers: new Map([['north', north]]),
    aliases,
  };
  gateway = await startGateway({ models: [], config: { catalogue } });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

/** The status of a request, with the model that answered or the message of the error. */
async function ask(key: string, fields: object, path = '/api/v1/responses'): Promise<[number, string]> {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'Hello', ...fields }),
  });
  const body = (await response.json()) as { model?: string; error?: { message: string } };
  return [response.status, body.error?.message ?? body.model ?? ''];
}

async function manage(method: string, path: string, body?: unknown, key = boss) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

const refusal = (slug: string) => `The API key may not use the model "${slug}".`;

test('a model outside the list is 403 wherever it is named, also as a fallback and under an alias', async () => {
  const key = await gateway.createKey({ allowedModels: ['acme/atlas-4'] });
  assert.deepEqual(await ask(key, { model: 'acme/atlas-4' }), [200, 'acme/atlas-4']);
  assert.deepEqual((await ask(key, { model: 'acme/atlas-4:free' }))[0], 200, 'variants are included');
  assert.equal((await ask(key, { model: 'acme/atlas-old' }))[0], 200);
  const requests: [object, string][] = [
    [{ model: 'other/fast' }, 'other/fast'],
    [{ models: ['acme/atlas-4', 'acme/slow'] }, 'acme/slow'],
    [{ model: 'acme/disguise' }, 'acme/disguise'],
  ];
  for (const [fields, slug] of requests) {
    assert.deepEqual(await ask(key, fields), [403, refusal(slug)]);
    assert.deepEqual(await ask(key, fields, '/api/v1/responses/plan'), [403, refusal(slug)]);
  }
  assert.equal((await ask(key, { model: 'acme/nonsense' }))[0], 400);
});

test('patterns, aliases and single variants in the list', async () => {
  const statusOf = async (allowedModels: readonly string[], model: string) =>
    (await ask(await gateway.createKey({ allowedModels }), { model }))[0];
  assert.equal(await statusOf(['acme/*'], 'acme/slow'), 200);
  assert.equal(await statusOf(['acme/*'], 'other/fast'), 403);
  assert.equal(await statusOf(['acme/*'], 'acme/disguise'), 403, 'the model that would serve counts');
  assert.equal(await statusOf(['acme/disguise'], 'other/fast'), 200);
  assert.equal(await statusOf(['acme/atlas-old'], 'acme/atlas-4'), 200);
  assert.equal(await statusOf(['*:free'], 'acme/atlas-4:free'), 200);
  assert.equal(await statusOf(['*:free'], 'acme/atlas-4'), 403);
});

test('a model that nobody named is passed over', async () => {
  const fields = { model: 'acme/slow', service_tier: 'priority' };
  assert.deepEqual(await ask(gateway.key, fields), [200, 'other/fast']);
  const key = await gateway.createKey({ allowedModels: ['acme/*'] });
  assert.deepEqual(await ask(key, fields), [200, 'acme/slow']);
});

test('the list is set, shown, changed and cleared by the management API', async () => {
  const made = await manage('POST', '/keys', { name: 'ci', allowed_models: ['Acme/*', 'other/fast'] });
  assert.equal(made.status, 201);
  assert.deepEqual(made.body.data.allowed_models, ['acme/*', 'other/fast']);
  assert.ok(!('scopes' in made.body.data));
  const { key, data } = made.body;
  const path = `/keys/${data.hash}`;
  assert.equal((await ask(key, { model: 'acme/slow' }))[0], 200);
  assert.deepEqual((await manage('PATCH', path, { allowed_models: ['other/*'] })).body.data.allowed_models, [
    'other/*',
  ]);
  assert.equal((await ask(key, { model: 'acme/slow' }))[0], 403);
  assert.equal((await manage('PATCH', path, { allowed_models: null })).body.data.allowed_models, null);
  assert.equal((await ask(key, { model: 'acme/slow' }))[0], 200);
  const wrong: [unknown, RegExp][] = [
    [[], /^allowed_models: must not be empty; null is any model$/],
    [Array.from({ length: 101 }, () => 'a/b'), /^allowed_models: /],
    [['a*b*'], /^allowed_models\[0\]: must be a name or a pattern with one "\*" such as acme\/\*$/],
    ['acme/*', /^allowed_models: /],
  ];
  for (const [allowed_models, message] of wrong) {
    const answer = await manage('PATCH', path, { allowed_models });
    assert.equal(answer.status, 400);
    assert.match(answer.body.error.message, message);
  }
});

test('a management key that may only read is refused whatever is not GET, and the refusal is recorded', async () => {
  const reader = await gateway.createKey({ kind: 'management', workspaceId: null, scopes: ['read'] });
  assert.equal((await manage('GET', '/keys', undefined, reader)).status, 200);
  assert.equal((await manage('GET', '/audit', undefined, reader)).status, 200);
  assert.equal((await manage('GET', '/key', undefined, reader)).status, 200);
  const calls = [
    ['POST', '/keys'],
    ['PATCH', `/keys/${gateway.keyHash}`],
    ['DELETE', `/keys/${gateway.keyHash}`],
    ['POST', '/workspaces'],
    ['POST', '/byok'],
  ] as const;
  for (const [method, path] of calls) {
    const { status, body } = await manage(method, path, { name: 'x' }, reader);
    assert.equal(status, 403, `${method} ${path}`);
    assert.match(body.error.message, /may only read/);
  }
  assert.equal((await gateway.storage.keys.findWithAccount(gateway.keyHash))?.key.name, 'test');
});

test('scopes are no field of the management API', async () => {
  const answer = await manage('PATCH', `/keys/${gateway.keyHash}`, { scopes: null });
  assert.equal(answer.status, 400);
});
