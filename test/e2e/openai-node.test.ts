import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import OpenAI from 'openai';
import { standardTextFormat } from 'openai/helpers/standard-schema';
import type { FunctionTool, ResponseInput, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { eventually } from '../support/eventually.ts';
import { readBooks } from './support/books.ts';
import { type ExchangeRecorder, eventsOf } from './support/exchange-recorder.ts';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { asInput, createClient } from './support/openai-client.ts';

const slowly = `
providers:
  slow: { adapter: sandbox, tokens_per_second: 50 }
models:
  - { id: slow/lorem, endpoints: [{ provider: slow, model: lorem, price: { input: 1, output: 2 } }] }
`;

let gateway: GatewayProcess;
let client: OpenAI;
let recorder: ExchangeRecorder;

before(async () => {
  gateway = await startGateway({ config: slowly });
  ({ client, recorder } = createClient(gateway));
});
afterEach(() => {
  recorder.check();
});
after(() => gateway[Symbol.asyncDispose]());

const weather: FunctionTool = {
  type: 'function',
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' } },
    required: ['city', 'days'],
  },
  strict: true,
};
const personSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
  required: ['name', 'age'],
  additionalProperties: false,
};

test('create gives an answer, its usage and its price', async () => {
  const answer = await client.responses.create({ model: 'sandbox/echo', input: 'Grüße 漢字 👩‍🚀' });
  assert.equal(answer.output_text, '[sandbox] Grüße 漢字 👩‍🚀');
  assert.equal(answer.status, 'completed');
  assert.equal(answer.error, null);
  assert.equal(answer.usage?.input_tokens, 3);
  assert.equal(answer.usage.output_tokens, 4);
  assert.equal(recorder.exchanges.length, 1);
});

test('a stream tells the same story three times: by deltas, by events, and by its final response', async () => {
  const stream = client.responses.stream({ model: 'sandbox/reason', input: 'one two three' });
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const final = await stream.finalResponse();
  assert.match(final.output_text, /^\[sandbox\] one two three$/);
  assert.deepEqual(
    final.output.map(({ type }) => type),
    ['reasoning', 'message'],
  );
  const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : []));
  assert.equal(deltas.join(''), final.output_text);
  assert.ok(deltas.length >= 4, 'word by word');
  assert.deepEqual(
    [events[0]?.type, events[1]?.type, events.at(-1)?.type],
    ['response.created', 'response.in_progress', 'response.completed'],
  );
  assert.deepEqual(
    events.map((event) => event.sequence_number),
    events.map((_, index) => index),
  );
  const [exchange] = recorder.check();
  assert.ok(exchange !== undefined);
  assert.equal(eventsOf(exchange).length, events.length);
});

for (const streamed of [false, true]) {
  test(`a tool is called, its result goes back, the answer uses it (${streamed ? 'streamed' : 'whole'})`, async () => {
    const ask = (input: ResponseInput) => {
      const body = { model: 'sandbox/tools', input, tools: [weather] };
      return streamed ? client.responses.stream(body).finalResponse() : client.responses.create(body);
    };
    const conversation: ResponseInput = [{ role: 'user', content: 'Weather in Paris?' }];
    const first = await ask(conversation);
    const [call] = first.output;
    assert.equal(call?.type, 'function_call');
    const given: unknown = JSON.parse(call.arguments);
    assert.deepEqual(Object.keys(given as object), ['city', 'days']);
    const result = { type: 'function_call_output', call_id: call.call_id, output: 'rain 🌧' } as const;
    const second = await ask([...conversation, ...asInput(first), result]);
    assert.equal(second.output_text, '[sandbox] The tool answered: rain 🌧');
    // Every item of both turns is accepted unchanged as input of a third (docs/spec/answers.md#what-clients-need).
    const third = await ask([
      ...conversation,
      ...asInput(first),
      result,
      ...asInput(second),
      { role: 'user', content: 'Sure?' },
    ]);
    assert.equal(third.status, 'completed');
  });
}

test('structured output fits its schema, and parse gives the value', async () => {
  const format = { type: 'json_schema', name: 'person', strict: true, schema: personSchema } as const;
  const whole = await client.responses.create({ model: 'sandbox/json', input: 'Who?', text: { format } });
  assertPerson(JSON.parse(whole.output_text));
  const request = { model: 'sandbox/json', input: 'Who?', text: { format: personFormat() } };
  assertPerson((await client.responses.parse(request)).output_parsed);
  assertPerson((await client.responses.stream(request).finalResponse()).output_parsed);
});

test('failures are the errors a user of the library expects', async () => {
  const stranger = createClient(gateway, { key: 'sk-unknown' }).client;
  await assert.rejects(stranger.responses.create({ model: 'sandbox/echo', input: 'x' }), (error) => {
    assert.ok(error instanceof OpenAI.AuthenticationError);
    assert.equal(error.status, 401);
    return true;
  });
  const bad = { model: 'sandbox/echo', input: 'x', temperature: 9 };
  await assert.rejects(client.responses.create(bad), (error) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /temperature/);
    return true;
  });
  await assert.rejects(client.responses.create({ model: 'no/such', input: 'x' }), OpenAI.BadRequestError);
  await assert.rejects(client.responses.create({ model: 'sandbox/flaky', input: '429' }), (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError);
    assert.equal(error.headers.get('retry-after'), '1');
    assert.match(error.headers.get('x-generation-id') ?? '', /^gen-/);
    return true;
  });
  await assert.rejects(
    client.responses.create({ model: 'sandbox/flaky', input: '500' }),
    OpenAI.InternalServerError,
  );
});

test('a provider that breaks off in the middle fails the stream, after what it had said', async () => {
  const stream = client.responses.stream({
    model: 'sandbox/flaky',
    input: 'disconnect-after-3 and more words',
  });
  let text = '';
  stream.on('response.output_text.delta', ({ delta }) => {
    text += delta;
  });
  await assert.rejects(stream.finalResponse(), {
    type: 'error',
    message: 'The connection to Sandbox broke.',
  });
  assert.equal(text, '[sandbox] disconnect-after-3 and ');
});

test('a stream the client leaves is cancelled, and pays only for what it got', async () => {
  const stream = client.responses.stream({ model: 'slow/lorem', input: 'go on', max_output_tokens: 2000 });
  let words = 0;
  stream.on('response.output_text.delta', () => {
    words += 1;
    if (words === 5) stream.abort();
  });
  await assert.rejects(stream.finalResponse(), OpenAI.APIUserAbortError);
  const booked = await eventually('the booking', async () =>
    (await readBooks(gateway.directory)).find(({ requestedModel }) => requestedModel === 'slow/lorem'),
  );
  assert.ok(booked.cancelled);
  assert.ok(booked.output >= 5 && booked.output < 500, `${booked.output} tokens`);
  assert.ok(booked.cost > 0);
  assert.equal((await client.responses.create({ model: 'sandbox/echo', input: 'x' })).status, 'completed');
});

test('the library waits as Retry-After says, and does not repeat what cannot succeed', async () => {
  const patient = createClient(gateway, { maxRetries: 1 });
  const startedAt = performance.now();
  const limited = patient.client.responses.create({ model: 'sandbox/flaky', input: '429' });
  await assert.rejects(limited, OpenAI.RateLimitError);
  assert.ok(performance.now() - startedAt >= 990, 'it did not wait a second');
  const answers = patient.recorder.exchanges.splice(0);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [429, 429],
  );
  assert.equal(new Set(answers.map(({ headers }) => headers.get('x-generation-id'))).size, 2);
  const impossible = { model: 'sandbox/echo', input: 'x', provider: { only: ['nobody'] } };
  await assert.rejects(patient.client.responses.create(impossible), { status: 503 });
  const [refusal, ...more] = patient.recorder.check();
  assert.equal(refusal?.headers.get('x-should-retry'), 'false');
  assert.equal(more.length, 0);
});

function personFormat() {
  const validate = (value: unknown) => ({ value });
  return standardTextFormat({ '~standard': { version: 1, vendor: 'test', validate } }, 'person', {
    schema: personSchema,
  });
}

function assertPerson(value: unknown): void {
  assert.ok(typeof value === 'object' && value !== null && 'name' in value && 'age' in value);
  assert.equal(typeof value.name, 'string');
  assert.ok(Number.isInteger(value.age));
}
