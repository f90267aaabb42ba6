import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { WebSocket } from 'ws';
import type { TelemetryConfig } from '../../src/config/config.ts';
import { TraceContext } from '../../src/telemetry/trace-context.ts';
import { chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { type CollectedSpan, startCollector, treeOf } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { noTelemetry, startGateway } from '../support/gateway.ts';
import { startGuarded } from '../support/guarded-gateway.ts';
import { asks, callStream, secondOpinion, smallModel } from '../turns/second-opinion.ts';

const good: Script = { steps: chatStream('Good ', 'day.') };
const broken: Script = { status: 500, headers: {} };
const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const parent = `00-${traceId}-${parentId}-01`;

interface Setting {
  readonly north?: readonly Script[];
  readonly south?: readonly Script[];
  readonly telemetry?: Partial<TelemetryConfig>;
  readonly propagatesTrace?: boolean;
}

/** A gateway before two providers, and a collector that gets its spans once it stops. */
async function start(t: TestContext, setting: Setting = {}) {
  const collector = await startCollector();
  const north = await startFakeUpstream(...(setting.north ?? [good]));
  const south = await startFakeUpstream(...(setting.south ?? [good]));
  const { propagatesTrace } = setting;
  const providers = [
    providerOf({ slug: 'north', baseUrl: `${north.url}/v1`, propagatesTrace }),
    providerOf({ slug: 'south', baseUrl: `${south.url}/v1`, conventionName: 'south_ai' }),
  ];
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', providers), modelOf(smallModel, providers.slice(1))],
    parts: { tools: [secondOpinion] },
    config: { telemetry: { ...noTelemetry, endpoint: collector.url, ...setting.telemetry } },
  });
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await gateway.stop();
    isOpen = false;
  };
  t.after(async () => {
    await stop();
    await Promise.all([collector.close(), north.close(), south.close()]);
  });
  return {
    gateway,
    collector,
    north,
    /** Stops the gateway, which sends what waits; returns all spans. */
    async spans(): Promise<readonly CollectedSpan[]> {
      await stop();
      for (const span of collector.spans) assertWithin(span, collector.spans);
      return collector.spans;
    },
    post: (path: string, body: object, headers = {}) =>
      fetch(`${gateway.url}/api/v1${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${gateway.key}`,
          ...headers,
        },
        body: JSON.stringify(body),
      }),
  };
}

/** A child begins and ends while its parent runs. */
function assertWithin(span: CollectedSpan, all: readonly CollectedSpan[]): void {
  assert.ok(span.to >= span.from, `${span.name} ends before it begins`);
  const above = all.find(({ spanId }) => spanId === span.parentSpanId);
  if (above === undefined) return;
  assert.equal(span.traceId, above.traceId);
  assert.ok(span.from >= above.from && span.to <= above.to, `${span.name} is not within ${above.name}`);
}

const doors = {
  responses: ['/responses', { model: 'acme/atlas-4', input: 'Hello' }],
  chat: ['/chat/completions', { model: 'acme/atlas-4', messages: [{ role: 'user', content: 'Hello' }] }],
  messages: [
    '/messages',
    { model: 'acme/atlas-4', max_tokens: 99, messages: [{ role: 'user', content: 'Hello' }] },
  ],
} as const;

/** What a span of an attempt came to. */
const outcome = ({ attributes }: CollectedSpan) =>
  [attributes['headgate.attempt.provider'], attributes['headgate.attempt.outcome']].join(' ').trim();

describe('a request is one tree of spans', () => {
  for (const [name, [path, body]] of Object.entries(doors)) {
    for (const stream of [false, true]) {
      test(`a fallback at the door for ${name}${stream ? ', streamed' : ''}`, async (t) => {
        const { post, spans } = await start(t, { north: [broken] });
        const answer = await post(path, { ...body, stream });
        assert.equal(answer.status, 200);
        await answer.text();
        assert.deepEqual(treeOf(await spans(), outcome), [
          `server POST /api/v1${path}`,
          '  client chat acme/atlas-4',
          '    client POST ERROR north failed',
          '    client POST south answered',
          '  internal settle',
        ]);
      });
    }
  }

  test('a tool that asks a model has the inner turn below it, and stands beside the turns', async (t) => {
    const { post, spans } = await start(t, {
      north: [{ steps: callStream(asks('Is it?')) }, { steps: callStream(asks('Sure?')) }, good],
    });
    await (await post(...doors.responses)).text();
    assert.deepEqual(treeOf(await spans(), outcome), [
      'server POST /api/v1/responses',
      '  client chat acme/atlas-4',
      '    client POST north answered',
      '  internal settle',
      '  internal execute_tool service_second_opinion',
      `    client chat ${smallModel}`,
      '      client POST south answered',
      '  client chat acme/atlas-4',
      '    client POST north answered',
      '  internal settle',
      '  internal execute_tool service_second_opinion',
      `    client chat ${smallModel}`,
      '      client POST south answered',
      '  client chat acme/atlas-4',
      '    client POST north answered',
      '  internal settle',
    ]);
  });

  test('a redaction, a failed attempt and a step, streamed', async (t) => {
    const collector = await startCollector();
    const broken = await startFakeUpstream({ status: 500, headers: {} });
    const { ask, guard, gateway, upstream, stop } = await startGuarded({
      models: (provider) => [
        modelOf('acme/atlas-4', [providerOf({ slug: 'broken', baseUrl: `${broken.url}/v1` }), provider]),
      ],
      config: { telemetry: { ...noTelemetry, endpoint: collector.url } },
    });
    t.after(() => Promise.all([collector.close(), broken.close()]));
    upstream.play({ steps: callStream(['service_datetime', '{}']) }, good);
    await guard(
      { content_filter_builtins: [{ slug: 'email', action: 'redact' }] },
      { keys: [gateway.keyHash] },
    );
    const body = {
      stream: true,
      input: 'Write to canary@acme.example',
      tools: [{ type: 'service:datetime' }],
    };
    const { status } = await ask(body);
    assert.equal(status, 200);
    await stop();
    const spans = collector.spans.filter(({ traceId }) => traceId === collector.spans.at(-1)?.traceId);
    assert.deepEqual(treeOf(spans, outcome), [
      'server POST /api/v1/responses',
      '  internal guardrail content-filter',
      '  client chat acme/atlas-4',
      '    client POST ERROR broken failed',
      '    client POST north answered',
      '  internal settle',
      '  internal execute_tool service_datetime',
      '  client chat acme/atlas-4',
      '    client POST north answered',
      '  internal settle',
    ]);
    const found = spans.find(({ name }) => name.startsWith('guardrail'))?.attributes;
    assert.equal(found?.['headgate.guardrail.action'], 'redacted');
    assert.deepEqual(found?.['headgate.guardrail.engines'], ['regex']);
    assert.ok(!collector.bodies.some(({ text }) => text.includes('canary')));
  });

  test('a stream that breaks off is a failed turn of an answer that began', async (t) => {
    const { post, spans } = await start(t, {
      north: [{ steps: chatStream('Good ').slice(0, 2), ending: 'cut' }],
    });
    const [path, body] = doors.responses;
    await (await post(path, { ...body, stream: true })).text();
    const all = await spans();
    assert.deepEqual(treeOf(all, outcome), [
      'server POST /api/v1/responses',
      '  client chat acme/atlas-4 ERROR',
      '    client POST north answered',
      '  internal settle',
    ]);
    const [root] = all;
    assert.equal(root?.attributes['http.response.status_code'], 200);
    assert.equal(root?.attributes['error.type'], 'provider_unavailable');
  });

  test('a client that leaves in the midst is a whole tree that says so', async (t) => {
    const { spans, gateway } = await start(t, {
      north: [{ steps: [chatChunk({ role: 'assistant', content: 'Good' })], ending: 'hang' }],
    });
    const abort = new AbortController();
    const [path, body] = doors.responses;
    const answer = await fetch(`${gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ ...body, stream: true }),
      signal: abort.signal,
    });
    await answer.body?.getReader().read();
    abort.abort();
    await eventually('the turn is settled', () =>
      gateway.log.some((line) => line.includes('"finish":"cancelled"')),
    );
    const all = await spans();
    assert.deepEqual(treeOf(all), [
      'server POST /api/v1/responses',
      '  client chat acme/atlas-4',
      '    client POST',
      '  internal settle',
    ]);
    assert.equal(all[0]?.attributes['headgate.cancelled'], true);
    assert.ok(!('error.type' in (all[0]?.attributes ?? {})));
  });

  test('what is refused before it is routed is its own span alone', async (t) => {
    const { post, spans } = await start(t);
    const [path, body] = doors.responses;
    await (await post(path, { ...body, model: 'acme/none' })).text();
    await (await post(path, { ...body, input: 7 })).text();
    await (await post(path, body, { authorization: 'Bearer sk-wrong' })).text();
    await (await post('/nowhere', {})).text();
    const all = await spans();
    assert.deepEqual(
      all.map(({ name, isError, attributes: at }) => [
        name,
        isError,
        at['http.response.status_code'],
        at['error.type'],
      ]),
      [
        ['POST /api/v1/responses', false, 400, 'invalid_request'],
        ['POST /api/v1/responses', false, 400, 'invalid_request'],
        ['POST /api/v1/responses', false, 401, 'authentication'],
      ],
    );
  });

  test('each message of a WebSocket is a tree of its own in the trace of the connection', async (t) => {
    const { gateway, spans } = await start(t);
    const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/api/v1/responses`, {
      headers: { authorization: `Bearer ${gateway.key}`, traceparent: parent },
    });
    const say = () =>
      new Promise<void>((resolve) => {
        socket.send(JSON.stringify({ type: 'response.create', ...doors.responses[1] }));
        socket.on('message', (data) => {
          if (JSON.parse(String(data)).type === 'response.completed') resolve();
        });
      });
    await new Promise((resolve) => socket.once('open', resolve));
    await say();
    await say();
    socket.close();
    const all = await spans();
    assert.ok(all.every((span) => span.traceId === traceId));
    const message = [
      'server GET /api/v1/responses',
      '  client chat acme/atlas-4',
      '    client POST',
      '  internal settle',
    ];
    assert.deepEqual(treeOf(all), ['server GET /api/v1/responses', ...message, ...message]);
  });

  test('management calls are spans; health, metrics and the index of the API are none', async (t) => {
    const { gateway, spans } = await start(t);
    for (const path of ['/health', '/metrics', '/api/v1/key', '/api/v1/models']) {
      await (await gateway.get(path)).text();
    }
    const names = (await spans()).map(({ name }) => name);
    assert.deepEqual(names, ['GET /api/v1/key', 'GET /api/v1/models']);
  });
});

describe('attributes', () => {
  const body = {
    model: 'acme/atlas-4',
    input: 'canary-prompt',
    temperature: 0.5,
    max_output_tokens: 500,
    session_id: 'session-1',
    metadata: { note: 'canary-metadata' },
    reasoning: { effort: 'low' },
  };
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 8,
    total_tokens: 28,
    prompt_tokens_details: { cached_tokens: 5 },
  };
  const said: Script = {
    steps: [
      chatChunk({ role: 'assistant', content: 'canary-answer' }),
      chatChunk({}, 'stop'),
      dataEvent({ id: 'chatcmpl-1', choices: [], usage }),
      'data: [DONE]\n\n',
    ],
  };

  test('are those of the conventions, with what the client asked and the provider reported', async (t) => {
    const { post, spans, gateway } = await start(t, { north: [broken], south: [said] });
    const answer = await post('/responses', body, { 'user-agent': 'tester/1' });
    const { usage: shown } = (await answer.json()) as { usage: { cost: number } };
    const all = await spans();
    const find = (name: string) => all.find((span) => span.name === name)?.attributes ?? {};
    const turn = find('chat acme/atlas-4');
    const expected = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'south_ai',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.request.max_tokens': 500,
      'gen_ai.request.stream': false,
      'gen_ai.request.reasoning.level': 'low',
      'gen_ai.conversation.id': 'session-1',
      'gen_ai.response.id': 'chatcmpl-1',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 20,
      'gen_ai.usage.output_tokens': 8,
      'gen_ai.usage.cache_read.input_tokens': 5,
      'server.address': '127.0.0.1',
    };
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(turn[name], value, name);
    assert.ok(!('gen_ai.request.top_p' in turn), 'what was not sent is not stated');
    assert.ok(!('gen_ai.usage.reasoning.output_tokens' in turn), 'what was not reported is not stated');
    const root = find('POST /api/v1/responses');
    assert.equal(root['http.route'], '/api/v1/responses');
    assert.equal(root['headgate.generation_id'], answer.headers.get('x-generation-id'));
    assert.equal(root['headgate.cost_usd'], shown.cost);
    assert.equal(root['headgate.attempts'], 2);
    assert.equal(root['session.id'], 'session-1');
    assert.equal(root['user_agent.original'], 'tester/1');
    assert.ok(!('client.address' in root));
    const second = all.find(({ attributes }) => attributes['headgate.attempt.index'] === 2)?.attributes;
    assert.equal(second?.['http.request.resend_count'], 1);
    const lines = gateway.log.map((line) => JSON.parse(line) as { msg: string; trace_id?: string });
    assert.equal(lines.find(({ msg }) => msg === 'served')?.trace_id, all[0]?.traceId);
  });

  test('say nothing of what was said, and nothing secret', async (t) => {
    const { post, spans, collector, gateway } = await start(t, { south: [said], north: [broken] });
    await (await post('/responses', { ...body, trace: { note: 'canary-trace' } })).text();
    await spans();
    const sent = collector.bodies.map(({ text }) => text).join();
    assert.ok(sent.includes('gen_ai.operation.name'));
    assert.ok(!sent.includes('canary'), sent);
    assert.ok(!sent.includes(gateway.key));
  });

  test('have the names of the release that is configured', async (t) => {
    const { post, spans, collector } = await start(t, { telemetry: { conventions: '1.41' } });
    await (await post('/responses', body)).text();
    const turn = (await spans()).find(({ name }) => name.startsWith('chat '))?.attributes ?? {};
    assert.ok(!('gen_ai.request.reasoning.level' in turn));
    assert.match(collector.bodies[0]?.text ?? '', /"schemaUrl":"https:\/\/opentelemetry.io\/schemas\/1\.41/);
  });
});

describe('the trace of a client', () => {
  test('is gone on with; its provider learns of it only where that is configured', async (t) => {
    const quiet = await start(t);
    await (await quiet.post(...doors.responses, { traceparent: parent, tracestate: 'a=b' })).text();
    const [root, ...others] = await quiet.spans();
    assert.equal(root?.traceId, traceId);
    assert.equal(root?.parentSpanId, parentId);
    assert.ok(others.every((span) => span.traceId === traceId));
    assert.equal(quiet.north.requests[0]?.headers.traceparent, undefined);
    const open = await start(t, { propagatesTrace: true });
    await (await open.post(...doors.responses, { traceparent: parent, tracestate: 'a=b' })).text();
    const attempt = (await open.spans()).find(({ name }) => name === 'POST');
    const { headers } = open.north.requests[0] ?? {};
    assert.equal(headers?.traceparent, `00-${traceId}-${attempt?.spanId}-01`);
    assert.equal(headers?.tracestate, undefined);
  });

  const odd = {
    'version ff': parent.replace('00-', 'ff-'),
    'no trace': `00-${'0'.repeat(32)}-${parentId}-01`,
    'no span': `00-${traceId}-${'0'.repeat(16)}-01`,
    'too short': parent.slice(0, -1),
    'capital letters': parent.toUpperCase(),
    'more than version 00 has': `${parent}-x`,
    twice: `${parent}, ${parent}`,
  };
  test('is ignored where it breaks the rules, whatever is wrong with it', async (t) => {
    const { post, spans } = await start(t);
    for (const traceparent of Object.values(odd)) {
      const answer = await post(...doors.responses, { traceparent });
      assert.equal(answer.status, 200);
      await answer.text();
    }
    const roots = (await spans()).filter(({ kind }) => kind === 'server');
    assert.equal(roots.length, Object.keys(odd).length);
    assert.ok(roots.every((root) => root.traceId !== traceId && root.parentSpanId === undefined));
    assert.equal(new Set(roots.map((root) => root.traceId)).size, roots.length);
  });

  test('is a link where its sender is not trusted', async (t) => {
    const { post, spans } = await start(t, { telemetry: { trustIncoming: ['10.0.0.0/8'] } });
    await (await post(...doors.responses, { traceparent: parent })).text();
    const [root] = await spans();
    assert.notEqual(root?.traceId, traceId);
    assert.deepEqual(root?.links, [{ traceId, spanId: parentId }]);
  });

  test('can be named by the field, equal names being one trace; a header wins and is linked', async (t) => {
    const { post, spans } = await start(t);
    const [path, body] = doors.responses;
    const trace = { trace_id: 'order 7', trace_name: 'Order' };
    await (await post(path, { ...body, trace })).text();
    await (await post(path, { ...body, trace })).text();
    await (await post(path, { ...body, trace }, { traceparent: parent })).text();
    const [first, second, third] = (await spans()).filter(({ kind }) => kind === 'server');
    assert.equal(first?.traceId, second?.traceId);
    assert.match(first?.traceId ?? '', /^[0-9a-f]{32}$/);
    assert.equal(first?.attributes['headgate.trace_name'], 'Order');
    assert.equal(third?.traceId, traceId);
    assert.deepEqual(third?.links[0]?.traceId, first?.traceId);
  });
});

describe('sampling', () => {
  const none = { ratio: 0, followParent: true, forcedPerSecond: 2, alwaysOnError: false };

  test('follows the sender so many times a second, and not further', () => {
    let now = 5_000;
    const context = new TraceContext({ ...noTelemetry, sampling: none }, () => now);
    const isSampled = () => context.placeOf({ traceparent: parent, address: () => undefined }).isSampled;
    assert.deepEqual([isSampled(), isSampled(), isSampled(), isSampled()], [true, true, false, false]);
    now += 1_000;
    assert.deepEqual([isSampled(), isSampled(), isSampled()], [true, true, false]);
    assert.equal(context.placeOf({ address: () => undefined }).isSampled, false);
  });

  test('exports what failed by fault of a provider in any case', async (t) => {
    const { post, spans } = await start(t, {
      north: [good, broken],
      south: [broken],
      telemetry: { sampling: { ...none, alwaysOnError: true } },
    });
    await (await post(...doors.responses)).text();
    assert.equal((await post(...doors.responses)).status, 503);
    const roots = (await spans()).filter(({ kind }) => kind === 'server');
    assert.deepEqual(
      roots.map(({ attributes }) => attributes['http.response.status_code']),
      [503],
    );
  });
});

describe('a collector', () => {
  test('that never answers changes nothing for clients, and what finds no room is dropped whole and counted', async (t) => {
    const { post, gateway, collector } = await start(t, { telemetry: {} });
    collector.setStatus(undefined);
    const ask = async () => {
      const answer = await post(...doors.responses);
      assert.equal(answer.status, 200);
      await answer.text();
    };
    // Four spans each: more than the 4,096 that may wait.
    for (let round = 0; round < 28; round += 1) await Promise.all(Array.from({ length: 40 }, ask));
    const text = await (await gateway.get('/metrics')).text();
    const [, dropped] = /headgate_sink_items_total\{sink="traces",result="dropped"\} (\d+)/.exec(text) ?? [];
    assert.equal(Number(dropped), 4 * 28 * 40 - 4_096);
    collector.setStatus(200);
  });

  test('that refuses is reported to operators once, without what it answered', async (t) => {
    const { post, gateway, collector, spans } = await start(t);
    collector.setStatus(400);
    await (await post(...doors.responses)).text();
    await spans();
    const failed = gateway.log.filter((line) => line.includes('not taken by the collector'));
    assert.equal(failed.length, 1);
  });
});
