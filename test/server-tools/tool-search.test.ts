import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { IsolatedProcesses } from '../../src/isolation/isolated-processes.ts';
import { FunctionSearch } from '../../src/server-tools/tool-search/function-search.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { checkContractAt } from '../support/contract.ts';
import { calls, type Read, sent, startToolWorld, type ToolWorld } from './tool-world.ts';

const answer: Script = { steps: chatStream('Done.') };
const search = (query: string, more: object = {}) => calls(['service_tool_search', { query, ...more }]);
const argument = {
  type: 'object',
  properties: { harbour: { type: 'string', description: 'Where ships lie' } },
};
const hidden = (name: string, description = '', parameters: object = { type: 'object' }) => ({
  type: 'function',
  name,
  description,
  parameters,
  defer_loading: true,
});
const functions = [
  { type: 'function', name: 'visible' },
  hidden('get_tides', 'Tells the tides'),
  hidden('get_berths', 'Free places', argument),
  hidden('get_weather', 'Tells the weather'),
];
const tools = [...functions, { type: 'service:tool_search' }];
const world = (...scripts: readonly Script[]) => startToolWorld({ 'acme/atlas-4': scripts });
const offered = (tested: ToolWorld, turn: number) =>
  sent(tested.upstream('acme/atlas-4'), turn).tools?.map((tool) => tool.function.name);
const results = (tested: ToolWorld, turn: number): Read[] =>
  sent(tested.upstream('acme/atlas-4'), turn)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ content }) => JSON.parse(content));
const itemsOf = (body: Read) => body.output.filter(({ type }: Read) => type === 'service:tool_search');

test('hidden functions are offered once they are found, behind all others', async () => {
  await using tested = await world(
    search('TIDES|harbour'),
    calls(['get_berths', { harbour: 'Brest' }]),
    answer,
  );
  const body = await tested.ask({ tools });
  assert.deepEqual(offered(tested, 0), ['visible', 'service_tool_search']);
  assert.deepEqual(offered(tested, 1), ['visible', 'service_tool_search', 'get_tides', 'get_berths']);
  assert.deepEqual(results(tested, 1)[0].tools, [
    { name: 'get_tides', description: 'Tells the tides' },
    { name: 'get_berths', description: 'Free places' },
  ]);
  assert.equal(itemsOf(body)[0].query, 'TIDES|harbour');
  assert.equal(body.output.at(-1).name, 'get_berths', "a call of a found function is the client's");
  assert.equal(tested.upstream('acme/atlas-4').requests.length, 2);
});

test('calling a function that was not found is an error for the model alone', async () => {
  await using tested = await world(calls(['get_tides', {}]), search('tides'), calls(['get_tides', {}]));
  const body = await tested.ask({ tools });
  assert.match(results(tested, 1)[0].error, /search for it first/);
  assert.deepEqual(
    body.output.map(({ type }: Read) => type).filter((type: string) => type !== 'message'),
    ['service:tool_search', 'function_call'],
  );
});

test('searches are bounded by the entry and by the call', async () => {
  await using tested = await world(
    search('get_', { max_results: 1 }),
    search('get_', { max_results: 9 }),
    answer,
  );
  await tested.ask({
    tools: [...functions, { type: 'service:tool_search', parameters: { max_results: 2 } }],
  });
  assert.deepEqual(
    results(tested, 2).map((result) => result.tools.length),
    [1, 2],
  );
});

test('bad and overlong patterns are errors, and the request goes on', async () => {
  await using tested = await world(search('('), search('a'.repeat(201)), search('(?=x)'), answer);
  const body = await tested.ask({ tools });
  assert.equal(body.status, 'completed');
  const said = results(tested, 3).map(({ error }) => error);
  assert.match(said[0], /regular expression/);
  assert.match(said[1], /at most 200/);
  assert.match(said[2], /regular expression/);
  for (const { error } of itemsOf(body)) assert.ok(error);
});

test('what was found before stays callable when it is replayed', async () => {
  await using tested = await world(answer);
  const item = { type: 'service:tool_search', id: 'ts_1', status: 'completed', query: 'weather' };
  const call = { type: 'function_call', call_id: 'c1', name: 'get_tides', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c1', output: 'high' };
  const user = { role: 'user', content: 'And now?' };
  await tested.ask({ tools, input: [user, item, call, output, user] });
  assert.deepEqual(offered(tested, 0), ['visible', 'service_tool_search', 'get_weather', 'get_tides']);
});

const member = (name: string) => ({ type: 'function', name, parameters: { type: 'object' } });
const namespaces = [
  {
    type: 'namespace',
    name: 'crm',
    description: 'Customers',
    tools: [member('list'), hidden('find', 'Finds a customer')],
  },
  { type: 'namespace', name: 'sea', description: 'The sea', tools: [hidden('get_tides', 'When it is high')] },
];

for (const stream of [false, true]) {
  test(`functions of namespaces are hidden and found too${stream ? ', streamed' : ''}`, async () => {
    await using tested = await world(
      calls(['sea__get_tides', {}]),
      search('customer|the sea'),
      calls(['crm__find', {}], ['sea__get_tides', {}]),
    );
    const asked = { tools: [...namespaces, { type: 'service:tool_search' }] };
    const body: Read = stream ? (await tested.stream(asked)).at(-1)?.response : await tested.ask(asked);
    assert.deepEqual(offered(tested, 0), ['crm__list', 'service_tool_search']);
    assert.match(results(tested, 1)[0].error, /"sea__get_tides" is not loaded/);
    assert.deepEqual(results(tested, 2)[1].tools, [
      { name: 'find', namespace: 'crm', description: 'Finds a customer' },
      { name: 'get_tides', namespace: 'sea', description: 'When it is high' },
    ]);
    assert.deepEqual(offered(tested, 2), ['crm__list', 'crm__find', 'service_tool_search', 'sea__get_tides']);
    const made = body.output.filter(({ type }: Read) => type === 'function_call');
    assert.deepEqual(
      made.map(({ namespace, name }: Read) => [namespace, name]),
      [
        ['crm', 'find'],
        ['sea', 'get_tides'],
      ],
    );
    const outputs = made.map(({ call_id }: Read) => ({ type: 'function_call_output', call_id, output: 'x' }));
    await tested.ask({ ...asked, input: [{ role: 'user', content: 'Go.' }, ...body.output, ...outputs] });
    assert.deepEqual(offered(tested, 3), ['crm__list', 'crm__find', 'service_tool_search', 'sea__get_tides']);
  });
}

test('an item may add hidden functions, and tools of the gateway', async () => {
  await using tested = await world(search('tides'), calls(['service_datetime', {}]), answer);
  const added = { type: 'additional_tools', role: 'developer' };
  const input = [
    { role: 'user', content: 'Go.' },
    { ...added, tools: [hidden('get_tides', 'Tells the tides')] },
    { ...added, tools: [{ type: 'service:tool_search' }, { type: 'service:datetime' }] },
  ];
  const body = await tested.ask({ tools: [functions[0]], input });
  assert.equal(body.httpStatus, 200, JSON.stringify(body));
  const own = ['service_datetime', 'service_tool_search'];
  assert.deepEqual(offered(tested, 0)?.toSorted(), [...own, 'visible']);
  assert.deepEqual(offered(tested, 1)?.toSorted(), ['get_tides', ...own, 'visible']);
  assert.deepEqual(
    body.output.flatMap(({ type }: Read) => (type.startsWith('service:') ? type : [])),
    ['service:tool_search', 'service:datetime'],
  );
});

const refused: readonly (readonly [string, object])[] = [
  ['a hidden function of a namespace without a search', { tools: namespaces }],
  [
    'a hidden function that an item adds without a search',
    {
      input: [
        { role: 'user', content: 'Go.' },
        { type: 'additional_tools', role: 'developer', tools: [hidden('get_tides')] },
      ],
    },
  ],
  ['hidden functions without a search', { tools: functions }],
  [
    'a search that is hidden',
    { tools: [...functions, { type: 'service:tool_search', defer_loading: true }] },
  ],
  ['a choice that forces', { tools, tool_choice: 'required' }],
  ['a choice that forbids', { tools, tool_choice: 'none' }],
  ['a choice of one function', { tools, tool_choice: { type: 'function', name: 'visible' } }],
];
for (const [what, body] of refused) {
  test(`${what} is refused`, async () => {
    await using tested = await world(answer);
    assert.equal((await tested.ask(body)).httpStatus, 400);
    assert.equal(tested.upstream('acme/atlas-4').requests.length, 0);
  });
}

test('allowed tools that are hidden may be called once they are found', async () => {
  await using tested = await world(search('tides'), calls(['get_tides', {}], ['visible', {}]));
  const tool_choice = {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'function', name: 'get_tides' }],
  };
  const body = await tested.ask({ tools, tool_choice });
  const names = body.output.flatMap((item: Read) => (item.type === 'function_call' ? item.name : []));
  assert.deepEqual(names, ['get_tides']);
});

test('the alias is answered with the same item, also in a stream', async () => {
  await using tested = await world(search('tides'), answer);
  const events = await tested.stream({ tools: [...functions, { type: 'tool_search' }] });
  const items = events.flatMap(({ item }) => ((item as Read)?.type === 'service:tool_search' ? [item] : []));
  assert.equal(items.length, 2);
});

test('Messages hides functions for its own spelling, and shows references', async () => {
  await using tested = await world(search('tides'), search('('), answer);
  const custom = functions.map(
    ({ type: _type, parameters: input_schema = { type: 'object' }, ...rest }: Read) => ({
      ...rest,
      input_schema,
    }),
  );
  const type = 'tool_search_tool_regex_20251119';
  const response = await fetch(`${tested.gateway.url}/api/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': tested.gateway.key },
    body: JSON.stringify({
      model: 'acme/atlas-4',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Tides?' }],
      tools: [...custom, { type, name: 'tool_search_tool_regex' }],
    }),
  });
  const body = (await response.json()) as Read;
  assert.equal(response.status, 200, JSON.stringify(body));
  assert.deepEqual(offered(tested, 0), ['visible', 'service_tool_search']);
  assert.deepEqual(offered(tested, 1), ['visible', 'service_tool_search', 'get_tides']);
  const blocks = body.content.filter((block: Read) => block.type === 'tool_search_tool_result');
  for (const block of blocks) checkContractAt('/components/schemas/AnthropicToolSearchToolResult', block);
  assert.deepEqual(blocks[0].content.tool_references, [{ type: 'tool_reference', tool_name: 'get_tides' }]);
  assert.equal(blocks[1].content.type, 'tool_search_tool_result_error');
});

const foundAs = (name: string, description: string) => ({
  tool: { kind: 'function' as const, name, description },
  namespace: undefined,
  name,
});

const everybody = { accountId: 'one', signal: new AbortController().signal };

test('a hostile query is refused with its number of states, or because it takes too long; nothing waits for it', async () => {
  const processes = new IsolatedProcesses({ processes: 1 });
  after(() => processes.close());
  const many = Array.from({ length: 240 }, (_, at) => foundAs(`f${at}`, 'a'.repeat(8_000)));
  const searched = new FunctionSearch(many, processes);
  let longest = 0;
  let last = performance.now();
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }, 1);
  after(() => clearInterval(watch));
  await assert.rejects(searched.find('(?:a.{0,900}z)', 5, everybody), /takes too long for so many functions/);
  await assert.rejects(searched.find('(?:.{0,1000}){0,1}(?:.{0,1000}){0,1}.{0,100}', 5, everybody), /states/);
  await assert.rejects(searched.find('(', 5, everybody), /regular expression/);
  assert.deepEqual(
    (await searched.find('f3\\b', 5, everybody)).map(({ name }) => name),
    ['f3'],
  );
  // 25 to 40 s when it was searched in this process.
  assert.ok(longest < 2_000, `the process stood still for ${longest} ms`);
});

test('what is searched has a bound; functions beyond it are found by their names', async () => {
  const processes = new IsolatedProcesses({ processes: 1 });
  after(() => processes.close());
  const many = Array.from({ length: 400 }, (_, at) => {
    return foundAs(`f${at}`, 'word '.repeat(2000));
  });
  const searched = new FunctionSearch(many, processes);
  assert.ok((await searched.find('word', 400, everybody)).length < 300);
  assert.deepEqual(
    (await searched.find('^f399$', 5, everybody)).map(({ name }) => name),
    ['f399'],
  );
});

test('replayed searches are not done again where their items hold the result', async () => {
  await using tested = await world(answer);
  const item = (query: string, more: object) => ({
    type: 'service:tool_search',
    id: 'ts_1',
    status: 'completed',
    query,
    ...more,
  });
  const user = { role: 'user', content: 'And now?' };
  const input = [
    user,
    item('weather', { tools: ['get_tides'] }),
    item('harbour', { error: 'no such thing' }),
    user,
  ];
  await tested.ask({ tools, input });
  assert.deepEqual(offered(tested, 0), ['visible', 'service_tool_search', 'get_tides']);
});

test('an account without credits makes nobody search', async () => {
  await using tested = await startToolWorld({ 'acme/atlas-4': [answer] }, { billingMode: 'prepaid' });
  const item = { type: 'service:tool_search', id: 'ts_1', status: 'completed', query: '(?:a.{0,900}z)' };
  const user = { role: 'user', content: 'And now?' };
  const many = Array.from({ length: 240 }, (_, at) => hidden(`f${at}`, 'a'.repeat(8_000)));
  const body = await tested.ask({
    tools: [...many, { type: 'service:tool_search' }],
    input: [user, item, user],
  });
  assert.equal(body.httpStatus, 402, JSON.stringify(body));
  assert.equal(tested.upstream('acme/atlas-4').requests.length, 0);
});
