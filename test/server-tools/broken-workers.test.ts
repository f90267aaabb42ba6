import assert from 'node:assert/strict';
import { test } from 'node:test';
import { plainRules } from '../../src/core/guardrail.ts';
import { parseUsd } from '../../src/core/money.ts';
import { chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { eventually } from '../support/eventually.ts';
import { calls, type Read, sent, startToolWorld } from './tool-world.ts';

const big = 'acme/atlas-4';
const small = 'globex/small';
const answer: Script = { steps: chatStream('Well', ' then.') };
const tides = { type: 'function', name: 'get_tides', parameters: { type: 'object', properties: {} } };
const winds = { ...tides, name: 'get_winds' };
const user = { role: 'user', content: 'Go.' };
const workerOf = (parameters: object = {}) => ({
  type: 'service:subagent',
  parameters: { model: small, inherit_functions: true, ...parameters },
});
const tools = [tides, winds, workerOf()];
const task = (name: string) =>
  ['service_subagent', { task_name: name, task_description: `Do ${name}.` }] as const;
const time = calls(['service_datetime', {}]);
const asksTides = calls(['get_tides', { at: 'noon' }]);
const outputOf = (item: Read, output = '11:40') => ({
  type: 'function_call_output',
  call_id: item.call_id,
  output,
});
const ofType = ({ output }: Read, type: string): Read[] => output.filter((item: Read) => item.type === type);

const refused: Readonly<Record<string, readonly [tools: readonly object[], message: RegExp]>> = {
  'a name that the request does not have': [
    [tides, workerOf({ inherit_functions: false, inherited_function_names: ['get_tide'] })],
    /no function "get_tide"/,
  ],
  'a blank name': [
    [tides, workerOf({ inherit_functions: false, inherited_function_names: ['get_tides', ' '] })],
    /inherited_function_names\[1\]: must not be blank/,
  ],
};
for (const [what, [listed, message]] of Object.entries(refused)) {
  test(`a worker that inherits ${what} is refused`, async () => {
    await using world = await startToolWorld({ [big]: [answer] });
    const { httpStatus, error } = await world.ask({ tools: listed });
    assert.equal(httpStatus, 400);
    assert.match(error.message, message);
    assert.equal(world.upstream(big).requests.length, 0);
  });
}

test('names count for nothing where all functions are inherited', async () => {
  await using world = await startToolWorld({ [big]: [calls(task('a')), answer], [small]: [answer] });
  const body = await world.ask({ tools: [tides, winds, workerOf({ inherited_function_names: [' '] })] });
  assert.equal(body.status, 'completed');
  const names = sent(world.upstream(small), 0).tools?.map((tool) => tool.function.name);
  assert.deepEqual(names, ['get_tides', 'get_winds']);
});

test('chat completions refuse workers that inherit', async () => {
  await using world = await startToolWorld({ [big]: [answer] });
  const body = { model: big, messages: [user], tools: [workerOf()] };
  const response = await fetch(`${world.gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.gateway.key}` },
  });
  assert.equal(response.status, 400);
  assert.match(await response.text(), /inherit_functions: is not served here; use POST \/responses/);
});

test('a call of a worker that is nowhere in the input is refused', async () => {
  await using world = await startToolWorld({ [big]: [answer] });
  const call = { type: 'function_call', call_id: 'call_7', name: 'get_tides', arguments: '{}' };
  const input = [user, { ...call, subagent_id: 'call_6' }, outputOf(call)];
  const { httpStatus, error } = await world.ask({ tools, input });
  assert.equal(httpStatus, 400);
  assert.match(error.message, /input\[1\]\.subagent_id/);
});

/** A gateway, and the first answer of it: a worker that waits for one function. */
async function startWaiting(...more: readonly Script[]) {
  const world = await startToolWorld({ [big]: [calls(task('a')), answer], [small]: [asksTides, ...more] });
  const { output } = await world.ask({ tools, input: [user] });
  const [worker, call] = output.filter(({ type }: Read) => type !== 'message');
  return { world, output: output as Read[], worker, call };
}

const broken: Readonly<Record<string, (output: Read[], call: Read) => readonly object[]>> = {
  'what it wrote': (output, call) => [
    ...output.map((item) => ({ ...item, subagent_items: undefined })),
    outputOf(call),
  ],
  'a part of what it wrote': (output, call) => [
    ...output.map((item) =>
      item === call ? { ...item, subagent_items: [{ type: 'item_reference' }] } : item,
    ),
    outputOf(call),
  ],
  'the output of its call': (output) => [...output, user],
};
for (const [what, replay] of Object.entries(broken)) {
  test(`a worker fails alone when the client lost ${what}`, async () => {
    const { world, output, worker, call } = await startWaiting(answer);
    await using _ = world;
    const body = await world.ask({ tools, input: [user, ...replay(output, call)] });
    const [item] = ofType(body, 'service:subagent');
    assert.deepEqual([item.status, item.call_id, item.task_name], ['failed', worker.call_id, 'a']);
    assert.match(item.error, /The worker cannot go on/);
    assert.equal(body.status, 'completed');
    assert.equal(body.output.at(-1).content[0].text, 'Well then.');
    assert.equal(world.upstream(small).requests.length, 1);
    const results = sent(world.upstream(big), 1).messages.filter(({ role }) => role === 'tool');
    assert.equal(results.length, 1);
    assert.match(results[0]?.content ?? '', /The worker cannot go on/);
  });
}

test('of two workers one waits; calls of the model itself come behind its calls', async () => {
  await using world = await startToolWorld({
    [big]: [calls(task('a'), task('b'), ['get_winds', {}]), answer],
    [small]: [asksTides, answer, answer],
  });
  const first = await world.ask({ tools, input: [user] });
  const workers = ofType(first, 'service:subagent');
  const waiting = workers.find(({ status }) => status === 'in_progress');
  const ended = workers.find(({ status }) => status === 'completed');
  assert.equal(ended?.outcome, 'Well then.');
  const [ofWorker, own] = ofType(first, 'function_call');
  assert.deepEqual([ofWorker?.name, ofWorker?.subagent_id], ['get_tides', waiting?.call_id]);
  assert.deepEqual([own?.name, own?.subagent_id], ['get_winds', undefined]);
  const input = [user, ...first.output, outputOf(ofWorker), outputOf(own, 'calm')];
  const second = await world.ask({ tools, input });
  assert.equal(ofType(second, 'service:subagent').length, 1);
  const results = sent(world.upstream(big), 1).messages.filter(({ role }) => role === 'tool');
  assert.deepEqual(
    results.map(({ content }) => /Well then|calm/.exec(content)?.[0]),
    ['Well then', 'Well then', 'calm'],
  );
});

test('the turn of a worker that goes on is the first one of its request, and is charged to it', async () => {
  const { world, output, call } = await startWaiting(asksTides);
  await using _ = world;
  const input = [user, ...output, outputOf(call)];
  const response = await world.gateway.post({ model: big, tools, input });
  const body: Read = await response.json();
  assert.deepEqual(
    body.output.map(({ type }: Read) => type),
    ['function_call'],
  );
  const id = response.headers.get('x-generation-id') ?? '';
  const record = await world.gateway.storage.generations.find(id);
  assert.deepEqual([record?.model, record?.requestId], [small, id]);
  assert.equal(body.usage.input_tokens, 20);
  assert.ok(body.usage.cost > 0);
});

test('at most 20 workers go on in one request', async () => {
  const { world, output, worker, call } = await startWaiting(answer);
  await using _ = world;
  const copies = Array.from({ length: 21 }, (_, at) => {
    const one = { ...call, call_id: `call_of_${at}`, subagent_id: `worker_${at}` };
    const items = call.subagent_items.map((item: Read) =>
      item.call_id === call.call_id ? { ...item, call_id: one.call_id } : item,
    );
    return [{ ...worker, call_id: `worker_${at}` }, { ...one, subagent_items: items }, outputOf(one)];
  });
  const body = await world.ask({ tools, input: [user, output[0], ...copies.flat()] });
  const items = ofType(body, 'service:subagent');
  assert.deepEqual([items.length, items.filter(({ status }) => status === 'completed').length], [21, 20]);
  assert.match(items[20].error, /No more tasks/);
});

test('a worker that wrote more than clients can send back fails', async () => {
  const much: Script = {
    steps: (calls(['get_tides', {}]).steps ?? []).map((step) =>
      typeof step === 'string' ? step.replace('Let me ask. ', 'x'.repeat(4_000_001)) : step,
    ),
  };
  await using world = await startToolWorld({ [big]: [calls(task('a')), answer], [small]: [much] });
  const body = await world.ask({ tools, input: [user] });
  const [item] = ofType(body, 'service:subagent');
  assert.equal(item.status, 'failed');
  assert.match(item.error, /wrote too much/);
});

test('calls of its own tools count over all rounds of a worker', async () => {
  const parameters = { max_tool_calls: 2, tools: [{ type: 'service:datetime' }] };
  const listed = [tides, workerOf(parameters)];
  await using world = await startToolWorld({
    [big]: [calls(task('a')), answer],
    [small]: [time, asksTides, time, answer],
  });
  const first = await world.ask({ tools: listed, input: [user] });
  const input = [user, ...first.output, outputOf(ofType(first, 'function_call')[0])];
  const [item] = ofType(await world.ask({ tools: listed, input }), 'service:subagent');
  assert.equal(item.status, 'completed');
  const choices = [0, 1, 2, 3].map((at) => sent(world.upstream(small), at).tool_choice);
  assert.deepEqual(choices, [undefined, undefined, undefined, 'none']);
});

for (const action of ['redact', 'block'] as const) {
  test(`what the client returns to a worker passes the guardrails: ${action}`, async () => {
    const rules = { ...plainRules, contentFilterBuiltins: [{ slug: 'email' as const, action }] };
    const mail = { name: 'mail', rules, apply: { all: true, workspaces: [], keys: [] } };
    await using world = await startToolWorld(
      { [big]: [calls(task('a')), answer], [small]: [asksTides, answer] },
      { config: { guardrails: [mail] } },
    );
    const { output } = await world.ask({ tools, input: [user] });
    const call = output.find(({ type }: Read) => type === 'function_call');
    const input = [user, ...output, outputOf(call, 'ask jane.doe@example.com')];
    const body = await world.ask({ tools, input });
    const seen = JSON.stringify(world.upstream(small).requests.map((request) => request.body));
    assert.doesNotMatch(seen, /jane\.doe@/);
    if (action === 'redact') assert.match(seen, /\[EMAIL\]/);
    // It is a part of the request, like the outputs of other calls.
    else assert.equal(body.httpStatus, 403, JSON.stringify(body));
  });
}

test('a key that is used up is refused before a worker goes on', async () => {
  const { world, output, call } = await startWaiting(answer);
  await using _ = world;
  const key = await world.gateway.createKey({ limit: parseUsd('0.000001') });
  const headers = { authorization: `Bearer ${key}` };
  const input = [user, ...output, outputOf(call)];
  const ask = () => world.gateway.post({ model: big, tools, input }, headers);
  await (await ask()).json();
  const asked = world.upstream(small).requests.length;
  const response = await ask();
  assert.ok(response.status === 402 || response.status === 403, String(response.status));
  assert.equal(world.upstream(small).requests.length, asked);
});

for (const [one, other] of [
  ['completed', 'failed'],
  ['failed', 'completed'],
  ['failed', 'failed'],
] as const) {
  test(`streamed, two workers go on side by side: ${one}, ${other}; the model goes on with both results`, async () => {
    const failing: Script = { status: 500, whole: '{}', headers: {} };
    const ends = { completed: answer, failed: failing };
    const [, second] = task('b');
    await using world = await startToolWorld({
      [big]: [calls(task('a'), ['service_subagent__1', second]), answer],
      [small]: [asksTides, ends[one]],
      'globex/other': [asksTides, ends[other]],
    });
    const listed = [tides, workerOf(), workerOf({ name: 'second', model: 'globex/other' })];
    const first = await world.ask({ tools: listed, input: [user] });
    const [own, others] = ofType(first, 'function_call');
    const input = [user, ...first.output, outputOf(own), outputOf(others)];
    const events = await world.stream({ tools: listed, input });
    const body = events.at(-1)?.response as Read;
    assert.deepEqual(
      ofType(body, 'service:subagent').map(({ status, instance_name }) => [status, instance_name]),
      [
        [one, undefined],
        [other, 'second'],
      ],
    );
    assert.equal(body.output.at(-1).content[0].text, 'Well then.');
    const results = sent(world.upstream(big), 1).messages.filter(({ role }) => role === 'tool');
    assert.deepEqual(
      results.map(({ content }) => /Well then|failed/.exec(content)?.[0]),
      [one, other].map((end) => (end === 'completed' ? 'Well then' : 'failed')),
    );
  });
}

test('a client that leaves while a worker goes on has its record, and the model is not asked', async () => {
  const slow: Script = { steps: [chatChunk({ role: 'assistant', content: 'Hm' })], ending: 'hang' };
  const { world, output, call } = await startWaiting(slow);
  await using _ = world;
  const leaving = new AbortController();
  const response = await fetch(`${world.gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${world.gateway.key}` },
    body: JSON.stringify({ model: big, tools, stream: true, input: [user, ...output, outputOf(call)] }),
    signal: leaving.signal,
  });
  assert.equal(response.status, 200, 'the answer begins while the worker writes');
  leaving.abort();
  const id = response.headers.get('x-generation-id') ?? '';
  const record = await eventually('the record', () => world.gateway.storage.generations.find(id));
  assert.deepEqual([record.model, record.cancelled], [small, true]);
  assert.equal(world.upstream(big).requests.length, 1);
});

test('a later worker may have the call_id of an earlier one, as models repeat their ids', async () => {
  await using world = await startToolWorld({
    [big]: [calls(task('a')), answer, calls(task('b')), answer],
    [small]: [asksTides, answer, asksTides, answer],
  });
  let input: object[] = [user];
  const names: unknown[] = [];
  for (const _ of ['a', 'b']) {
    const waiting = await world.ask({ tools, input });
    const [call] = ofType(waiting, 'function_call');
    input = [...input, ...waiting.output, outputOf(call)];
    const done = await world.ask({ tools, input });
    const [item] = ofType(done, 'service:subagent');
    names.push([item.call_id, item.task_name, item.outcome]);
    input = [...input, ...done.output, user];
  }
  assert.deepEqual(names, [
    ['call_0', 'a', 'Well then.'],
    ['call_0', 'b', 'Well then.'],
  ]);
  assert.equal(world.upstream(small).requests.length, 4);
  const results = sent(world.upstream(big), 3).messages.filter(({ role }) => role === 'tool');
  assert.equal(results.length, 2);
  for (const { content } of results) assert.match(content, /Well then/);
});
