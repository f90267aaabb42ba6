import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Webhook } from 'standardwebhooks';
import { isSampled } from '../../src/destinations/destinations.ts';
import { treeOf } from '../support/collector.ts';
import { resourceIn, spansIn, startBroadcasting } from '../support/destination-backend.ts';
import { eventually } from '../support/eventually.ts';

const said = [
  { role: 'user', parts: [{ type: 'text', content: 'Hello' }] },
  { role: 'assistant', parts: [{ type: 'text', content: 'Good day.' }], finish_reason: 'stop' },
];

describe('a destination gets the tree of a request', () => {
  test('with what was said, and neither cost, user nor client unless its owner says so', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    await create();
    assert.deepEqual(JSON.parse(String(backend.tests[0]?.body)), { resourceSpans: [] });
    const answer = await ask({ input: 'Hello', user: 'user-7', session_id: 'session-1' });
    assert.equal(answer.status, 200);
    const [export1] = await backend.wait(1);
    assert.ok(export1);
    assert.equal(export1.url, '/v1/traces');
    const spans = spansIn(export1);
    assert.deepEqual(treeOf(spans), [
      'server POST /api/v1/responses',
      '  client chat acme/atlas-4',
      '    client POST',
      '  internal settle',
    ]);
    const [root, turn] = spans;
    assert.equal(root?.attributes['session.id'], 'session-1');
    for (const name of ['user.id', 'headgate.cost_usd', 'headgate.key_label', 'user_agent.original']) {
      assert.ok(
        spans.every(({ attributes }) => attributes[name] === undefined),
        name,
      );
    }
    assert.deepEqual(JSON.parse(String(turn?.attributes['gen_ai.input.messages'])), [said[0]]);
    assert.deepEqual(JSON.parse(String(turn?.attributes['gen_ai.output.messages'])), [said[1]]);
  });

  test('cost, identity and context where they are wanted', async (t) => {
    const { backend, create, ask, gateway } = await startBroadcasting(t);
    await create({
      broadcast_generation_cost: true,
      broadcast_generation_identity: true,
      broadcast_generation_request_context: true,
    });
    await ask({ input: 'Hello', user: 'user-7' });
    const [root] = spansIn((await backend.wait(1))[0] ?? assert.fail());
    assert.equal(root?.attributes['user.id'], 'user-7');
    assert.equal(root?.attributes['headgate.key_hash'], gateway.keyHash);
    assert.equal(typeof root?.attributes['headgate.cost_usd'], 'number');
    assert.equal(root?.attributes['user_agent.original'], 'node');
  });

  test('the field trace names the tree, its spans and metadata', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    await create();
    const trace = {
      trace_id: 'order 7',
      trace_name: 'Order',
      span_name: 'Step two',
      generation_name: 'Summary',
      shop: { name: 'north', open: true },
      tenant: 'acme',
    };
    await ask({ input: 'Hello', trace });
    await ask({ input: 'Hello', trace });
    const spans = (await backend.wait(1)).flatMap(spansIn);
    await eventually('both requests', () =>
      backend.taken.flatMap(spansIn).length === 10 ? true : undefined,
    );
    const all = backend.taken.flatMap(spansIn);
    assert.equal(new Set(all.map(({ traceId }) => traceId)).size, 1, 'requests of one name are one trace');
    assert.deepEqual(treeOf(spans.slice(0, 5)), [
      'server Order',
      '  internal Step two',
      '    client Summary',
      '      client POST',
      '  internal settle',
    ]);
    const [root] = spans;
    assert.equal(root?.attributes['trace.metadata.trace_id'], 'order 7');
    assert.equal(root?.attributes['trace.metadata.tenant'], 'acme');
    assert.equal(root?.attributes['trace.metadata.shop'], '{"name":"north","open":true}');
  });
});

describe('what was said stays here', () => {
  const canary = 'zebra-canary';
  const everything = { privacy_mode: true };

  test('under privacy mode, while all else goes', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    await create(everything);
    await ask({ input: canary });
    const [first] = await backend.wait(1);
    assert.ok(!String(first?.body).includes(canary));
    assert.ok(!String(first?.body).includes('Good day'));
    assert.ok(String(first?.body).includes('gen_ai.usage.output_tokens'));
  });

  test('where the request, the account or a guardrail wants nothing kept', async (t) => {
    const { backend, create, ask, guard, gateway, manage } = await startBroadcasting(t);
    await create();
    await ask({ input: canary, provider: { zdr: true } });
    await backend.wait(1);
    await guard({ enforce_zdr: true }, { keys: [gateway.keyHash] });
    await eventually('the guardrail', async () => {
      const count = backend.taken.length;
      assert.equal((await ask({ input: canary })).status, 200);
      const latest = (await backend.wait(count + 1)).at(-1);
      return String(latest?.body).includes('Good day') ? undefined : true;
    });
    assert.ok(!String(backend.taken[0]?.body).includes(canary));
    assert.equal((await manage('GET', '/observability/destinations')).body.total_count, 1);
  });

  test('media are named by type, size and digest', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    await create();
    const data = Buffer.from('not really a picture').toString('base64');
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: `data:image/png;base64,${data}` },
    ];
    await ask({ input: [{ role: 'user', content }] });
    const body = String((await backend.wait(1))[0]?.body);
    assert.ok(!body.includes(data));
    const turn = spansIn(backend.taken[0] ?? assert.fail())[1];
    const [message] = JSON.parse(String(turn?.attributes['gen_ai.input.messages']));
    assert.deepEqual(message.parts[1], {
      type: 'image',
      media_type: 'image/png',
      bytes: 20,
      sha256: createHash('sha256').update('not really a picture').digest('hex'),
    });
  });
});

describe('which requests go', () => {
  test('those of the keys, the rules and the sessions that its owner chose', async (t) => {
    const { backend, create, ask, gateway } = await startBroadcasting(t);
    const other = await gateway.createKey();
    await create({
      api_key_hashes: [gateway.keyHash],
      filter_rules: {
        groups: [
          { logic: 'or', rules: [rule('input', 'contains', 'yes'), rule('input', 'regex', 'ma+ybe')] },
          { rules: [rule('total_tokens', 'gte', 1), rule('user_id', 'not_exists')] },
        ],
      },
    });
    await ask({ input: 'yes 1' }, other);
    await ask({ input: 'no 2' });
    await ask({ input: 'yes 3', user: 'someone' });
    await ask({ input: 'yes 4' });
    await ask({ input: 'maaaybe 5' });
    await eventually('two requests', () => (sent().length === 2 ? true : undefined));
    assert.deepEqual(sent(), ['yes 4', 'maaaybe 5']);

    function sent() {
      return backend.taken.flatMap(spansIn).flatMap(({ attributes }) => {
        const messages = attributes['gen_ai.input.messages'];
        return messages === undefined ? [] : [JSON.parse(String(messages))[0].parts[0].content];
      });
    }
  });

  test('nothing of a workspace that does not broadcast, of calls of the interface, or once it is deleted', async (t) => {
    const { backend, create, ask, manage, gateway } = await startBroadcasting(t);
    const id = await create();
    await ask('Hello');
    await backend.wait(1);
    const workspace = `/workspaces/${gateway.account.defaultWorkspaceId}`;
    await manage('PATCH', workspace, { is_observability_broadcast_enabled: false });
    await ask('Hello');
    await manage('PATCH', workspace, { is_observability_broadcast_enabled: true });
    assert.equal((await manage('DELETE', `/observability/destinations/${id}`)).body.deleted, true);
    await ask('Hello');
    await gateway.stop().catch(() => undefined);
    const roots = backend.taken.flatMap(spansIn).filter(({ kind }) => kind === 'server');
    assert.deepEqual(
      roots.map(({ name }) => name),
      ['POST /api/v1/responses'],
    );
  });

  test('a session falls on one side, another destination may differ', () => {
    const sessions = Array.from({ length: 2_000 }, (_, index) => `session-${index}`);
    const chosen = (id: string) => sessions.filter((session) => isSampled(id, 0.25, session));
    const [one, other] = [chosen('one'), chosen('other')];
    assert.deepEqual(chosen('one'), one);
    for (const list of [one, other]) assert.ok(Math.abs(list.length - 500) < 100, String(list.length));
    assert.notDeepEqual(one, other);
  });
});

describe('each type sends as its backend wants it', () => {
  test('a webhook is signed so that the usual libraries verify it', async (t) => {
    const { backend, manage, ask } = await startBroadcasting(t);
    const config = { url: `${backend.url}/hook`, headers: { 'X-Team': 'blue' } };
    const made = await manage('POST', '/observability/destinations', { type: 'webhook', name: 'h', config });
    const { signingSecret } = made.body.data.config;
    assert.match(signingSecret, /^whsec_/);
    await ask('Hello');
    const [first] = await backend.wait(1);
    assert.ok(first);
    const headers = first.headers as Record<string, string>;
    assert.equal(headers['x-team'], 'blue');
    const webhook = new Webhook(signingSecret);
    webhook.verify(first.body.toString(), headers);
    assert.throws(() => webhook.verify(`${first.body} `, headers));
    assert.throws(() =>
      webhook.verify(first.body.toString(), {
        ...headers,
        'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 360),
      }),
    );
    const read = await manage('GET', `/observability/destinations/${made.body.data.id}`);
    assert.equal(read.body.data.config.signingSecret, `****${signingSecret.slice(-4)}`);
    assert.equal(read.body.data.config.headers['X-Team'], '****');
  });

  test('langfuse: its address, its credential and its names', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    const config = { secretKey: 'sk-lf-secret', publicKey: 'pk-lf-1', baseUrl: backend.url };
    await create({ type: 'langfuse', config, broadcast_generation_identity: true });
    await ask({ input: 'Hello', user: 'user-7', session_id: 's1', trace: { trace_name: 'Chat' } });
    const [first] = await backend.wait(1);
    assert.ok(first);
    assert.equal(first.url, '/api/public/otel/v1/traces');
    const credential = Buffer.from('pk-lf-1:sk-lf-secret').toString('base64');
    assert.equal(first.headers.authorization, `Basic ${credential}`);
    const [root, turn] = spansIn(first);
    assert.equal(root?.attributes['langfuse.trace.name'], 'Chat');
    assert.equal(root?.attributes['langfuse.user.id'], 'user-7');
    assert.equal(root?.attributes['langfuse.session.id'], 's1');
    assert.equal(turn?.attributes['langfuse.observation.model.name'], 'acme/atlas-4');
    assert.match(String(turn?.attributes['langfuse.observation.output']), /Good day\./);
  });

  test('clickhouse: rows of JSON by its HTTP interface', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    const config = { host: backend.url, database: 'logs', username: 'writer', password: 'pw-secret-1' };
    await create({ type: 'clickhouse', config, broadcast_generation_cost: true });
    const tested = new URL(backend.tests[0]?.url ?? '', backend.url);
    assert.equal(tested.searchParams.get('query'), 'SELECT 1 FROM logs.SERVICE_TRACES LIMIT 0');
    await Promise.all([ask({ input: 'Hello', session_id: 's1' }), ask({ input: 'Hello' })]);
    const rows = await eventually('two rows', () => {
      const found = backend.taken.flatMap(({ body }) => body.toString().trim().split('\n'));
      return found.length === 2 ? found.map((line) => JSON.parse(line)) : undefined;
    });
    const query = new URL(backend.taken[0]?.url ?? '', backend.url).searchParams;
    assert.equal(query.get('query'), 'INSERT INTO logs.SERVICE_TRACES FORMAT JSONEachRow');
    assert.equal(query.get('async_insert'), '1');
    assert.equal(backend.taken[0]?.headers['x-clickhouse-key'], 'pw-secret-1');
    const row = rows.find(({ session_id: session }) => session === 's1');
    assert.equal(row.model, 'acme/atlas-4');
    assert.equal(row.status, 200);
    assert.deepEqual(JSON.parse(row.output)[0], said[1]);
  });

  test('s3: compressed lines in an object of its own, signed', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    const config = {
      bucketName: 'traces',
      accessKeyId: 'AKIAEXAMPLE01',
      secretAccessKey: 'secret-access-key-1',
      endpoint: backend.url,
      region: 'eu-west-1',
    };
    await create({ type: 's3', config });
    assert.match(backend.tests[0]?.url ?? '', /^\/traces\/service-traces\/\d{4}-\d\d-\d\d\/test-connection$/);
    await ask('Hello');
    const [first] = await backend.wait(1);
    assert.ok(first);
    assert.equal(first.method, 'PUT');
    assert.match(first.url, /^\/traces\/service-traces\/\d{4}-\d\d-\d\d\/[0-9a-f]{8}-\d+-\d+\.ndjson\.gz$/);
    assert.match(
      first.headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE01\/\d{8}\/eu-west-1\/s3\/aws4_request, SignedHeaders=/,
    );
    const digest = createHash('sha256').update(first.body).digest('hex');
    assert.equal(first.headers['x-amz-content-sha256'], digest);
    const lines = gunzipSync(first.body).toString().trim().split('\n');
    assert.deepEqual(lines.length, 1);
    assert.equal(JSON.parse(lines[0] ?? '').resourceSpans.length, 1);
  });

  test('datadog: protobuf, which holds every request of a batch', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t, { pauses: { batch: 300 } });
    await create({ type: 'datadog', config: { apiKey: 'dd-secret-key-1', mlApp: 'shop', url: backend.url } });
    await Promise.all([1, 2, 3].map((number) => ask(`Hello ${number}`)));
    const [first] = await backend.wait(1);
    assert.ok(first);
    assert.equal(first.headers['content-type'], 'application/x-protobuf');
    assert.equal(first.headers['dd-api-key'], 'dd-secret-key-1');
    const text = first.body.toString('latin1');
    for (const number of [1, 2, 3]) assert.ok(text.includes(`Hello ${number}`));
    // The messages of all three are entries of one list: field 1, length-delimited, to the last byte.
    let at = 0;
    let entries = 0;
    while (at < first.body.length) {
      assert.equal(first.body[at], 0x0a);
      const { value, next } = varint(first.body, at + 1);
      at = next + value;
      entries += 1;
    }
    assert.equal(at, first.body.length);
    assert.equal(entries, 3);
  });

  test('braintrust, langsmith, arize, grafana, posthog, ramp, weave, sentry: address and credential', async (t) => {
    const { backend, create, ask } = await startBroadcasting(t);
    const apiKey = 'vendor-secret-1';
    const bearer = { authorization: `Bearer ${apiKey}` };
    const dsn = 'https://sentrykey@o1.ingest.example.com/42';
    const types: Record<string, readonly [object, string, Record<string, string>]> = {
      braintrust: [{ projectId: 'p1' }, '/otel/v1/traces', { ...bearer, 'x-bt-parent': 'project_id:p1' }],
      langsmith: [{}, '/otel/v1/traces', { 'x-api-key': apiKey, 'langsmith-project': 'main' }],
      arize: [
        { spaceKey: 'space-secret-1', modelId: 'm' },
        '/v1/traces',
        { api_key: apiKey, space_id: 'space-secret-1' },
      ],
      grafana: [
        { instanceId: '77' },
        '/otlp/v1/traces',
        { authorization: `Basic ${Buffer.from(`77:${apiKey}`).toString('base64')}` },
      ],
      posthog: [{}, '/i/v0/ai/otel/v1/traces', bearer],
      ramp: [{}, '/otlp/v1/traces', bearer],
      weave: [
        { entity: 'e', project: 'p' },
        '/otel/v1/traces',
        { 'wandb-api-key': apiKey, project_id: 'e/p' },
      ],
      sentry: [
        { dsn, otlpEndpoint: backend.url },
        '/v1/traces',
        { 'x-sentry-auth': 'sentry sentry_key=sentrykey' },
      ],
    };
    for (const [type, [config]] of Object.entries(types)) {
      const address = type === 'langsmith' || type === 'posthog' ? 'endpoint' : 'baseUrl';
      const own = type === 'sentry' ? config : { apiKey, [address]: backend.url, ...config };
      await create({ type, name: type, config: own, privacy_mode: true });
    }
    await ask('Hello');
    const taken = await backend.wait(Object.keys(types).length);
    for (const [type, [, url, headers]] of Object.entries(types)) {
      const found = taken.find(
        (one) =>
          one.url === url && Object.entries(headers).every(([name, value]) => one.headers[name] === value),
      );
      assert.ok(found, type);
    }
    const arize = taken.find(({ headers }) => headers.space_id !== undefined);
    assert.equal(resourceIn(arize ?? assert.fail())['openinference.project.name'], 'm');
  });
});

function rule(field: string, operator: string, value?: string | number) {
  return { field, operator, ...(value !== undefined && { value }) };
}

function varint(bytes: Buffer, from: number): { readonly value: number; readonly next: number } {
  let value = 0;
  let next = from;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[next] ?? 0;
    next += 1;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, next };
  }
}
