import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerTool } from '../../src/server-tools/server-tool.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import type { WireEvent } from '../stream-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';
import { callStream } from '../turns/second-opinion.ts';

const time = ['service_datetime', '{}'] as const;
const answer: Script = { steps: chatStream('It', ' is', ' late.') };
const calls = (...list: (readonly [name: string, input: string])[]): Script => ({
  steps: callStream(...list),
});
const datetime = { type: 'service:datetime' };

/** A gateway before one model, whose turns are these scripts. */
async function start(scripts: readonly Script[], tools: readonly ServerTool[] = []) {
  const upstream = await startFakeUpstream(...scripts);
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])],
    parts: { tools },
  });
  return {
    gateway,
    upstream,
    ask: (body: object = {}) =>
      gateway.post({ model: 'acme/atlas-4', input: 'When?', tools: [datetime], ...body }),
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async read(body: object = {}): Promise<any> {
      return (await this.ask(body)).json();
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await upstream.close();
    },
  };
}

interface SentBody {
  readonly tool_choice: unknown;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly messages: readonly {
    readonly role: string;
    readonly content: string;
    readonly tool_calls?: unknown[];
  }[];
}

function bodyOf({ requests }: FakeUpstream, place: number): SentBody {
  const request = requests[place];
  assert.ok(request);
  return request.body as SentBody;
}

const typesOf = (body: { output: { type: string }[] }) => body.output.map(({ type }) => type);

test('a forced call binds the first turn alone', async () => {
  for (const tool_choice of ['required', { type: 'service:datetime' }]) {
    await using world = await start([calls(time), answer]);
    const body = await world.read({ tool_choice });
    assert.equal(body.status, 'completed');
    assert.equal(body.tool_choice, 'required');
    const forced = { type: 'function', function: { name: 'service_datetime' } };
    assert.deepEqual(bodyOf(world.upstream, 0).tool_choice, forced);
    assert.ok([undefined, 'auto'].includes(bodyOf(world.upstream, 1).tool_choice as string));
  }
});

test('functions of the client come first, then those of the gateway, in every turn', async () => {
  await using world = await start([calls(time), answer]);
  await world.read({
    tools: [datetime, { type: 'function', name: 'zeta' }, { type: 'function', name: 'alpha' }],
  });
  for (const turn of [0, 1]) {
    const names = bodyOf(world.upstream, turn).tools?.map(({ function: { name } }) => name);
    assert.deepEqual(names, ['zeta', 'alpha', 'service_datetime']);
  }
});

test('a budget of two: two calls, then one turn in which nothing may be called', async () => {
  await using world = await start([calls(time), calls(time), answer]);
  const body = await world.read({ max_tool_calls: 2 });
  assert.deepEqual([body.status, world.upstream.requests.length], ['completed', 3]);
  assert.deepEqual(typesOf(body), ['message', 'service:datetime', 'message', 'service:datetime', 'message']);
  assert.equal(bodyOf(world.upstream, 2).tool_choice, 'none');
  assert.equal(bodyOf(world.upstream, 2).messages.at(-1)?.role, 'user');
  assert.ok(!JSON.stringify(body).includes('No tools can be called'), 'the question is not shown');
});

test('calls beyond the budget get an error and count as requested', async () => {
  await using world = await start([calls(time, time, time), answer]);
  const body = await world.read({ max_tool_calls: 2 });
  const { tool_calls_requested, tool_calls_executed } = body.usage.server_tool_use_details;
  assert.deepEqual([tool_calls_requested, tool_calls_executed], [3, 2]);
  const results = bodyOf(world.upstream, 1).messages.filter(({ role }) => role === 'tool');
  assert.match(results[2]?.content ?? '', /No calls are left/);
});

test('stop conditions replace the budget altogether', async () => {
  const rounds = Array.from({ length: 35 }, () => calls(time));
  await using world = await start([...rounds, answer]);
  const stop_server_tools_when = [{ type: 'step_count_is', step_count: 35 }];
  const body = await world.read({ max_tool_calls: 1, stop_server_tools_when });
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 35);
  assert.equal(world.upstream.requests.length, 36);
});

const conditions: readonly object[] = [
  { type: 'max_cost', max_cost_in_dollars: 0.00001 },
  { type: 'max_tokens_used', max_tokens: 20 },
  { type: 'has_tool_call', tool_name: 'service:datetime' },
  { type: 'has_tool_call', tool_name: 'service_datetime' },
  { type: 'finish_reason_is', reason: 'tool_calls' },
  { type: 'step_count_is', step_count: 1 },
];
for (const condition of conditions) {
  test(`${JSON.stringify(condition)}: pending calls run, then comes the last turn`, async () => {
    await using world = await start([calls(time), answer]);
    const body = await world.read({ stop_server_tools_when: [condition] });
    assert.deepEqual(typesOf(body), ['message', 'service:datetime', 'message']);
    assert.equal(bodyOf(world.upstream, 1).tool_choice, 'none');
    assert.equal(bodyOf(world.upstream, 1).messages.filter(({ role }) => role === 'tool').length, 1);
  });
}

test('conditions that do not hold stop nothing', async () => {
  await using world = await start([calls(time), answer]);
  const stop_server_tools_when = [
    { type: 'max_cost', max_cost_in_dollars: 10 },
    { type: 'has_tool_call', tool_name: 'other' },
  ];
  await world.read({ stop_server_tools_when });
  assert.notEqual(bodyOf(world.upstream, 1).tool_choice, 'none');
});

test('calls in the last turn are dropped; one that says nothing is asked for once more', async () => {
  const silent: Script = { steps: callStream(time).filter((event) => !event.includes('Let me ask')) };
  await using world = await start([calls(time), silent, silent, answer]);
  const body = await world.read({ max_tool_calls: 1, tools: [datetime, { type: 'function', name: 'mine' }] });
  assert.equal(body.status, 'completed');
  assert.equal(world.upstream.requests.length, 3);
  assert.deepEqual(typesOf(body), ['message', 'service:datetime']);
});

test('parallel calls that end out of order keep the order of the model, also in the stream', async () => {
  const waits = new Map<string, PromiseWithResolvers<void>>();
  for (const which of ['a', 'b', 'c']) waits.set(which, Promise.withResolvers());
  const waiting: ServerTool = {
    type: 'service:waiting',
    comesUnlisted: true,
    concerns: () => true,
    offer: () => [
      {
        type: 'service:waiting',
        definition: { kind: 'function', name: 'service_waiting' },
        announce: ({ which }) => ({ which }),
        async run({ which }, { progress }) {
          progress('waiting.heard', { which });
          // The last one ends first.
          if (which === 'c') waits.get('b')?.resolve();
          else await waits.get(String(which))?.promise;
          if (which === 'b') waits.get('a')?.resolve();
          return { output: `done ${which}`, fields: { which, done: true } };
        },
      },
    ],
  };
  const three = ['a', 'b', 'c'].map((which) => ['service_waiting', JSON.stringify({ which })] as const);
  await using world = await start([calls(...three), answer], [waiting]);
  const response = await world.ask({ tools: [], stream: true });
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: {'));
  const events = lines.map((line): WireEvent => JSON.parse(line.slice('data: '.length)));
  const terminal = events.at(-1)?.response;
  assert.deepEqual(
    events.map(({ sequence_number }) => sequence_number),
    events.map((_, index) => index),
  );
  const output = (terminal as { output: { type: string; which?: string }[] }).output;
  assert.deepEqual(
    output.flatMap(({ which }) => which ?? []),
    ['a', 'b', 'c'],
  );
  const results = bodyOf(world.upstream, 1).messages.filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ content }) => content),
    ['done a', 'done b', 'done c'],
  );
  assert.equal(events.filter(({ type }) => type === 'response.waiting.heard').length, 3);
});

test('replayed items become a call and its result, and nothing runs again', async () => {
  await using world = await start([answer]);
  const item = {
    type: 'service:datetime',
    id: 'dt_1',
    status: 'completed',
    datetime: '2026-01-01T00:00:00.000Z',
    timezone: 'UTC',
  };
  const input = [{ role: 'user', content: 'When?' }, item, { role: 'user', content: 'And now?' }];
  await world.read({ input });
  const { messages } = bodyOf(world.upstream, 0);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'user'],
  );
  assert.equal(messages[1]?.tool_calls?.length, 1);
});

test('a replayed item of a tool that is not listed becomes text', async () => {
  await using world = await start([answer]);
  const item = {
    type: 'service:web_fetch',
    status: 'completed',
    url: 'https://a.example/',
    content: 'Words.',
  };
  await world.read({ input: [{ role: 'user', content: 'What?' }, item, { role: 'user', content: 'Well?' }] });
  const told = bodyOf(world.upstream, 0).messages[1];
  assert.equal(told?.role, 'assistant');
  assert.match(told?.content ?? '', /service:web_fetch.*Words\./);
});

const refused: readonly (readonly [string, object])[] = [
  ['an unknown time zone', { tools: [{ ...datetime, parameters: { timezone: 'Mars/Base' } }] }],
  ['a function of the same name', { tools: [datetime, { type: 'function', name: 'service_datetime' }] }],
  ['an unknown tool', { tools: [{ type: 'service:nonsense' }] }],
  ['parameters of another kind', { tools: [{ ...datetime, parameters: [] }] }],
  ['no calls at all', { max_tool_calls: 0 }],
  ['no condition at all', { stop_server_tools_when: [] }],
];
for (const [what, body] of refused) {
  test(`${what} is refused before the model is asked`, async () => {
    await using world = await start([answer]);
    assert.equal((await world.ask(body)).status, 400);
    assert.equal(world.upstream.requests.length, 0);
  });
}

test('an operator may spell the prefix in another word', async () => {
  await using upstream = await startFakeUpstream(calls(time), answer);
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` })])],
    config: {
      compat: {
        aliases: ['word'],
        byokCreatedStatus: 200,
        unavailableTools: 'refuse',
        modelAliases: {},
        claudeIds: true,
        closeStreams: false,
        echoModel: false,
      },
    },
  });
  try {
    const tools = [{ type: 'word:datetime' }];
    const response = await gateway.post({
      model: 'acme/atlas-4',
      input: 'When?',
      tools,
      tool_choice: tools[0],
    });
    const body = (await response.json()) as { output: { type: string }[] };
    assert.deepEqual(typesOf(body), ['message', 'service:datetime', 'message']);
  } finally {
    await gateway.stop();
  }
});
