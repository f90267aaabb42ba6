import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let management: string;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north]), modelOf('globex/ibis', [north])],
    config: {
      presets: { filed: { config: { model: 'globex/ibis', temperature: 0.5 }, systemPrompt: 'File.' } },
    },
  });
  management = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
type Body = any;

async function call(
  method: string,
  path: string,
  body?: object,
  key = management,
): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** The body that the provider got for a request. */
async function sent(path: string, body: object): Promise<Body> {
  const { status, body: answer } = await call('POST', path, body, gateway.key);
  assert.equal(status, 200, JSON.stringify(answer));
  return upstream.requests.at(-1)?.body;
}

const tool = (name: string, description = name) => ({ type: 'function', name, description, parameters: {} });

test('a preset is stored from a body, named in three ways, and merged member by member', async () => {
  const saved = await call('POST', '/presets/Terse/responses', {
    model: 'acme/atlas-4',
    input: 'dropped',
    instructions: 'Be terse.',
    stream: true,
    temperature: 0.25,
    max_output_tokens: 77,
    provider: { sort: 'price', zdr: true },
    tools: [tool('one'), tool('two')],
  });
  assert.equal(saved.status, 200, JSON.stringify(saved.body));
  checkContract('CreatePresetFromInferenceResponse', saved.body);
  const { slug, status, designated_version: version } = saved.body.data;
  assert.deepEqual(
    [slug, status, version.version, version.system_prompt],
    ['terse', 'active', 1, 'Be terse.'],
  );
  assert.deepEqual(Object.keys(version.config), [
    'model',
    'temperature',
    'max_output_tokens',
    'provider',
    'tools',
  ]);
  const before = upstream.requests.length;
  for (const naming of [
    { model: '@preset/terse' },
    { preset: 'terse' },
    { model: 'acme/atlas-4@preset/TERSE' },
  ]) {
    const body = await sent('/responses', { ...naming, input: 'Hi' });
    assert.deepEqual([body.model, body.temperature], ['atlas-4', 0.25]);
    assert.deepEqual(body.messages[0], { role: 'system', content: 'Be terse.' });
  }
  assert.equal(upstream.requests.length, before + 3);
  const other = await sent('/responses', {
    model: 'globex/ibis@preset/terse',
    input: 'Hi',
    temperature: 1,
    instructions: 'Be long.',
    tools: [tool('two', 'mine'), tool('three')],
  });
  assert.deepEqual([other.model, other.temperature, other.messages[0].content], ['ibis', 1, 'Be long.']);
  assert.deepEqual(
    other.tools.map(({ function: { name, description } }: Body) => [name, description]),
    [
      ['one', 'one'],
      ['two', 'mine'],
      ['three', 'three'],
    ],
  );
});

test('every dialect uses the same preset, whichever stored it', async () => {
  await call('POST', '/presets/chatty/chat/completions', {
    model: 'acme/atlas-4',
    messages: [
      { role: 'system', content: 'Rhyme.' },
      { role: 'user', content: 'dropped' },
    ],
    max_tokens: 99,
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    tools: [{ type: 'function', function: { name: 'one', parameters: {} } }],
  });
  const messages = [{ role: 'user', content: 'Hi' }];
  for (const [path, body] of [
    ['/responses', { input: 'Hi' }],
    ['/chat/completions', { messages }],
    ['/messages', { messages }],
  ] as const) {
    const got = await sent(path, { ...body, model: '@preset/chatty' });
    assert.equal(got.model, 'atlas-4', path);
    assert.match(JSON.stringify(got.messages[0]), /Rhyme\./, path);
    assert.deepEqual([got.tools[0].function.name, got.response_format.type], ['one', 'json_schema'], path);
    assert.equal(got.max_completion_tokens ?? got.max_tokens, 99, path);
  }
  const stored = await call('POST', '/presets/claude/messages', {
    model: 'acme/atlas-4',
    max_tokens: 50,
    system: 'Speak.',
    messages,
    stop_sequences: ['END'],
  });
  assert.equal(stored.status, 200, JSON.stringify(stored.body));
  assert.deepEqual(stored.body.data.designated_version.config, {
    model: 'acme/atlas-4',
    max_output_tokens: 50,
    stop: ['END'],
  });
});

test('the newest version counts; versions stay readable; only active presets are found', async () => {
  const body = (temperature: number) => ({ model: 'acme/atlas-4', input: 'x', temperature });
  await call('POST', '/presets/turns/responses', body(0));
  const second = await call('POST', '/presets/turns/responses', body(1));
  assert.equal(second.body.data.designated_version.version, 2);
  assert.equal((await sent('/responses', { preset: 'turns', input: 'Hi' })).temperature, 1);
  const versions = await call('GET', '/presets/turns/versions?limit=1', undefined, gateway.key);
  checkContract('ListPresetVersionsResponse', versions.body);
  assert.deepEqual([versions.body.total_count, versions.body.data[0].version], [2, 2]);
  const first = await call('GET', '/presets/turns/versions/1', undefined, gateway.key);
  checkContract('GetPresetVersionResponse', first.body);
  assert.equal(first.body.data.config.temperature, 0);
  assert.equal((await call('GET', '/presets/turns/versions/9')).status, 404);
  const list = await call('GET', '/presets', undefined, gateway.key);
  checkContract('ListPresetsResponse', list.body);
  assert.ok(list.body.data.some(({ slug }: Body) => slug === 'turns'));
  const changed = await call('PATCH', '/presets/turns', { status: 'disabled', name: 'Turns' });
  assert.deepEqual([changed.body.data.status, changed.body.data.name], ['disabled', 'Turns']);
  assert.notEqual(changed.body.data.status_updated_at, null);
  const refused = await call('POST', '/responses', { preset: 'turns', input: 'Hi' }, gateway.key);
  assert.deepEqual([refused.status, refused.body.error.message], [404, 'The preset "turns" is disabled.']);
  await call('PATCH', '/presets/turns', { status: 'active' });
  await sent('/responses', { preset: 'turns', input: 'Hi' });
});

test('an older version is designated again, by management keys of the account alone', async () => {
  const save = (temperature: number) =>
    call('POST', '/presets/back/responses', { model: 'acme/atlas-4', input: 'x', temperature });
  const first = (await save(0)).body.data.designated_version;
  await save(1);
  const path = '/presets/back';
  const chosen = { designated_version_id: first.id };
  assert.equal((await call('PATCH', path, chosen, gateway.key)).status, 403);
  const owner = newAccount('Foreign', 'prepaid', Date.now());
  await gateway.storage.accounts.create(owner);
  const foreign = createRawKey();
  const facts = { accountId: owner.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(foreign, { ...facts, kind: 'management', name: 'boss' }));
  assert.equal((await call('PATCH', path, chosen, foreign)).status, 404);
  assert.equal((await sent('/responses', { preset: 'back', input: 'Hi' })).temperature, 1);
  const changed = await call('PATCH', path, chosen);
  assert.deepEqual([changed.body.data.designated_version.version, changed.status], [1, 200]);
  assert.equal((await sent('/responses', { preset: 'back', input: 'Hi' })).temperature, 0);
  const turns = (await call('GET', '/presets/turns')).body.data.designated_version_id;
  const wrong = await call('PATCH', path, { designated_version_id: turns, name: 'Kept out' });
  assert.deepEqual([wrong.status, (await call('GET', path)).body.data.name], [400, 'back']);
  assert.match(wrong.body.error.message, /designated_version_id.*no version of this preset/);
  assert.equal((await save(0.5)).body.data.designated_version.version, 3);
});

test('what cannot be a preset is refused, and inference keys do not write', async () => {
  const good = { model: 'acme/atlas-4', input: 'x' };
  const cases: [string, object, number][] = [
    ['/presets/-bad/responses', good, 400],
    [`/presets/${'x'.repeat(65)}/responses`, good, 400],
    ['/presets/wrong/responses', { ...good, temperature: 9 }, 400],
    ['/presets/wrong/responses', { ...good, model: '@preset/other' }, 400],
    ['/presets/wrong/responses', { ...good, metadata: { k: 'v' }, instructions: 'x'.repeat(300_000) }, 400],
    ['/presets/wrong/responses?workspace_id=00000000-0000-4000-8000-000000000000', good, 400],
  ];
  for (const [path, body, status] of cases)
    assert.equal((await call('POST', path, body)).status, status, path);
  assert.equal((await call('GET', '/presets/wrong')).status, 404);
  assert.equal((await call('POST', '/presets/mine/responses', good, gateway.key)).status, 403);
  assert.equal((await call('PATCH', '/presets/wrong', { name: 'x' })).status, 404);
  assert.equal((await call('PATCH', '/presets/wrong', { slug: 'x' })).status, 400);
  for (const body of [{ preset: 'nobody' }, { model: '@preset/nobody' }, { model: 'acme/atlas-4@preset/' }]) {
    assert.equal((await call('POST', '/responses', { ...body, input: 'Hi' }, gateway.key)).status, 404);
  }
  const two = { model: '@preset/terse', preset: 'chatty', input: 'Hi' };
  assert.equal((await call('POST', '/responses', two, gateway.key)).status, 400);
  await call('POST', '/presets/empty/responses', { input: 'x', temperature: 0 });
  assert.equal((await call('POST', '/responses', { preset: 'empty', input: 'Hi' }, gateway.key)).status, 400);
});

test("presets are the workspace's own; those of the configuration file are everybody's", async () => {
  const { body } = await call('POST', '/workspaces', { name: 'Other', slug: 'other' });
  const id = body.data.id;
  const elsewhere = await gateway.createKey({ workspaceId: id });
  assert.equal((await call('POST', '/responses', { preset: 'terse', input: 'Hi' }, elsewhere)).status, 404);
  await call('POST', `/presets/terse/responses?workspace_id=${id}`, { model: 'globex/ibis', input: 'x' });
  assert.equal(
    (await call('POST', '/responses', { preset: 'terse', input: 'Hi' }, elsewhere)).body.model,
    'globex/ibis',
  );
  assert.equal((await sent('/responses', { preset: 'terse', input: 'Hi' })).model, 'atlas-4');
  const filed = await sent('/responses', { preset: 'filed', input: 'Hi' });
  assert.deepEqual([filed.model, filed.temperature, filed.messages[0].content], ['ibis', 0.5, 'File.']);
  const plan = await call('POST', '/responses/plan', { preset: 'filed', input: 'Hi' }, gateway.key);
  assert.equal(plan.body.models[0].id, 'globex/ibis');
});
