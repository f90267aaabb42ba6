import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { roomInWindow } from '../support/windows.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;
let managementKey: string;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [north])], billingMode: 'prepaid' });
  managementKey = await gateway.createKey({ kind: 'management', name: 'boss', workspaceId: null });
});

// Today's figures are of one day.
beforeEach(() => roomInWindow('day', 30_000));

after(async () => {
  await gateway.stop();
  await upstream.close();
});

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  readonly body: any;
  readonly headers: Headers;
}

async function call(method: string, path: string, body?: unknown, key = managementKey): Promise<Answer> {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      // As many clients do, also where there is no body.
      ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

test('a key is made, shown once, listed, changed and deleted', async () => {
  const created = await call('POST', '/keys', { name: 'ci', limit: 12.5, limit_reset: 'weekly' });
  assert.equal(created.status, 201);
  const { key, data } = created.body;
  assert.match(key, /^sk-hg-v1-[0-9a-f]{64}$/);
  assert.equal(data.hash, hashKey(key));
  assert.deepEqual(
    [data.limit, data.limit_remaining, data.limit_reset, data.usage],
    [12.5, 12.5, 'weekly', 0],
  );
  assert.equal(data.workspace_id, gateway.account.defaultWorkspaceId);
  assert.deepEqual([data.creator_user_id, data.external_user], [null, null], 'there, as all of the record');
  assert.equal((await call('GET', '/key', undefined, key)).status, 200);

  const listed = await call('GET', '/keys');
  assert.equal(listed.body.data[0].hash, data.hash, 'newest first');
  assert.ok(!JSON.stringify(listed.body).includes(key), 'never shown again');
  assert.ok(
    listed.body.data.every((entry: { name: string }) => entry.name !== 'boss'),
    'management keys are not listed',
  );

  const changed = await call('PATCH', `/keys/${data.hash}`, { name: 'ci 2', limit: null, disabled: true });
  assert.deepEqual([changed.status, changed.body.data.name, changed.body.data.limit], [200, 'ci 2', null]);
  assert.equal(changed.body.data.limit_reset, 'weekly', 'what is absent stays');
  assert.equal((await call('GET', '/key', undefined, key)).status, 401, 'disabled at once');
  const hashes = async (query: string) =>
    (await call('GET', `/keys${query}`)).body.data.map((entry: { hash: string }) => entry.hash);
  assert.ok(!(await hashes('')).includes(data.hash));
  assert.ok((await hashes('?include_disabled=true')).includes(data.hash));

  const { status, body } = await call('DELETE', `/keys/${data.hash}`);
  assert.deepEqual([status, body], [200, { deleted: true }]);
  assert.equal((await call('DELETE', `/keys/${data.hash}`)).status, 404);
  assert.equal((await call('GET', `/keys/${data.hash}`)).status, 404);
});

test('bad bodies of keys name the member', async () => {
  const cases: [unknown, RegExp][] = [
    [{}, /^name: /],
    [{ name: '' }, /^name: /],
    [{ name: 'a', limit: -1 }, /^limit: /],
    [{ name: 'a', limit: 0.0000000001 }, /^limit: /],
    [{ name: 'a', limit: 9223372036.855 }, /^limit: must be at most 9223372036\.854775807/],
    [{ name: 'a', limit: 1e300 }, /^limit: /],
    [{ name: 'a', limit_reset: 'yearly' }, /^limit_reset: /],
    [{ name: 'a', expires_at: '2030-01-01T00:00Z' }, /^expires_at: /],
    [{ name: 'a', expires_at: '2030-01-01T00:00:00+02:00' }, /^expires_at: /],
    [{ name: 'a', expires_at: '2031-02-29T00:00:00Z' }, /^expires_at: /],
    [{ name: 'a', expires_at: '2020-01-01T00:00:00Z' }, /^expires_at: /],
    [{ name: 'a', workspace_id: 'e3b0c442-98fc-4c14-9afb-f4c8996fb924' }, /^workspace_id: /],
    [{ name: 'a', creator_user_id: 'user_1' }, /^creator_user_id: /],
    [
      { name: 'a', external: { user: 'u', api_key: 'short' } },
      /^external\.api_key: must be at least 32 characters, got 5/,
    ],
    [{ name: 'a', external: { user: 'u', api_key: 'a'.repeat(40) } }, /^external\.api_key: /],
    [{ name: 'a', colour: 'red' }, /colour/],
  ];
  for (const [body, message] of cases) {
    const { status, body: problem } = await call('POST', '/keys', body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(problem.error.message, message);
    checkContract('BadRequestResponse', problem);
  }
});

test('a limit that somebody worked out is the amount nearest to it', async () => {
  for (const [limit, kept] of [
    [0.1 + 0.2, 0.3],
    [10 / 3, 3.333333333],
    [20 / 3, 6.666666667],
  ] as const) {
    const { status, body } = await call('POST', '/keys', { name: 'shared out', limit });
    assert.deepEqual([status, body.data?.limit, body.data?.limit_remaining], [201, kept, kept]);
  }
});

test('a body of management needs the Content-Type of JSON', async () => {
  const authorization = `Bearer ${await gateway.createKey({ kind: 'management', workspaceId: null })}`;
  const send = (type: string | undefined) =>
    fetch(`${gateway.url}/api/v1/keys`, {
      method: 'POST',
      headers: {
        authorization,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      body: new TextEncoder().encode('{"name":"typed"}'),
    });
  for (const type of ['application/json; charset=utf-8', 'Application/JSON']) {
    assert.equal((await send(type)).status, 201, String(type));
  }
  for (const type of [
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    '',
  ]) {
    const refused = await send(type);
    const problem = (await refused.json()) as { error: { message: string } };
    assert.equal(refused.status, 400, String(type));
    assert.match(problem.error.message, /Content-Type .*application\/json/);
  }
});

test('the character U+0000, which not every database takes, is refused wherever text is', async () => {
  const refused: [string, string, unknown, number, RegExp][] = [
    ['GET', '/keys/a%00', undefined, 404, /nothing of this name/],
    ['DELETE', '/byok/%00', undefined, 404, /nothing of this name/],
    ['GET', '/workspaces/%00', undefined, 404, /nothing of this name/],
    ['GET', '/generation?id=gen-%00', undefined, 400, /^id: must not hold/],
    ['GET', '/keys?workspace_id=%00', undefined, 400, /^workspace_id: /],
    ['GET', '/activity?api_key_hash=%00', undefined, 400, /^api_key_hash: /],
    ['GET', '/activity?user_id=a&user_id=%00', undefined, 400, /^user_id: /],
    ['POST', '/keys', { name: 'a\u0000b' }, 400, /^name: must not hold/],
    ['POST', '/keys', { name: 'a', external: { user: 'b\u0000' } }, 400, /^external: /],
    ['POST', '/workspaces', { name: '\u0000', slug: 'nul' }, 400, /^name: /],
    ['POST', '/byok', { provider: 'north', key: 'sk-\u0000abcdefgh1234' }, 400, /^key: /],
    ['POST', '/byok', { 'sk-\u0000abcdefgh1234': true }, 400, /^body: /],
  ];
  for (const [method, path, body, status, message] of refused) {
    const answer = await call(method, path, body);
    assert.equal(answer.status, status, path);
    assert.match(answer.body.error.message, message, path);
    assert.ok(!JSON.stringify(answer.body).includes('abcdefgh'), path);
  }
});

test('management needs a management key, which runs no inference; strangers see nothing', async () => {
  for (const path of ['/keys', '/credits', '/activity']) {
    const refused = await call('GET', path, undefined, gateway.key);
    assert.deepEqual([refused.status, refused.body.error.metadata.error_type], [403, 'permission_denied']);
    assert.match(refused.body.user_id, /^user_/, 'the key is known');
  }
  const inference = await call('POST', '/responses', { model: 'acme/atlas-4', input: 'Hi' });
  assert.equal(inference.status, 403);
  assert.match(inference.body.user_id, /^user_/);
  assert.equal((await call('GET', '/keys', undefined, 'sk-hg-v1-none')).status, 401);
  const own = await call('GET', `/keys/${hashKey(managementKey)}`);
  assert.equal(own.status, 404, 'a management key is not seen there');
});

test('activity is of days of the calendar: one that is none is refused, not read as the next', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2099, 11, 10) });
  assert.equal((await call('GET', '/activity?date=2099-12-01')).status, 200);
  const refused = await call('GET', '/activity?date=2099-11-31');
  assert.equal(refused.status, 400);
  assert.match(refused.body.error.message, /^date: /);
});

test('credits, the record of a generation and the activity agree with what was charged', async () => {
  await gateway.storage.ledger.append({
    id: 'le_1',
    accountId: gateway.account.id,
    type: 'grant',
    amount: parseUsd(5),
    fee: zeroUsd,
    expiresAt: null,
    relatedId: null,
    createdBy: null,
    countsAsPurchase: false,
    externalRef: null,
    note: null,
    createdAt: Date.now(),
  });
  upstream.play({ steps: chatStream('Good ', 'day.') });
  const { key } = (await call('POST', '/keys', { name: 'payer' })).body;
  const answer = await call('POST', '/responses', { model: 'acme/atlas-4', input: 'Hello' }, key);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  const { cost, input_tokens: input, output_tokens: output } = answer.body.usage;
  assert.ok(cost > 0);

  const credits = await call('GET', '/credits');
  assert.deepEqual(credits.body.data, { total_credits: 5, total_usage: cost });

  const id = answer.headers.get('x-generation-id') ?? '';
  const { status, body } = await call('GET', `/generation?id=${id}`, undefined, gateway.key);
  assert.equal(status, 200);
  assert.deepEqual(
    [body.data.id, body.data.total_cost, body.data.native_tokens_prompt, body.data.native_tokens_completion],
    [id, cost, input, output],
  );
  assert.equal(body.data.provider_name, 'NorthGPU');
  assert.equal(body.data.provider_responses.length, 1);
  assert.equal((await call('GET', '/generation?id=gen-unknown')).status, 404);
  assert.equal((await call('GET', '/generation')).status, 400);

  const today = await call('GET', '/activity');
  assert.deepEqual(today.body.data, [], 'today is not over');
  const shown = (await call('GET', `/keys/${hashKey(key)}`)).body.data;
  assert.deepEqual([shown.usage, shown.usage_daily], [cost, cost]);
});

test('the activity of past days sums by day, model and endpoint', async () => {
  const day = 86_400_000;
  const yesterday = Date.now() - day;
  const generation = (index: number, settledAt: number, cost: string) => ({
    id: `gen-past-${index}`,
    requestId: `gen-past-${index}`,
    accountId: gateway.account.id,
    keyHash: gateway.keyHash,
    workspaceId: gateway.account.defaultWorkspaceId,
    createdAt: settledAt,
    settledAt,
    requestedModel: 'acme/atlas-4',
    model: 'acme/atlas-4',
    provider: 'north',
    endpointTag: 'north',
    isByok: false,
    streamed: false,
    cancelled: false,
    usage: { uncachedInput: 100, cacheRead: 20, output: 30, reasoning: 10 },
    usageEstimated: false,
    insured: false,
    cost: parseUsd(cost),
    listCost: parseUsd(cost),
    attempts: [],
  });
  await Promise.all([
    gateway.storage.ledger.settle(generation(1, yesterday, '0.5')),
    gateway.storage.ledger.settle(generation(2, yesterday, '0.25')),
    gateway.storage.ledger.settle(generation(3, yesterday - day, '1')),
    gateway.storage.ledger.settle(generation(4, yesterday - 40 * day, '9')),
  ]);
  const { body } = await call('GET', '/activity');
  assert.equal(body.data.length, 2);
  assert.deepEqual(body.data[0], {
    date: new Date(yesterday).toISOString().slice(0, 10),
    model: 'acme/atlas-4',
    model_permaslug: 'acme/atlas-4',
    endpoint_id: 'north',
    provider_name: 'NorthGPU',
    usage: 0.75,
    byok_usage_inference: 0,
    requests: 2,
    prompt_tokens: 240,
    cached_tokens: 40,
    completion_tokens: 60,
    reasoning_tokens: 20,
  });
  const date = new Date(yesterday - day).toISOString().slice(0, 10);
  const one = await call('GET', `/activity?date=${date}&group_by=workspace`);
  assert.deepEqual(
    one.body.data.map((row: { usage: number; workspace_id: string }) => [row.usage, row.workspace_id]),
    [[1, gateway.account.defaultWorkspaceId]],
  );
  for (const bad of ['2020-01-01', 'yesterday', new Date().toISOString().slice(0, 10)]) {
    assert.equal((await call('GET', `/activity?date=${bad}`)).status, 400, bad);
  }
  assert.equal((await call('GET', '/activity?workspace_id=nowhere')).status, 404);
  assert.deepEqual((await call('GET', `/activity?api_key_hash=${'0'.repeat(64)}`)).body.data, []);
});

test('a management key has sixty calls a minute', async () => {
  const other = await gateway.createKey({ kind: 'management', name: 'script', workspaceId: null });
  // The minute may turn once in between: at most 120 calls pass then.
  let last = await call('GET', '/credits', undefined, other);
  for (let index = 0; index < 121 && last.status === 200; index++) {
    last = await call('GET', '/credits', undefined, other);
  }
  assert.equal(last.status, 429);
  assert.equal(last.headers.get('x-ratelimit-limit'), '60');
  assert.ok(Number(last.headers.get('retry-after')) >= 1);
});
