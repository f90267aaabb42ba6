import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { serviceTools } from '../../src/dialects/gateway/tools/tool-kinds.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

const answer = { steps: chatStream('Well.') };
let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream(answer);
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  gateway = await startGateway({ models: [modelOf('acme/atlas-4', [provider])] });
});
after(async () => {
  await gateway.stop();
  await upstream.close();
});

/** A key of a new workspace that has disabled tools. */
async function keyWithout(...disabledServerTools: string[]): Promise<string> {
  const { account, storage, createKey } = gateway;
  const known = await storage.workspaces.find(account.id, account.defaultWorkspaceId ?? '');
  assert.ok(known);
  const id = crypto.randomUUID();
  await storage.workspaces.create({ ...known, id, slug: id, name: id, disabledServerTools });
  return createKey({ workspaceId: id });
}

async function post(key: string, path: string, body: object) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'acme/atlas-4', ...body }),
  });
  const text = await response.text();
  return { status: response.status, text };
}

const responses = (body: object) => ['/responses', { input: 'Hello', ...body }] as const;
const messages = [{ role: 'user', content: 'Hello' }];
const chat = (body: object) => ['/chat/completions', { messages, ...body }] as const;
const anthropic = (body: object) => ['/messages', { messages, max_tokens: 9, ...body }] as const;
const listed = (type: string, more: object = {}) => ({ tools: [{ type, ...more }] });
type Spelling = readonly [said: string, ask: readonly [path: string, body: object]];
const everywhere = (type: string): readonly Spelling[] => [
  [type, responses(listed(type))],
  [type, chat(listed(type))],
  [type, anthropic(listed(type))],
];
const onResponses = (type: string): Spelling => [type, responses(listed(type))];
const nested = { tools: [{ type: 'service:web_fetch' }] };

/** Every way in which a request can mean a tool, by the tool's type id. */
const spellings: Readonly<Record<string, readonly Spelling[]>> = {
  'service:datetime': everywhere('service:datetime'),
  'service:web_search': [
    ...everywhere('service:web_search'),
    ...['web_search', 'web_search_2025_08_26', 'web_search_preview', 'web_search_preview_2025_03_11'].flatMap(
      (type): readonly Spelling[] => [onResponses(type), [type, chat(listed(type))]],
    ),
    ...['web_search_20250305', 'web_search_20260209'].map(
      (type): Spelling => [type, anthropic(listed(type, { name: 'web_search' }))],
    ),
    ['acme/atlas-4:online', responses({ model: 'acme/atlas-4:online' })],
  ],
  'service:web_fetch': [
    ...everywhere('service:web_fetch'),
    ['service:web_fetch', responses(listed('service:subagent', { parameters: nested }))],
    ['service:web_fetch', responses(listed('service:fusion', { parameters: nested }))],
    ['service:web_fetch', responses({ plugins: [{ id: 'fusion', ...nested }] })],
  ],
  'service:experimental__search_models': [
    ...everywhere('service:experimental__search_models'),
    onResponses('service:search_models'),
  ],
  'service:search_models': [
    onResponses('service:search_models'),
    onResponses('service:experimental__search_models'),
  ],
  'service:advisor': [
    onResponses('service:advisor'),
    ['service:advisor', chat(listed('service:advisor'))],
    ['service:advisor', anthropic(listed('advisor_20260301', { name: 'advisor' }))],
  ],
  'service:subagent': [
    onResponses('service:subagent'),
    ['service:subagent', chat(listed('service:subagent'))],
  ],
  'service:fusion': [
    onResponses('service:fusion'),
    ['fusion', responses({ plugins: [{ id: 'fusion' }] })],
    ['service/fusion', responses({ model: 'service/fusion' })],
    ['service/fusion-flash', chat({ model: 'service/fusion-flash' })],
  ],
  'service:files': [onResponses('service:files'), ['service:files', chat(listed('service:files'))]],
  'service:tool_search': [
    onResponses('service:tool_search'),
    onResponses('tool_search'),
    [
      'tool_search_tool_regex',
      anthropic(listed('tool_search_tool_regex', { name: 'tool_search_tool_regex' })),
    ],
  ],
  'service:image_generation': [onResponses('image_generation')],
  'service:apply_patch': [onResponses('service:apply_patch'), onResponses('apply_patch')],
  'service:shell': [
    onResponses('shell'),
    onResponses('local_shell'),
    onResponses('service:shell'),
    ['shell', responses(listed('shell', { environment: { type: 'container_auto' } }))],
    ['service:shell', anthropic(listed('service:shell'))],
  ],
  'service:mcp': [
    ['mcp', responses(listed('mcp', { server_label: 'a', server_url: 'https://mcp.example' }))],
    ['mcp', responses(listed('mcp', { server_label: 'own' }))],
  ],
  'service:bash': [
    onResponses('service:bash'),
    ['service:bash', anthropic(listed('service:bash', { parameters: { engine: 'service' } }))],
    ['bash_20250124', anthropic(listed('bash_20250124', { name: 'bash' }))],
  ],
};

for (const [disabled, ways] of Object.entries(spellings)) {
  test(`a workspace that disabled ${disabled} refuses every spelling of it, and nothing else`, async () => {
    const key = await keyWithout(disabled);
    for (const [said, [path, body]] of ways) {
      const asked = upstream.requests.length;
      const { status, text } = await post(key, path, body);
      assert.equal(status, 403, `${said} at ${path}: ${text}`);
      assert.ok(text.includes(disabled) || text.includes('service:'), text);
      assert.equal(upstream.requests.length, asked);
    }
    const other = disabled === 'service:datetime' ? 'service:web_fetch' : 'service:datetime';
    assert.equal((await post(key, ...responses(listed(other)))).status, 200);
  });
}

test('the table holds every tool', () => {
  const absent = [...serviceTools].filter((type) => spellings[type] === undefined);
  assert.deepEqual(absent, []);
});

test('a plan of a request is refused as well', async () => {
  const key = await keyWithout('service:datetime');
  const { status, text } = await post(key, ...responses(listed('service:datetime')));
  assert.equal(status, 403);
  const plan = await post(key, '/responses/plan', { input: 'Hello', ...listed('service:datetime') });
  assert.equal(plan.status, 403, text);
});

test('a panel of fusion is not offered what is disabled', async () => {
  const key = await keyWithout('service:web_fetch');
  const parameters = { analysis_models: ['acme/atlas-4'] };
  const { status } = await post(key, ...responses(listed('service:fusion', { parameters })));
  assert.equal(status, 200);
});
