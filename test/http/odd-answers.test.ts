import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { chatBody, chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { eventStream } from '../support/adapter-harness.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

/** What a client gets, and pays, for answers no documentation foresees. */
const dialects = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini'] as const;
type Dialect = (typeof dialects)[number];

const events = { 'content-type': 'text/event-stream' };
const json = { 'content-type': 'application/json' };

let odd: FakeUpstream;
let sound: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  [odd, sound] = await Promise.all([startFakeUpstream(), startFakeUpstream({ steps: chatStream('Sound') })]);
  const south = providerOf({ slug: 'south', baseUrl: `${sound.url}/v1` });
  gateway = await startGateway({
    models: dialects.flatMap((adapter) => {
      const north = providerOf({ slug: `north-${adapter}`, name: 'North', adapter, baseUrl: odd.url });
      return [modelOf(`alone/${adapter}`, [north]), modelOf(`pair/${adapter}`, [north, south])];
    }),
  });
});

after(async () => {
  await gateway.stop();
  await Promise.all([odd.close(), sound.close()]);
});

interface Failure {
  readonly message: string;
  readonly metadata: { readonly error_type: string };
}

async function ask(dialect: Dialect, script: Script, author = 'alone', more: object = {}) {
  odd.play(script);
  const body = { model: `${author}/${dialect}`, input: 'Hello', stream: true, ...more };
  const order = author === 'pair' ? { provider: { order: [`north-${dialect}`] } } : {};
  return gateway.post({ ...body, ...order });
}

async function failureOf(dialect: Dialect, script: Script): Promise<Failure> {
  const response = await ask(dialect, script);
  const { error } = (await response.json()) as { error: Failure };
  return error;
}

function usageOf(terminal: Readonly<Record<string, unknown>>): Readonly<Record<string, number>> {
  return terminal.usage as Readonly<Record<string, number>>;
}

const refusals: Readonly<Record<Dialect, object>> = {
  'openai-chat': { error: { message: 'Too long.', code: 'context_length_exceeded' } },
  'openai-responses': { error: { message: 'Too long.', code: 'context_length_exceeded' } },
  'anthropic-messages': {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 9 tokens > 8 maximum' },
  },
  'google-gemini': {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (9) exceeds the maximum number of tokens allowed (8).',
    },
  },
};

for (const dialect of dialects) {
  const body = JSON.stringify(refusals[dialect], null, 2);

  test(`${dialect}: a failure that is only announced as an event stream`, async () => {
    for (const steps of [[body], [`\ufeff\n ${body}`], [...body]]) {
      const { metadata } = await failureOf(dialect, { headers: events, steps });
      assert.equal(metadata.error_type, 'context_length_exceeded');
    }
  });

  test(`${dialect}: a refusal whose body is an event stream`, async () => {
    const event = `event: error\ndata: ${JSON.stringify(refusals[dialect])}\n\ndata: [DONE]\n\n`;
    const { metadata, message } = await failureOf(dialect, { status: 400, headers: events, steps: [event] });
    assert.equal(metadata.error_type, 'context_length_exceeded');
    assert.doesNotMatch(message, /data:/);
  });
}

test('a failure announced as an event stream goes to the next endpoint as any other', async () => {
  const body = JSON.stringify({ error: { message: 'Wait.', code: 'rate_limit_exceeded' } });
  const response = await ask('openai-chat', { headers: events, steps: [body] }, 'pair');
  assert.equal(textOf((await readStream(response)).terminal), 'Sound');
});

test('a whole answer announced as an event stream, as plain text or as nothing is an answer', async () => {
  for (const headers of [events, { 'content-type': 'text/plain' }, {}]) {
    const { terminal } = await readStream(await ask('openai-chat', { headers, steps: [chatBody('Whole')] }));
    assert.equal(textOf(terminal), 'Whole');
    assert.equal(usageOf(terminal).input_tokens, 9);
  }
});

describe('an answer that is compressed although nobody asked for it', () => {
  const packers = {
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
    'gzip, br': (text: string | Buffer) => brotliCompressSync(gzipSync(text)),
  } as const;

  test('is read, streamed, whole and refused', async () => {
    for (const [encoding, pack] of Object.entries(packers)) {
      const packed = { 'content-encoding': encoding };
      const bytes = pack(chatStream('Hi').join(''));
      const pieces = [bytes.subarray(0, 20), 20, bytes.subarray(20)];
      const { terminal } = await readStream(
        await ask('openai-chat', { headers: { ...events, ...packed }, steps: pieces }),
      );
      assert.equal(textOf(terminal), 'Hi', encoding);
      const whole = { headers: { ...json, ...packed }, steps: [pack(chatBody('Whole'))] };
      assert.equal(textOf((await readStream(await ask('openai-chat', whole))).terminal), 'Whole');
      const refusal = pack('{"error":{"message":"No such temperature."}}');
      const script = { status: 400, headers: { ...json, ...packed }, steps: [refusal] };
      assert.equal((await failureOf('openai-chat', script)).message, 'No such temperature.');
    }
  });

  test('has failed where it is broken, cut short, or in an encoding that is not read', async () => {
    const whole = gzipSync(chatStream('Hi').join(''));
    const gzip = { ...events, 'content-encoding': 'gzip' };
    for (const steps of [[Buffer.from('no gzip at all')], [whole.subarray(0, 10)]]) {
      const { metadata } = await failureOf('openai-chat', { headers: gzip, steps });
      assert.equal(metadata.error_type, 'provider_unavailable');
    }
    const other = { ...events, 'content-encoding': 'pack200' };
    const unread = await failureOf('openai-chat', { headers: other, steps: [whole] });
    assert.equal(unread.message, 'North sent an answer in an encoding that is not read here.');
    const { terminal } = await readStream(await ask('openai-chat', { headers: gzip, steps: ['x'] }, 'pair'));
    assert.equal(textOf(terminal), 'Sound', 'the next endpoint answers');
    const plain = { ...events, 'content-encoding': 'Identity' };
    const told = await readStream(await ask('openai-chat', { headers: plain, steps: chatStream('Hi') }));
    assert.equal(textOf(told.terminal), 'Hi');
  });

  test('ends at the size of answers, however small it was sent', async () => {
    // Members of gzip one after the other are one text.
    const member = gzipSync(Buffer.alloc(16 * 1024 * 1024, 'a'));
    const bomb = Buffer.concat([gzipSync('data: '), ...Array.from({ length: 64 }, () => member)]);
    const before = process.memoryUsage().rss;
    const { metadata } = await failureOf('openai-chat', {
      headers: { ...events, 'content-encoding': 'gzip' },
      steps: [bomb],
    });
    assert.match(metadata.error_type, /^(max_tokens_exceeded|provider_unavailable)$/);
    assert.ok(process.memoryUsage().rss - before < 400 * 1024 * 1024);
  });
});

const usage = { input_tokens: 9, output_tokens: 2 };

/** An answer of each dialect that calls a tool nobody can name. */
const nameless: Readonly<Record<Dialect, string>> = {
  'openai-chat': [
    chatChunk({ tool_calls: [{ index: 0, id: 'a', function: { arguments: '{}' } }] }),
    chatChunk({}, 'tool_calls'),
  ].join(''),
  'openai-responses': eventStream([
    { type: 'response.created', response: { id: 'r' } },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'function_call', call_id: 'a', arguments: '{}' },
    },
    { type: 'response.completed', response: { id: 'r', status: 'completed', usage } },
  ]),
  'anthropic-messages': eventStream([
    { type: 'message_start', message: { id: 'm', usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'a', input: {} } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage },
    { type: 'message_stop' },
  ]),
  'google-gemini': dataEvent({
    candidates: [{ content: { parts: [{ functionCall: { args: {} } }] }, finishReason: 'STOP' }],
  }),
};

for (const dialect of dialects) {
  test(`${dialect}: a call of a tool without a name is no answer`, async () => {
    const script = { steps: [nameless[dialect]] };
    assert.match((await failureOf(dialect, script)).message, /a tool call without a name/);
    const response = await ask(dialect, script, 'pair');
    assert.equal(textOf((await readStream(response)).terminal), 'Sound');
  });
}

test('an answer without words and without a reason is none, and the next endpoint is asked', async () => {
  const chat = [chatChunk({ role: 'assistant', content: '' }), 'data: [DONE]\n\n'];
  const messages = eventStream([
    { type: 'message_start', message: { id: 'm', usage } },
    { type: 'message_stop' },
  ]);
  for (const [dialect, steps] of [
    ['openai-chat', chat] as const,
    ['anthropic-messages', [messages]] as const,
  ]) {
    assert.equal((await failureOf(dialect, { steps })).message, 'The provider sent an empty answer.');
    const response = await ask(dialect, { steps }, 'pair');
    assert.equal(textOf((await readStream(response)).terminal), 'Sound');
  }
});

async function chargeOf(...chunks: readonly string[]) {
  const response = await ask('openai-chat', { steps: [...chunks, 'data: [DONE]\n\n'] });
  const { terminal } = await readStream(response);
  const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
  const { input_tokens, output_tokens, cost } = usageOf(terminal);
  assert.equal(Number(record?.cost) / 1e9, cost);
  return { input_tokens, output_tokens, estimated: record?.usageEstimated };
}

test('counts in several chunks add to each other, and one that says nothing takes none away', async () => {
  const counted = { input_tokens: 1200, output_tokens: 34, estimated: false };
  const told = (usage: object) => dataEvent({ choices: [], usage });
  const answer = [chatChunk({ content: 'Hi' }), chatChunk({}, 'stop')];
  const all = told({ prompt_tokens: 1200, completion_tokens: 34 });
  const none = told({ prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 });
  const orders = [
    [none, ...answer, all],
    [...answer, all, none],
    [...answer, all, told({})],
    [told({ prompt_tokens: 1200 }), ...answer, told({ completion_tokens: 34 })],
    [told({ prompt_tokens: 1200, completion_tokens: 1 }), ...answer, all],
  ];
  for (const chunks of orders) assert.deepEqual(await chargeOf(...chunks), counted);
});

test('counts no answer can have are not charged', async () => {
  for (const count of [2e15, 1e18, 1e300]) {
    const absurd = dataEvent({ choices: [], usage: { prompt_tokens: count, completion_tokens: count } });
    const charge = await chargeOf(chatChunk({ content: 'Hi' }), chatChunk({}, 'stop'), absurd);
    assert.equal(charge.estimated, true);
    assert.ok((charge.input_tokens ?? 0) < 100, JSON.stringify(charge));
  }
});

test('counts of zero throughout are no counts in any dialect, so that no answer is free', async () => {
  const none = { input_tokens: 0, output_tokens: 0 };
  const message = eventStream([
    { type: 'message_start', message: { id: 'm', usage: none } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: none },
    { type: 'message_stop' },
  ]);
  const candidates = [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }];
  const zeros = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };
  for (const [dialect, step] of [
    ['anthropic-messages', message] as const,
    ['google-gemini', dataEvent({ candidates, usageMetadata: zeros })] as const,
  ]) {
    const response = await ask(dialect, { steps: [step] });
    const { input_tokens, output_tokens } = usageOf((await readStream(response)).terminal);
    assert.ok(input_tokens && output_tokens, dialect);
    const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
    assert.ok(record?.usageEstimated && record.cost > 0n, dialect);
  }
});

test('an end mark of another dialect ends nothing and breaks nothing', async () => {
  const answer = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] };
  const gemini = [dataEvent(answer), 'data: [DONE]\n\n'];
  const { terminal } = await readStream(await ask('google-gemini', { steps: gemini }));
  assert.equal(textOf(terminal), 'Hi');
});

const callPiece = (index: number, name: string | undefined, text: string) =>
  chatChunk({
    tool_calls: [{ index, ...(name && { id: `call_${index}` }), function: { name, arguments: text } }],
  });

test('calls with free text whose pieces interleave are told one after the other, each whole', async () => {
  const pieces = [
    callPiece(0, 'query', '{"input":"se'),
    callPiece(1, 'query', '{"input":"up'),
    callPiece(0, undefined, 'lect"}'),
    callPiece(1, undefined, 'date"}'),
  ];
  const tools = [{ type: 'custom', name: 'query' }];
  const response = await ask('openai-chat', { steps: [...pieces, chatChunk({}, 'tool_calls')] }, 'alone', {
    tools,
  });
  const { output } = (await readStream(response)).terminal as { output: { input: string }[] };
  assert.deepEqual(
    output.map(({ input }) => input),
    ['select', 'update'],
  );
});

test('a citation told after the calls that follow its text makes no empty message behind them', async () => {
  const url_citation = { url: 'https://a.test', title: 'A', start_index: 0, end_index: 3 };
  const steps = [
    chatChunk({ content: 'See here.' }),
    callPiece(0, 'look', '{}'),
    chatChunk({ annotations: [{ type: 'url_citation', url_citation }] }, 'tool_calls'),
  ];
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const { terminal } = await readStream(await ask('openai-chat', { steps }, 'alone', { tools }));
  assert.deepEqual(
    (terminal.output as { type: string }[]).map(({ type }) => type),
    ['message', 'function_call'],
  );
});

test('openai-responses: a call at an index that was used before keeps its arguments', async () => {
  const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'look' };
  const message = { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text: 'Well.' }] };
  const place = { output_index: 0 };
  const steps = [
    { type: 'response.created', response: { id: 'r' } },
    { type: 'response.output_item.done', ...place, item: message },
    { type: 'response.output_item.added', ...place, item: { ...call, arguments: '' } },
    { type: 'response.function_call_arguments.delta', ...place, item_id: 'fc_1', delta: '{"port":"Brest"}' },
    { type: 'response.output_item.done', ...place, item: { ...call, arguments: '{"port":"Brest"}' } },
    { type: 'response.completed', response: { id: 'r', status: 'completed', usage } },
  ].map((event) => eventStream([event]));
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const { terminal } = await readStream(await ask('openai-responses', { steps }, 'alone', { tools }));
  const { output } = terminal as { output: { arguments?: string }[] };
  assert.equal(output[1]?.arguments, '{"port":"Brest"}');
});

test('a stream whose first words contradict themselves is refused with a status: nothing of it was sent', async () => {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const pieces = [callPiece(0, 'look', '{"a":1}'), callPiece(1, 'look', '{}'), callPiece(0, undefined, '}')];
  const response = await ask('openai-chat', { steps: [pieces.join('')] }, 'alone', { tools });
  assert.equal(response.status, 502);
  assert.match(await response.text(), /after they were complete/);
});

test('openai-responses: what a failure used is told and kept, and costs nothing', async () => {
  const said = { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Well' };
  const failed = { status: 'failed', error: { code: 'server_error', message: 'Broke.' }, usage };
  const steps = [eventStream([said, { type: 'response.failed', response: failed }])];
  const response = await ask('openai-responses', { steps });
  const { terminal } = await readStream(response);
  const { input_tokens, output_tokens, cost } = usageOf(terminal);
  assert.deepEqual([terminal.status, input_tokens, output_tokens, cost], ['failed', 9, 2, 0]);
  const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
  assert.deepEqual([record?.usage.output, record?.cost], [2, 0n]);
});

test('half a character is in no answer, wherever a provider cuts a text', async () => {
  const half = '\ud83d';
  const citation = { type: 'url_citation', url_citation: { url: 'https://tides.example', title: half } };
  const cited = [
    chatChunk({ content: 'Tides' }),
    chatChunk({ annotations: [citation] }),
    ...chatStream('"\\ud83d"'),
  ];
  const { terminal } = await readStream(await ask('openai-chat', { steps: cited }));
  assert.equal(textOf(terminal), 'Tides"\\ud83d"', 'what looks like its escape is text');
  assert.match(JSON.stringify(terminal), /"title":"\ufffd"/);
  const refusal = JSON.stringify({ error: { message: `Not this: ${half}` } });
  const refused = await ask('openai-chat', { status: 400, headers: json, steps: [refusal] });
  assert.match(await refused.text(), /"Not this: \ufffd"/);
});

test('an answer that a limit of the provider cuts off is recorded with that reason, as it is told', async () => {
  const limit = dataEvent({ error: { message: 'Too long.', code: 'context_length_exceeded' } });
  const response = await ask('openai-chat', { steps: [chatChunk({ content: 'Hi' }), limit] });
  const { terminal } = await readStream(response);
  assert.deepEqual(
    [terminal.status, terminal.incomplete_details],
    ['incomplete', { reason: 'max_output_tokens' }],
  );
  const id = response.headers.get('x-generation-id');
  const { data } = (await (await gateway.get(`/api/v1/generation?id=${id}`)).json()) as {
    data: Readonly<Record<string, unknown>>;
  };
  assert.deepEqual([data.finish_reason, data.total_cost], ['length', usageOf(terminal).cost]);
});
