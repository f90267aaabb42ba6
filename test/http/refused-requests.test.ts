import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway, usualDestinations } from '../support/gateway.ts';

let gateway: TestGateway;
let upstream: FakeUpstream;
let boss: string;
let poor: string;

before(async () => {
  upstream = await startFakeUpstream({ status: 503, headers: {}, steps: ['{}'] });
  const sandbox = providerOf({ slug: 'north', name: 'NorthGPU', adapter: 'sandbox', retainsPrompts: true });
  const broken = providerOf({ slug: 'south', name: 'SouthGPU', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({
    models: [modelOf('acme/echo', [sandbox]), modelOf('other/echo', [broken, sandbox])],
    config: {
      observability: {
        refusals: true,
        plans: 'failures',
        keep: 604_800_000,
        destinations: usualDestinations,
      },
    },
    parts: { notePause: 20 },
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  poor = await gateway.createKey({ name: 'poor', limit: parseUsd(0.000001) });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function get(path: string, key = boss) {
  const response = await gateway.get(`/api/v1${path}`, { authorization: `Bearer ${key}` });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

/** Sends a request and waits until its row is listed. */
async function send(body: object, key = gateway.key) {
  const sent = await gateway.post(body, { authorization: `Bearer ${key}` });
  const text = await sent.text();
  assert.notEqual(sent.status, 422, text);
  const id = sent.headers.get('x-generation-id') ?? '';
  const detail = await eventually('the row', async () => {
    const found = await get(`/generations/${id}`);
    return found.status === 200 && found.body.data;
  });
  return { status: sent.status, id, detail };
}

test('a request that a limit turns away is a row with its reason, beside calls and alone', async () => {
  await send({ model: 'acme/echo', input: 'Hello' }, poor);
  const refused = await send({ model: 'acme/echo', input: 'Hello "again"', tools: [] }, poor);
  assert.equal(refused.status, 402);
  assert.equal(refused.detail.row.outcome, 'refused');
  assert.equal(refused.detail.row.status, 402);
  assert.equal(refused.detail.row.cost_nano, '0');
  assert.match(refused.detail.error_text, /limit/);
  const served = await send({ model: 'acme/echo', input: 'Hello' });
  const idsOf = async (query: string, key = boss) =>
    (await get(`/generations${query}`, key)).body.data.map(({ id }: { id: string }) => id);
  assert.deepEqual((await idsOf('')).slice(0, 2), [served.id, refused.id]);
  assert.deepEqual(await idsOf('?outcome=refused'), [refused.id]);
  assert.ok(!(await idsOf('?outcome=failed')).includes(refused.id));
  assert.ok((await idsOf('?model=acme/*')).includes(refused.id));
  for (const filter of ['provider=north', 'min_cost_nano=1', 'model=acme/none', 'session=none'])
    assert.ok(!(await idsOf(`?${filter}`)).includes(refused.id), filter);
  const first = (await get('/generations?limit=1')).body;
  assert.deepEqual(await idsOf(`?limit=1&cursor=${first.next}`), [refused.id]);
  assert.ok(!(await idsOf('', gateway.key)).includes(refused.id), 'no other key');
  assert.ok((await idsOf('', poor)).includes(refused.id));
  assert.equal((await get(`/generations/${refused.id}`, gateway.key)).status, 404);
});

test('a request that routing turns away keeps its plan and what it asked for, and nothing that was said', async () => {
  const { status, detail } = await send({
    model: 'acme/echo',
    input: 'my secret',
    instructions: 'my secret',
    max_output_tokens: 77,
    provider: { zdr: true, sort: 'price' },
    tools: [
      { type: 'function', name: 'secret', parameters: { type: 'object', properties: {} } },
      { type: 'web_search' },
    ],
  });
  assert.ok(status >= 400);
  assert.deepEqual(detail.plan.targets, []);
  assert.deepEqual(
    detail.plan.excluded.map(({ endpoint, reason }: { endpoint: string; reason: string }) => [
      endpoint,
      reason,
    ]),
    [['north', 'data_policy:zdr']],
  );
  const { replay } = detail;
  assert.equal(replay.provider.zdr, true);
  assert.equal(replay.max_output_tokens, 77);
  assert.deepEqual(
    replay.tools.map(({ type }: { type: string }) => type),
    ['function', 'web_search'],
  );
  // The same is asked again without anything that was said, and is turned away for the same reason.
  const again = await fetch(`${gateway.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...replay, input: 'word' }),
  });
  const now = (await again.json()) as { readonly excluded: readonly { readonly reason: string }[] };
  assert.deepEqual(
    now.excluded.map(({ reason }) => reason),
    ['data_policy:zdr'],
  );
  assert.doesNotMatch(JSON.stringify(detail), /my secret/);
});

test('a body to replay can be read, whatever tools the request had', async () => {
  const parameters = { type: 'object', properties: {} };
  const { detail } = await send({
    model: 'acme/echo',
    input: 'Hello',
    provider: {
      zdr: true,
      max_price: { prompt: 5 },
      preferred_max_latency: { p90: 3 },
      quantizations: ['fp8'],
    },
    tools: [
      { type: 'function', name: 'one', parameters },
      { type: 'custom', name: 'two' },
      {
        type: 'namespace',
        name: 'three',
        description: 'x',
        tools: [{ type: 'function', name: 'four', parameters }],
      },
      { type: 'file_search', vector_store_ids: ['vs_1'] },
      { type: 'code_interpreter', container: { type: 'auto' } },
      { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
      { type: 'mcp', server_label: 'harbour', server_url: 'https://mcp.example/sse' },
      { type: 'shell' },
      { type: 'apply_patch' },
      { type: 'service:datetime' },
    ],
    text: { format: { type: 'json_schema', name: 'answer', schema: parameters } },
    reasoning: { effort: 'low' },
  });
  assert.equal(detail.row.outcome, 'refused');
  assert.equal(detail.replay.tools.length, 10);
  const again = await send({ ...detail.replay, input: 'Hello' });
  assert.deepEqual(again.detail.replay, detail.replay);
});

test('the plan that is kept of a call that fell back names what was tried, in its order', async () => {
  const { status, id } = await send({
    model: 'other/echo',
    input: 'Hello',
    provider: { order: ['south', 'north'] },
  });
  assert.equal(status, 200);
  const { plan, row } = await eventually('the plan', async () => {
    const { data } = (await get(`/generations/${id}`)).body;
    return data.plan !== null && data;
  });
  assert.equal(row.attempts, 2);
  assert.deepEqual(
    plan.targets.map(({ endpoint, credential, prompt, because }: Record<string, string>) => [
      endpoint,
      credential,
      prompt,
      because,
    ]),
    [
      ['south', 'shared', '0.000003', 'order'],
      ['north', 'shared', '0.000003', 'order'],
    ],
  );
});

test('a request whose guardrail blocks it is a row too', async () => {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${boss}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(response.ok);
    return (await response.json()) as { readonly data: { readonly id: string } };
  };
  const { data } = await post('/guardrails', {
    name: 'No addresses',
    content_filter_builtins: [{ slug: 'email', action: 'block' }],
  });
  await post(`/guardrails/${data.id}/assignments/keys`, { key_hashes: [gateway.keyHash] });
  const { status, detail } = await eventually('a blocked request', async () => {
    const sent = await send({ model: 'acme/echo', input: 'Write to ada@acme.example' });
    return sent.status === 403 && sent;
  });
  assert.equal(status, 403);
  assert.equal(detail.row.outcome, 'refused');
  assert.doesNotMatch(JSON.stringify(detail), /ada@/);
});
