import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { dialects } from '../dialects/dialects.ts';
import { type Stage, setStage } from '../dialects/support/stage.ts';

let stage: Stage & { readonly strike: () => Promise<void> };
let client: OpenAI;
const model = 'acme/atlas-4';

before(async () => {
  const dialect = dialects.find(({ adapter }) => adapter === 'anthropic-messages');
  assert.ok(dialect);
  stage = await setStage(dialect);
  const { url: baseURL, key: apiKey } = stage.gateway;
  client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey, maxRetries: 0 });
});
after(() => stage.strike());

const usage = { input: 30, output: 12 };
const parameters = { type: 'object', properties: { port: { type: 'string' } }, required: ['port'] };
const messages = [{ role: 'user' as const, content: 'How high is the tide?' }];

async function post(body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${stage.gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${stage.gateway.key}`, ...headers },
    body: JSON.stringify(body),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
  return { status: response.status, body: (await response.json()) as any, headers: response.headers };
}

/** The message of a refusal. */
async function refusal(members: object, status = 400): Promise<string> {
  const answered = await post({ model, messages, ...members });
  assert.equal(answered.status, status, JSON.stringify(answered.body));
  assert.equal(answered.body.error.code, status);
  return answered.body.error.message;
}

test('the official client adds a stream up to the unstreamed answer', async () => {
  stage.say({
    utterances: [
      { say: ['Let me ', 'look.'] },
      { call: [{ id: 'call_1', name: 'tide', arguments: ['{"port":', '"Brest"}'] }] },
    ],
    finish: 'tool_calls',
    usage,
  });
  const tools = [{ type: 'function' as const, function: { name: 'tide', parameters } }];
  const whole = await client.chat.completions.create({ model, messages, tools });
  const streamed = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
  const [one, other] = [whole.choices[0]?.message, streamed.choices[0]?.message];
  assert.equal(other?.content, one?.content);
  assert.deepEqual(
    other?.tool_calls?.map(
      (call) => 'function' in call && [call.id, call.function.name, call.function.arguments],
    ),
    one?.tool_calls?.map(
      (call) => 'function' in call && [call.id, call.function.name, call.function.arguments],
    ),
  );
  assert.equal(streamed.choices[0]?.finish_reason, 'tool_calls');
  assert.deepEqual(streamed.usage, whole.usage);
});

test('the official client runs its tools to the end', async () => {
  stage.say(
    {
      utterances: [{ call: [{ id: 'call_1', name: 'tide', arguments: ['{"port":"Brest"}'] }] }],
      finish: 'tool_calls',
      usage,
    },
    { utterances: [{ say: ['Five metres.'] }], finish: 'stop', usage },
  );
  const ports: string[] = [];
  const runner = client.chat.completions.runTools({
    model,
    messages,
    tools: [
      {
        type: 'function',
        function: {
          name: 'tide',
          description: 'The tide',
          parameters,
          parse: JSON.parse,
          function: ({ port }: { port: string }) => {
            ports.push(port);
            return '5 m';
          },
        },
      },
    ],
  });
  assert.equal(await runner.finalContent(), 'Five metres.');
  assert.deepEqual(ports, ['Brest']);
  assert.deepEqual(
    stage.lastSeen.turns.map((turn) => Object.keys(turn)[0]),
    ['role', 'call', 'output'],
  );
});

test('thoughts with their signature come back to the model unchanged', async () => {
  const signature = 'RXZlcnkgbGV0dGVyLg+/0123456789==';
  stage.say(
    { utterances: [{ think: ['Hm ', 'hm.'], signature }, { say: ['Five.'] }], finish: 'stop', usage },
    { utterances: [{ say: ['Yes.'] }], finish: 'stop', usage },
  );
  const reasoning = { effort: 'medium' };
  const { body } = await post({ model, messages, reasoning });
  const { message } = body.choices[0];
  assert.deepEqual(message.reasoning_details, [
    {
      type: 'reasoning.text',
      index: 0,
      id: message.reasoning_details[0].id,
      text: 'Hm hm.',
      format: 'anthropic-claude-v1',
      signature,
    },
  ]);
  const next = [...messages, message, { role: 'user', content: 'Sure?' }];
  assert.equal((await post({ model, messages: next, reasoning })).status, 200);
  assert.deepEqual(stage.lastSeen.turns[1], { thinking: { text: 'Hm hm.', signature } });
  // Without its signature a thought never goes to an endpoint that verifies signatures.
  const plain = [...messages, { role: 'assistant', content: 'Five.', reasoning: 'Hm hm.' }, ...messages];
  assert.equal((await post({ model, messages: plain, reasoning })).status, 200);
  assert.ok(stage.lastSeen.turns.every((turn) => !('thinking' in turn)));
});

test('usage comes once: with the ending, or in a chunk of its own', async () => {
  stage.say({ utterances: [{ say: ['Five.'] }], finish: 'stop', usage });
  for (const include_usage of [false, true]) {
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage },
    });
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const withUsage = chunks.filter((chunk) => chunk.usage !== undefined);
    assert.equal(withUsage.length, 1);
    assert.equal(withUsage[0], chunks.at(-1));
    assert.equal(chunks.at(-1)?.choices.length, include_usage ? 0 : 1);
  }
});

test('a failure after output ends the stream with an error, and an unstreamed answer says what came', async () => {
  const { dialect } = stage;
  const failure = dialect.failureEvent('overloaded', 'too busy');
  assert.ok(failure);
  const broken = ({ streamed }: { streamed: boolean }) => {
    const answer = dialect.answer({ utterances: [{ say: ['Half'] }], finish: 'stop', usage }, streamed);
    const said = answer.body.findIndex((piece) => piece.includes('Half'));
    return { ...answer, body: [...answer.body.slice(0, said + 1), failure] };
  };
  stage.deliver((request) => broken(request));
  const response = await fetch(`${stage.gateway.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${stage.gateway.key}` },
    body: JSON.stringify({ model, messages, stream: true }),
  });
  const events = (await response.text()).split('\n\n').filter((line) => line.startsWith('data: '));
  assert.equal(events.at(-1), 'data: [DONE]');
  const last = JSON.parse(events.at(-2)?.slice(6) ?? '');
  assert.equal(last.choices[0].finish_reason, 'error');
  assert.equal(typeof last.error.code, 'number');
  assert.ok(last.error.metadata.error_type);
});

test('pictures, files, system texts, names and outputs reach the model', async () => {
  stage.say({ utterances: [{ say: ['I see.'] }], finish: 'stop', usage });
  const url = 'data:image/png;base64,AAAA';
  const { status, body } = await post({
    model,
    messages: [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        name: 'Ada',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'tide', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'high' }] },
    ],
    tools: [{ type: 'function', function: { name: 'tide', parameters } }],
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(stage.lastSeen.system, 'Be brief.');
  const [user, call, output] = stage.lastSeen.turns;
  assert.deepEqual(user && 'text' in user && user.text, 'Ada: Look');
  assert.ok(call && 'call' in call);
  assert.deepEqual(output && 'output' in output && output.output.text, 'high');
});

test('refusals name the place and what to do', async () => {
  assert.match(await refusal({ messages: [] }), /^messages: must not be empty/);
  assert.match(
    await refusal({ messages: [{ role: 'king', content: 'x' }] }),
    /^messages\[0\].role: must be one of/,
  );
  assert.match(await refusal({ n: 2 }), /^n: must be 1/);
  assert.match(await refusal({ functions: [{}] }), /use tools/);
  assert.match(await refusal({ provider: { oder: [] } }), /^provider.oder: unknown field/);
  assert.match(await refusal({ store: true }), /^store: must be false/);
  assert.match(
    await refusal({ tools: [{ type: 'custom', name: 'x' }] }),
    /^tools\[0\].type: "custom" is not served here/,
  );
  assert.match(
    await refusal({ tools: [{ type: 'function', function: {} }] }),
    /^tools\[0\].function.name: is required/,
  );
  assert.match(
    await refusal({ response_format: { type: 'json_schema', json_schema: { name: 'x' } } }),
    /schema: is required/,
  );
  assert.match(await refusal({ stop: ['a', 'b', 'c', 'd', 'e'] }), /stop/);
  assert.match(
    await refusal({
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x' } }] }],
    }),
    /^messages\[0\].content\[0\].image_url: must be/,
  );
  assert.match(
    await refusal({ messages: [...messages, { role: 'tool', tool_call_id: 'x', content: 'y' }] }, 422),
    /^messages\[1\].tool_call_id/,
  );
  assert.match(await refusal({ tool_choice: 'required' }, 422), /^tool_choice/);
  assert.match(
    await refusal({ reasoning: { max_tokens: 50 }, max_tokens: 50 }, 422),
    /^reasoning.max_tokens/,
  );
  assert.match(await refusal({ reasoning: { enabled: false, effort: 'high' } }, 422), /^reasoning.enabled/);
});

test('unknown members at the top are accepted, null counts as absent', async () => {
  stage.say({ utterances: [{ say: ['Yes.'] }], finish: 'stop', usage });
  const { status } = await post({ model, messages, foo: 1, tools: null, stop: null, n: 1, functions: [] });
  assert.equal(status, 200);
});

test('one answer under an Idempotency-Key is made once and charged once', async () => {
  stage.say({ utterances: [{ say: ['Once.'] }], finish: 'stop', usage });
  const before = stage.provider.seen.length;
  const headers = { 'idempotency-key': 'chat-1' };
  const first = await post({ model, messages }, headers);
  const again = await post({ model, messages }, headers);
  assert.deepEqual(again.body, first.body);
  assert.equal(stage.provider.seen.length, before + 1);
});

test('the answer has the id of its generation', async () => {
  stage.say({ utterances: [{ say: ['Yes.'] }], finish: 'stop', usage });
  const { body, headers } = await post({ model, messages });
  assert.equal(body.id, headers.get('x-generation-id'));
  const generation = await stage.gateway.storage.generations.find(body.id);
  assert.equal(generation?.id, body.id);
});
