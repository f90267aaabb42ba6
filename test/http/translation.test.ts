import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatChunk, chatStream, dataEvent } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream, textOf } from '../support/read-stream.ts';

type Json = Readonly<Record<string, unknown>>;

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream();
  const provider = providerOf({
    slug: 'north',
    name: 'NorthGPU',
    baseUrl: `${upstream.url}/v1`,
    quirks: { structuredOutput: 'none', omit: ['seed', 'verbosity'] },
  });
  const claude = providerOf({
    slug: 'south',
    adapter: 'anthropic-messages',
    baseUrl: `${upstream.url}/v1`,
    headers: { 'anthropic-beta': 'operators-2026-01-01' },
  });
  gateway = await startGateway({
    models: [
      { ...modelOf('acme/atlas-4', [provider]), inputModalities: ['text', 'image', 'file'] },
      modelOf('acme/claude', [claude]),
    ],
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

/** A chat completion that makes the calls named, each in fragments of a few characters. */
function calls(...made: readonly (readonly [name: string, input: object])[]): Script {
  const chunks = made.flatMap(([name, input], index) => {
    const begin = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
    const pieces = JSON.stringify(input).match(/.{1,5}/gsu) ?? [];
    const fragments = pieces.map((piece) => ({ index, function: { arguments: piece } }));
    return [begin, ...fragments].map((call) => chatChunk({ tool_calls: [call] }));
  });
  const usage = dataEvent({ id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 } });
  return { steps: [...chunks, chatChunk({}, 'tool_calls'), usage, 'data: [DONE]\n\n'] };
}

async function ask(body: Json, headers: Record<string, string> = {}): Promise<Json> {
  const response = await gateway.post(
    { model: 'acme/atlas-4', input: 'Go.', stream: true, ...body },
    headers,
  );
  return (await readStream(response)).terminal;
}

const sentLast = () => upstream.requests.at(-1)?.body as Json;
const outputOf = (response: Json) => (response.output as Json[]).map(({ id: _id, ...item }) => item);

test('custom tools, namespaces, shell and patch work where only functions are known', async () => {
  const diff = '@@\n-old "text"\n+new ü😀\n';
  upstream.play(
    calls(
      ['run', { input: 'print("hi")\n' }],
      ['sea__tide', { port: 'Brest' }],
      ['shell', { commands: ['ls -la'] }],
      ['apply_patch', { type: 'update_file', path: 'a.txt', diff }],
    ),
  );
  const response = await ask({
    tools: [
      { type: 'custom', name: 'run', format: { type: 'grammar', syntax: 'regex', definition: '.+' } },
      {
        type: 'namespace',
        name: 'sea',
        description: 'The sea.',
        tools: [{ type: 'function', name: 'tide', parameters: { type: 'object' } }],
      },
      { type: 'shell' },
      { type: 'apply_patch' },
    ],
  });
  const sent = sentLast().tools as { type: string; function: { name: string } }[];
  assert.deepEqual(
    sent.map((tool) => [tool.type, tool.function.name]),
    ['run', 'sea__tide', 'shell', 'apply_patch'].map((name) => ['function', name]),
  );
  const action = { commands: ['ls -la'], timeout_ms: null, max_output_length: null };
  assert.deepEqual(outputOf(response), [
    { type: 'custom_tool_call', call_id: 'call_0', name: 'run', input: 'print("hi")\n', status: 'completed' },
    {
      type: 'function_call',
      call_id: 'call_1',
      name: 'tide',
      namespace: 'sea',
      arguments: '{"port":"Brest"}',
      status: 'completed',
    },
    {
      type: 'shell_call',
      call_id: 'call_2',
      action,
      arguments: '{"commands":["ls -la"]}',
      status: 'completed',
    },
    {
      type: 'apply_patch_call',
      call_id: 'call_3',
      operation: { type: 'update_file', path: 'a.txt', diff },
      status: 'completed',
    },
  ]);
});

test('what stands in the way is named by its place in the input as it was sent', async () => {
  const file = { type: 'input_file', file_url: 'https://127.0.0.1/tide.pdf' };
  const content = [{ type: 'input_text', text: '' }, { type: 'input_text', text: 'Read.' }, file];
  const input = [
    { role: 'assistant', content: '' },
    { role: 'user', content: 'Hi.' },
    { role: 'user', content },
  ];
  const plugins = [{ id: 'file-parser', enabled: false }];
  const response = await gateway.post({ model: 'acme/atlas-4', input, plugins });
  const { error } = (await response.json()) as { error: { metadata: { availability?: Json } } };
  assert.equal(response.status, 400);
  assert.partialDeepStrictEqual(error.metadata.availability?.constraint, { field: 'input[2].content[2]' });
  const message = { role: 'assistant', content: 'Hm.', phase: 'commentary' };
  upstream.play({ steps: chatStream('Good day.') });
  const { service_metadata: metadata } = await ask(
    { input: [{ role: 'user', content: null }, message, { role: 'user', content: 'Go.' }] },
    { 'x-service-metadata': 'enabled' },
  );
  assert.match(JSON.stringify(metadata), /"field":"input\[1\]\.phase"/);
});

test('what came back goes out again as the model said it', async () => {
  upstream.play(calls(['run', { input: 'ls' }], ['shell', { commands: ['ls'] }]));
  const tools = [{ type: 'custom', name: 'run' }, { type: 'shell' }];
  const first = await ask({ tools });
  upstream.play({ steps: chatStream('Done.') });
  const input = [
    { role: 'user', content: 'Go.' },
    ...(first.output as Json[]),
    { type: 'custom_tool_call_output', call_id: 'call_0', output: 'a.txt' },
    {
      type: 'shell_call_output',
      call_id: 'call_1',
      output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
  ];
  assert.equal(textOf(await ask({ tools, input })), 'Done.');
  const messages = sentLast().messages as {
    role: string;
    tool_calls?: Json[];
    tool_call_id?: string;
    content?: unknown;
  }[];
  assert.deepEqual(messages[1]?.tool_calls, [
    { id: 'call_0', type: 'function', function: { name: 'run', arguments: '{"input":"ls"}' } },
    { id: 'call_1', type: 'function', function: { name: 'shell', arguments: '{"commands":["ls"]}' } },
  ]);
  assert.deepEqual(
    messages.slice(2).map((message) => [message.role, message.tool_call_id]),
    [
      ['tool', 'call_0'],
      ['tool', 'call_1'],
    ],
  );
});

const format = { type: 'json_schema', name: 'place', schema: { type: 'object', properties: { city: {} } } };

test('structured output is asked for in words, its fence taken off, and the metadata tell all of it', async () => {
  upstream.play({ steps: chatStream('```js', 'on\n{"city":', ' "Brest"}', '\n``', '`') });
  const response = await ask(
    { text: { format, verbosity: 'low' }, seed: 5 },
    { 'x-service-metadata': 'enabled' },
  );
  assert.equal(textOf(response), '{"city": "Brest"}');
  const sent = sentLast();
  assert.match(JSON.stringify(sent.messages), /must fit this JSON schema/);
  assert.deepEqual([sent.response_format, sent.seed, sent.verbosity], [undefined, undefined, undefined]);
  const { pipeline } = response.service_metadata as { pipeline: { data: { fields: Json[] } }[] };
  const [stage] = pipeline;
  assert.deepEqual(
    { ...stage, data: undefined },
    {
      type: 'plugin',
      name: 'translation',
      summary: '3 fields altered for NorthGPU',
      data: undefined,
    },
  );
  assert.deepEqual(
    stage?.data.fields.map(({ field, action }) => `${field} ${action}`),
    ['text.verbosity dropped', 'seed dropped', 'text.format emulated'],
  );
});

test('a request that is served as it is has no such stage', async () => {
  upstream.play({ steps: chatStream('Hi.') });
  const response = await ask({ temperature: 0.5 }, { 'x-service-metadata': 'enabled' });
  assert.equal((response.service_metadata as Json).pipeline, undefined);
});

test('a strict request is refused rather than altered', async () => {
  const before = upstream.requests.length;
  const body = { model: 'acme/atlas-4', input: 'Go.', text: { format } };
  const response = await gateway.post(body, { 'x-service-strict': 'true' });
  assert.equal(response.status, 422);
  const { error } = (await response.json()) as { error: { message: string; metadata: Json } };
  assert.equal(error.metadata.error_type, 'unprocessable');
  assert.match(error.message, /^text\.format: /);
  assert.equal(upstream.requests.length, before, 'nothing was sent');
});

test('what no endpoint can serve is refused before anything is sent', async () => {
  const before = upstream.requests.length;
  const tools = [{ type: 'file_search', vector_store_ids: ['vs_1'] }];
  const response = await gateway.post({ model: 'acme/atlas-4', input: 'Go.', tools });
  assert.equal(response.status, 400);
  assert.equal(response.headers.get('x-should-retry'), null);
  const { error } = (await response.json()) as { error: { metadata: { availability: Json } } };
  assert.deepEqual(error.metadata.availability.constraint, {
    field: 'tools[0]',
    detail: 'the need for "Hosted file search"',
  });
  assert.equal(upstream.requests.length, before);
});

test('what a caller names as unreleased goes to the dialect of its vendor alone', async () => {
  upstream.play({ status: 500, headers: { 'content-type': 'application/json' }, steps: ['{}'] });
  const sent = async (model: string, headers: Record<string, string>) => {
    await (await gateway.post({ model, input: 'Go.' }, headers)).text();
    return upstream.requests.at(-1)?.headers['anthropic-beta'];
  };
  const wished = { 'x-anthropic-beta': 'one-2026-02-02, operators-2026-01-01,no name,' };
  assert.equal(await sent('acme/claude', wished), 'operators-2026-01-01,one-2026-02-02');
  assert.equal(await sent('acme/claude', { 'anthropic-beta': 'two' }), 'operators-2026-01-01,two');
  assert.equal(await sent('acme/claude', { 'openai-beta': 'three' }), 'operators-2026-01-01');
  assert.equal(await sent('acme/atlas-4', wished), undefined);
});
