import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { hostedItems, textItems } from '../fake-upstream/responses-items.ts';
import { responsesBody, responsesEvents, toStream } from '../fake-upstream/responses-stream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { readStream } from '../support/read-stream.ts';

const output = [...textItems, ...hostedItems];
const include = ['reasoning.encrypted_content', 'file_search_call.results', 'code_interpreter_call.outputs'];
const tools = [
  { type: 'web_search' },
  { type: 'file_search', vector_store_ids: ['vs_1'] },
  { type: 'code_interpreter', container: { type: 'auto' } },
  { type: 'image_generation' },
  { type: 'shell' },
  { type: 'apply_patch' },
  { type: 'mcp', server_label: 'harbour', server_url: 'https://mcp.example/sse', authorization: 'mcp-token' },
  { type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'browser' },
  { type: 'namespace', name: 'sea', description: 'The sea', tools: [{ type: 'function', name: 'get_tide' }] },
  { type: 'custom', name: 'run_sql' },
];
const hostedTools = [
  'web_search',
  'file_search',
  'code_interpreter',
  'image_generation',
  'shell',
  'apply_patch',
];

let fake: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  fake = await startFakeUpstream({
    steps: toStream(responsesEvents({ output })),
    whole: JSON.stringify(responsesBody({ output })),
  });
  const provider = providerOf({
    slug: 'north',
    adapter: 'openai-responses',
    baseUrl: `${fake.url}/v1`,
    quirks: { hostedTools: [...hostedTools, 'mcp', 'computer', 'local_shell'] },
  });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [provider])] });
});
after(async () => {
  await gateway.stop();
  await fake.close();
});

interface Item {
  readonly type: string;
  readonly id: string;
  readonly call_id?: string;
}

function ask(body: object): Promise<Response> {
  return gateway.post({ model: 'acme/atlas-4', input: 'Hello', tools, include, ...body });
}

test('every kind of item, streamed by the grammar and the contract, and the same in one body', async () => {
  const { terminal } = await readStream(await ask({ stream: true }));
  const streamed = terminal.output as Item[];
  const response = await ask({});
  const whole = (await response.json()) as { status: string; output: Item[] };
  assert.equal(whole.status, 'completed', JSON.stringify(whole));
  const shown = (items: readonly Item[]) => items.map(({ id: _, ...item }) => item);
  assert.deepEqual(shown(whole.output), shown(streamed));
  assert.deepEqual(
    streamed.map(({ type }) => type),
    output.map(({ type }) => (type === 'local_shell_call' ? 'shell_call' : type)),
  );
  for (const [index, { type, id }] of hostedItems.entries()) {
    assert.equal(streamed[textItems.length + index]?.id, id, `the id of ${type} is the provider's own`);
  }
});

test('a second turn brings the provider what it said in the first', async () => {
  const { terminal } = await readStream(await ask({ stream: true }));
  const said = terminal.output as Item[];
  const answers = said.flatMap(({ type, call_id }) => {
    if (type === 'function_call') return [{ type: 'function_call_output', call_id, output: 'High.' }];
    return type === 'custom_tool_call' ? [{ type: 'custom_tool_call_output', call_id, output: '1' }] : [];
  });
  const response = await ask({ input: [{ role: 'user', content: 'Hello' }, ...said, ...answers] });
  assert.equal(response.status, 200, await response.clone().text());
  const [sent] = fake.requests.slice(-1);
  assert.ok(sent);
  const { input, tools: offered } = sent.body as { input: Item[]; tools: object[] };
  assert.deepEqual(
    input.slice(1, 1 + output.length).map(({ type }) => type),
    output.map(({ type }) => type),
  );
  const approvals = input.filter(({ type }) => type.startsWith('mcp_'));
  assert.deepEqual(
    approvals,
    hostedItems.filter(({ type }) => type.startsWith('mcp_')),
  );
  assert.deepEqual(offered, [
    ...tools.slice(0, 8),
    {
      ...tools[8],
      tools: [{ type: 'function', name: 'get_tide', parameters: { type: 'object', properties: {} } }],
    },
    tools[9],
  ]);
});

test('the body shown for debugging holds no credential of a tool', async () => {
  const { events } = await readStream(await ask({ stream: true, debug: { echo_upstream_body: true } }));
  const debug = JSON.stringify(events[0]);
  assert.equal(events[0]?.type, 'response.debug');
  assert.ok(debug.includes('harbour') && !debug.includes('mcp-token'));
});
