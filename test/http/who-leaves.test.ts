import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Endpoint, Model, Timeouts } from '../../src/core/catalogue.ts';
import type { Generation } from '../../src/ports/generations.ts';
import { chatChunk, dataEvent } from '../fake-upstream/chat-stream.ts';
import {
  type FakeUpstream,
  type Script,
  type Step,
  startFakeUpstream,
} from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.ts';
import { patientTimeouts } from '../support/timeouts.ts';

/* Who leaves pays for what was made (docs/spec/money.md#who-leaves). */

interface Setting {
  readonly adapter?: string;
  readonly fields?: Partial<Endpoint>;
  readonly thinks?: boolean;
  readonly timeouts?: Partial<Timeouts>;
  readonly server?: GatewayOptions['server'];
}

async function start(t: TestContext, script: Script, setting: Setting = {}) {
  const { adapter = 'openai-chat', fields, thinks = false, timeouts, server } = setting;
  const upstream = await startFakeUpstream(script);
  t.after(() => upstream.close());
  const provider = providerOf({
    slug: 'north',
    adapter,
    baseUrl: `${upstream.url}/v1`,
    timeouts: { ...patientTimeouts, ...timeouts },
  });
  const plain = modelOf('acme/atlas-4', [provider], fields);
  const model: Model = thinks ? { ...plain, reasoning: { mandatory: false } } : plain;
  const gateway = await startGateway({ models: [model], ...(server && { server }) });
  t.after(() => gateway.stop());
  return { upstream, gateway };
}

/** Asks, goes away after some words or as soon as the provider was asked, and returns the record. */
async function leave(
  { gateway, upstream }: { readonly gateway: TestGateway; readonly upstream: FakeUpstream },
  after: string | undefined,
  body: object = {},
): Promise<Generation> {
  const leaving = new AbortController();
  const before = upstream.requests.length;
  const asked = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/atlas-4', input: 'Hello', stream: true, ...body }),
    signal: leaving.signal,
  });
  if (after === undefined) {
    asked.catch(() => {});
    await eventually('the call', async () => upstream.requests.length > before || undefined);
    await new Promise((resolve) => setTimeout(resolve, 100));
  } else {
    const reader = (await asked).body?.getReader();
    const decoder = new TextDecoder();
    for (let text = ''; !text.includes(after); ) text += decoder.decode((await reader?.read())?.value);
  }
  leaving.abort();
  const manager = await gateway.createKey({ kind: 'management' });
  return eventually('the record', async () => {
    const listed = await gateway.get('/api/v1/generations?limit=1', { authorization: `Bearer ${manager}` });
    const { data } = (await listed.json()) as { data: { id: string }[] };
    const found = await gateway.storage.generations.find(data[0]?.id ?? '');
    return found?.cancelled === true && found;
  });
}

const usage = {
  prompt_tokens: 9,
  completion_tokens: 700,
  completion_tokens_details: { reasoning_tokens: 690 },
};
const claude = (type: string, rest: object) => `event: ${type}\n${dataEvent({ type, ...rest })}`;
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' };
const said = { ...message, content: [{ type: 'output_text', text: 'Good day.', annotations: [] }] };

/** Answers whose words are over before they tell their usage, which takes half a second more. */
const late: Readonly<Record<string, readonly Step[]>> = {
  'openai-chat': [
    chatChunk({ role: 'assistant', content: 'Good day.' }),
    chatChunk({}, 'stop'),
    500,
    dataEvent({ id: 'chatcmpl-1', choices: [], usage }),
    'data: [DONE]\n\n',
  ],
  'anthropic-messages': [
    claude('message_start', { message: { id: 'msg_1', usage: { input_tokens: 9, output_tokens: 1 } } }),
    claude('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    claude('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Good day.' } }),
    claude('content_block_stop', { index: 0 }),
    500,
    claude('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 700 } }),
    claude('message_stop', {}),
  ],
  'openai-responses': [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...message, status: 'in_progress', content: [] },
    },
    {
      type: 'response.content_part.added',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '' },
    },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Good day.' },
    { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'Good day.' },
    { type: 'response.output_item.done', output_index: 0, item: said },
    500,
    {
      type: 'response.completed',
      response: {
        id: 'resp_1',
        status: 'completed',
        output: [said],
        usage: { input_tokens: 9, output_tokens: 700, output_tokens_details: { reasoning_tokens: 690 } },
      },
    },
  ].map((step) => (typeof step === 'number' ? step : `event: ${step.type}\n${dataEvent(step)}`)),
};

for (const [adapter, steps] of Object.entries(late)) {
  test(`${adapter}: who leaves after the last word pays what its provider then reports`, async (t) => {
    const parts = await start(t, { steps }, { adapter, thinks: true });
    const booked = await leave(parts, 'Good day.');
    assert.deepEqual([booked.usage.output, booked.usageEstimated], [700, false]);
    assert.equal(booked.cost, 9n * 3_000n + 700n * 15_000n);
    assert.equal(booked.cancelled, true);
  });
}

test('words after a pause end it at once: they are not read for one who has gone', async (t) => {
  const [opened = '', ...rest] = late['anthropic-messages'] ?? [];
  const more = claude('content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'More. ' } });
  const begins = claude('content_block_start', { index: 1, content_block: { type: 'text', text: '' } });
  const steps = [
    opened,
    ...rest.slice(0, 4),
    begins,
    ...Array.from({ length: 50 }, () => [more, 100]).flat(),
  ];
  const parts = await start(t, { steps }, { adapter: 'anthropic-messages' });
  const booked = await leave(parts, 'Good day.');
  await parts.upstream.closedConnections(1);
  assert.ok((booked.usage.output ?? 0) < 30, String(booked.usage.output));
  assert.equal(booked.usageEstimated, true);
});

const fast = { prior: { ttftMs: 1, tps: 1_000_000 } };
const silent: Script = { ending: 'hang' };
const thinking: Script = { steps: [chatChunk({ role: 'assistant', content: '' })], ending: 'hang' };

test('who leaves a model that thinks pays its speed times the time, at most the limit of the output', async (t) => {
  for (const script of [silent, thinking]) {
    const parts = await start(t, script, { thinks: true, fields: fast });
    const booked = await leave(parts, undefined, { max_output_tokens: 300 });
    assert.deepEqual([booked.usage.output, booked.usageEstimated, booked.cancelled], [300, true, true]);
    await parts.upstream.closedConnections(1);
  }
});

test('the speed is the one that was measured', async (t) => {
  const measured = [
    chatChunk({ content: 'Good day.' }),
    chatChunk({}, 'stop'),
    dataEvent({ choices: [], usage }),
  ];
  const parts = await start(t, { steps: measured }, { thinks: true });
  await (await parts.gateway.post({ model: 'acme/atlas-4', input: 'q', stream: true })).text();
  parts.upstream.play(silent);
  const booked = await leave(parts, undefined);
  assert.deepEqual([booked.cancelled, booked.usageEstimated], [true, true]);
  assert.ok((booked.usage.output ?? 0) > 0);
});

test('where nothing is hidden, who leaves pays what was written', async (t) => {
  const plain = await start(t, silent, { fields: fast });
  assert.equal((await leave(plain, undefined)).usage.output, 0, 'the model does not think');
  const thinker = await start(t, silent, { thinks: true, fields: fast });
  assert.equal((await leave(thinker, undefined, { reasoning: { effort: 'none' } })).usage.output, 0);
  const unknown = await start(t, silent, { thinks: true });
  assert.equal((await leave(unknown, undefined)).usage.output, 0, 'nobody knows how fast it is');
});

test('an answer in one piece is hidden until its end', async (t) => {
  const parts = await start(t, silent, { fields: fast });
  const booked = await leave(parts, undefined, { stream: false, max_output_tokens: 50 });
  assert.deepEqual([booked.usage.output, booked.usageEstimated], [50, true]);
});

for (const [name, setting] of [
  ['server.request_timeout', { server: { requestTimeout: 400 } }],
  ['the total of an attempt', { timeouts: { total: 400 } }],
] as const) {
  test(`${name} is a limit of the gateway's own, whose end is paid like a client's leaving`, async (t) => {
    const { gateway } = await start(t, thinking, { thinks: true, fields: fast, ...setting });
    const answer = await gateway.post({ model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 40 });
    assert.ok([408, 524].includes(answer.status), String(answer.status));
    const booked = await gateway.storage.generations.find(answer.headers.get('x-generation-id') ?? '');
    assert.deepEqual([booked?.usage.output, booked?.usageEstimated, booked?.insured], [40, true, false]);
    assert.deepEqual([booked?.finishReason, booked?.errorType], ['error', 'timeout']);
    assert.ok((booked?.cost ?? 0n) > 40n * 15_000n);
  });
}

test('a provider that falls silent is its own fault, and free', async (t) => {
  const { gateway } = await start(t, thinking, {
    thinks: true,
    fields: fast,
    timeouts: { firstEvent: 300, idle: 300 },
  });
  const answer = await gateway.post({ model: 'acme/atlas-4', input: 'Hello' });
  const booked = await gateway.storage.generations.find(answer.headers.get('x-generation-id') ?? '');
  assert.deepEqual([answer.status, booked?.cost, booked?.usage.output], [524, 0n, undefined]);
});
