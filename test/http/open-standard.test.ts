import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody, chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { responsesBody, responsesEvents, toStream } from '../fake-upstream/responses-stream.ts';
import { checkStream } from '../stream-checker.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';
import { checkEvent, readStream } from '../support/read-stream.ts';
import { SocketClient, type SocketMessage } from '../support/socket-client.ts';

// What the compliance suite of the open standard asks for, each test of it as one of ours.

const model = 'acme/atlas-4';
let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const rich = { ...modelOf(model, [north]), inputModalities: ['text', 'image'] as const };
  const south = providerOf({ slug: 'south', baseUrl: `${upstream.url}/v1`, adapter: 'openai-responses' });
  gateway = await startGateway({
    models: [rich, modelOf('acme/phases', [south])],
    config: { responses: { echoDefaults: true, cachedReplayDelay: 0 } },
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const says = (...words: string[]): Script => ({ steps: chatStream(...words), whole: chatBody(...words) });

const call = { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } };
const argumentPieces = ['{"location":', '"San Francisco, CA"}'];
const calls: Script = {
  steps: [
    chatChunk({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }),
    ...argumentPieces.map((piece) =>
      chatChunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
    chatChunk({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
  whole: JSON.stringify({
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...call, function: { name: 'get_weather', arguments: argumentPieces.join('') } }],
        },
        finish_reason: 'tool_calls',
      },
    ],
  }),
};

const message = (role: string, content: unknown) => ({ type: 'message', role, content });
const tools = [
  {
    type: 'function',
    name: 'get_weather',
    description: 'The current weather at a location',
    parameters: { type: 'object', properties: { location: { type: 'string' } }, required: ['location'] },
  },
];
const pixel =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The requests of the suite that only want an answer, with what has to reach the model. */
const requests: readonly { readonly name: string; readonly input: unknown; readonly sent: RegExp }[] = [
  { name: 'basic text', input: [message('user', 'Say hello in exactly 3 words.')], sent: /exactly 3 words/ },
  {
    name: 'a system prompt',
    input: [message('system', 'Speak like a pirate.'), message('user', 'Say hello.')],
    sent: /"role":"system","content":"Speak like a pirate\."/,
  },
  {
    name: 'a picture',
    input: [
      message('user', [
        { type: 'input_text', text: 'What do you see?' },
        { type: 'input_image', image_url: pixel },
      ]),
    ],
    sent: /"image_url":\{"url":"data:image\/png/,
  },
  {
    name: 'several turns',
    input: [
      message('user', 'My name is Alice.'),
      message('assistant', 'Hello Alice!'),
      message('user', 'What is my name?'),
    ],
    sent: /"role":"assistant","content":"Hello Alice!"/,
  },
  {
    name: 'messages of the model with their phase',
    input: [
      { ...message('assistant', 'I should answer with the number.'), phase: 'commentary' },
      { ...message('assistant', 'The number is four.'), phase: 'final_answer' },
      message('user', 'Repeat only the number.'),
    ],
    sent: /The number is four/,
  },
];

/** Members the standard wants to be numbers. */
const numbers = ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty', 'top_logprobs'] as const;

// biome-ignore lint/suspicious/noExplicitAny: a response object.
function checkResponse(response: any, status = 'completed'): void {
  checkContract('OpenResponsesResult', response);
  for (const name of numbers) assert.equal(typeof response[name], 'number', name);
  assert.equal(response.status, status);
}

async function ask(body: object) {
  const response = await gateway.post({ model, ...body });
  // biome-ignore lint/suspicious/noExplicitAny: a response object.
  const answer = (await response.json()) as any;
  assert.equal(response.status, 200, JSON.stringify(answer));
  checkResponse(answer);
  return answer;
}

function checkSent(expected: RegExp): void {
  assert.match(JSON.stringify(upstream.requests.at(-1)?.body), expected);
}

/** The response of a turn on a connection, each message checked. */
function checkTurn(messages: readonly SocketMessage[]) {
  for (const event of messages) checkEvent(event);
  const response = checkStream(messages);
  checkResponse(response);
  return messages.at(-1)?.response;
}

function isNotFound({ type, status, error }: SocketMessage): void {
  assert.deepEqual([type, status, error?.code], ['error', 400, 'previous_response_not_found']);
}

for (const { name, input, sent } of requests) {
  test(`${name}: whole, streamed and on a connection`, async () => {
    upstream.play(says('Ahoy', ' there.'));
    const { output } = await ask({ input });
    assert.equal(output[0].content[0].text, 'Ahoy there.');
    checkSent(sent);
    const { terminal } = await readStream(await gateway.post({ model, input, stream: true }));
    checkResponse(terminal);
    checkSent(sent);
    const client = await SocketClient.open(gateway);
    assert.equal(checkTurn(await client.turn({ model, input })).output[0].content[0].text, 'Ahoy there.');
    checkSent(sent);
    client.socket.close();
  });
}

test('a tool is called: whole, streamed and on a connection', async () => {
  upstream.play(calls);
  const input = [message('user', "What's the weather like in San Francisco?")];
  const { output } = await ask({ input, tools });
  assert.partialDeepStrictEqual(output[0], {
    type: 'function_call',
    call_id: 'call_1',
    name: 'get_weather',
    arguments: argumentPieces.join(''),
  });
  const { events, terminal } = await readStream(await gateway.post({ model, input, tools, stream: true }));
  checkResponse(terminal);
  const client = await SocketClient.open(gateway);
  const messages = await client.turn({ model, input, tools });
  checkTurn(messages);
  for (const stream of [events, messages]) {
    const types = stream
      .filter(({ item }) => item === undefined || (item as { type: string }).type === 'function_call')
      .map(({ type }) => type.replace('response.', ''));
    assert.deepEqual(types.slice(2, -1), [
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
    ]);
  }
  client.socket.close();
});

test('one connection answers requests one after the other', async () => {
  upstream.play(says('first'), says('second'));
  const client = await SocketClient.open(gateway);
  for (const word of ['first', 'second']) {
    const { output } = checkTurn(await client.turn({ store: false, input: `Reply with exactly: ${word}` }));
    assert.equal(output[0].content[0].text, word);
  }
  client.socket.close();
});

test('an answer that is not stored is gone on from on its connection', async () => {
  upstream.play(says('OK.'), says('cobalt'));
  const client = await SocketClient.open(gateway);
  const first = checkTurn(await client.turn({ store: false, input: 'Remember the code word: cobalt.' }));
  const next = { store: false, previous_response_id: first.id, input: 'What is the code word?' };
  assert.notEqual(checkTurn(await client.turn(next)).id, first.id);
  checkSent(/code word: cobalt.*OK\..*What is the code word/);
  client.socket.close();
});

test('a new connection does not know the answers of an old one, and begins anew', async () => {
  upstream.play(says('OK.'), says('recovered'));
  const old = await SocketClient.open(gateway);
  const { id } = checkTurn(await old.turn({ store: false }));
  old.socket.close();
  const client = await SocketClient.open(gateway);
  isNotFound(await client.ask({ store: false, previous_response_id: id }));
  checkTurn(await client.turn({ store: false, input: [message('user', 'Reply with: recovered')] }));
  client.socket.close();
});

test('an answer that nobody made is not found', async () => {
  const client = await SocketClient.open(gateway);
  isNotFound(await client.ask({ store: false, previous_response_id: 'resp_missing' }));
  client.socket.close();
});

test('a request that fails takes the answer it named with it', async () => {
  upstream.play(says('OK.'));
  const client = await SocketClient.open(gateway);
  const { id } = checkTurn(await client.turn({ store: false, input: 'Remember the code word: ember.' }));
  const output = { type: 'function_call_output', call_id: 'call_missing', output: 'No such call.' };
  const failed = await client.ask({ store: false, previous_response_id: id, input: [output] });
  assert.equal(failed.type, 'error');
  isNotFound(await client.ask({ store: false, previous_response_id: id }));
  client.socket.close();
});

test('an answer of several messages says the phase of each', async () => {
  const said = (id: string, phase: 'commentary' | 'final_answer', text: string) => ({
    ...{ id, type: 'message' as const, role: 'assistant' as const, status: 'completed' as const, phase },
    content: [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }],
  });
  const answer = {
    output: [
      said('msg_1', 'commentary', 'I am checking.'),
      said('msg_2', 'final_answer', 'The answer is four.'),
    ],
  };
  upstream.play({ steps: toStream(responsesEvents(answer)), whole: JSON.stringify(responsesBody(answer)) });
  const input = [message('user', 'What is two and two?')];
  const { output } = await ask({ model: 'acme/phases', input });
  const { terminal } = await readStream(await gateway.post({ model: 'acme/phases', input, stream: true }));
  checkResponse(terminal);
  for (const items of [output, terminal.output]) {
    assert.deepEqual(
      items.map((item: { phase: string; content: { text: string }[] }) => [
        item.phase,
        item.content[0]?.text,
      ]),
      [
        ['commentary', 'I am checking.'],
        ['final_answer', 'The answer is four.'],
      ],
    );
  }
});

async function compact(body: object) {
  const response = await fetch(`${gateway.url}/api/v1/responses/compact`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a compaction.
  return { status: response.status, body: (await response.json()) as any };
}

test('a conversation is compacted, and a new chain on a connection begins with the outcome', async () => {
  upstream.play(says('They agreed on Tuesday.'));
  const input = [
    message('user', 'We agreed to launch on Tuesday and notify support first.'),
    message('assistant', 'Understood. The launch is Tuesday.'),
  ];
  const { status, body } = await compact({ model, input, prompt_cache_key: 'open-standard' });
  assert.equal(status, 200, JSON.stringify(body));
  checkPublished('Compaction', body);
  assert.equal(body.object, 'response.compaction');
  assert.equal(body.output.at(-1).type, 'compaction');
  upstream.play(says('compacted'));
  const client = await SocketClient.open(gateway);
  const goingOn = [...body.output, message('user', 'Reply with exactly: compacted')];
  checkTurn(await client.turn({ store: false, input: goingOn, tools: [] }));
  checkSent(/They agreed on Tuesday\./);
  client.socket.close();
});

test('a compaction without a model is refused', async () => {
  const { status, body } = await compact({ input: [message('user', 'Compact this.')] });
  assert.deepEqual([status, body.error.message.slice(0, 6)], [400, 'model:']);
});

test('a warm-up generates nothing, and the next request goes on from it', async () => {
  upstream.play(says('cobalt'));
  const client = await SocketClient.open(gateway);
  const asked = upstream.requests.length;
  const warm = checkTurn(await client.turn({ generate: false, input: 'The code word is cobalt.' }));
  assert.deepEqual([warm.output, warm.usage.total_tokens, warm.usage.cost], [[], 0, 0]);
  const again = checkTurn(await client.turn({ generate: false, previous_response_id: warm.id, input: [] }));
  assert.equal(upstream.requests.length, asked, 'no provider was asked');
  const next = { generate: true, previous_response_id: again.id, input: 'Which one?' };
  assert.equal(checkTurn(await client.turn(next)).output[0].content[0].text, 'cobalt');
  checkSent(/The code word is cobalt\..*Which one\?/);
  client.socket.close();
});

test('a warm-up may come before any input, and is checked like every request', async () => {
  upstream.play(says('Hello.'));
  const client = await SocketClient.open(gateway);
  const { id } = checkTurn(await client.turn({ generate: false, input: [], tools }));
  const next = { previous_response_id: id, input: [message('user', 'Hi')], tools };
  const { id: last } = checkTurn(await client.turn(next));
  const wrong: [object, RegExp][] = [
    [{ previous_response_id: last, input: 7 }, /^input/],
    [{ generate: 'no' }, /^generate: /],
    [{ generate: false, model: 'no/such' }, /no\/such/],
    [{ generate: false, input: 7 }, /^input/],
    [{ generate: false, input: [], temperature: 'warm' }, /^temperature/],
  ];
  for (const [body, expected] of wrong) {
    const { status, error } = await client.ask(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.match(error?.message ?? '', expected);
  }
  client.socket.close();
});
