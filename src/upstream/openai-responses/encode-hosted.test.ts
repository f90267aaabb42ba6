import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, HostedTool, Item, Tool } from '../../core/request.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const all = [
  'web_search',
  'file_search',
  'code_interpreter',
  'mcp',
  'image_generation',
  'shell',
  'apply_patch',
];
const provider = { quirks: { hostedTools: all } };

function sent(request: Partial<CanonicalChat>, changes: CallChanges = { provider }) {
  return sentBody(adapter, { ...changes, request });
}

const hosted = (tool: HostedTool['tool'], settings: object = {}, type: string = tool): HostedTool => ({
  kind: 'hosted',
  tool,
  type,
  settings: { ...settings },
});

test('hosted tools go out as they came, with their credentials', () => {
  const mcp = {
    server_label: 'harbour',
    server_url: 'https://mcp.example',
    authorization: 'token',
    headers: { 'x-a': 'b' },
    require_approval: { never: { tool_names: ['berths'] } },
  };
  const { tools } = sent({
    tools: [
      hosted('mcp', mcp),
      hosted('code_interpreter', { container: { type: 'auto', memory_limit: '4g' } }),
      hosted('file_search', { vector_store_ids: ['vs_1'], filters: { type: 'eq', key: 'a', value: 1 } }),
      hosted('image_generation', { size: '1024x1024', partial_images: 2 }),
      hosted('shell'),
      hosted('apply_patch'),
    ],
  });
  assert.deepEqual(tools, [
    { type: 'mcp', ...mcp },
    { type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } },
    { type: 'file_search', vector_store_ids: ['vs_1'], filters: { type: 'eq', key: 'a', value: 1 } },
    { type: 'image_generation', size: '1024x1024', partial_images: 2 },
    { type: 'shell' },
    { type: 'apply_patch' },
  ]);
});

test('a web search keeps what the dialect knows, and asks for the sources its action shows', () => {
  const settings = {
    engine: 'native',
    mode: 'fast',
    max_results: 3,
    max_uses: 2,
    filters: { allowed_domains: ['a.test'], blocked_domains: ['b.test'] },
    search_context_size: 'low',
    user_location: { type: 'approximate', city: 'Brest' },
  };
  const body = sent({ tools: [hosted('web_search', settings)], maxToolCalls: 3 });
  assert.deepEqual(body.tools, [
    {
      type: 'web_search',
      search_context_size: 'low',
      user_location: { type: 'approximate', city: 'Brest' },
      filters: { allowed_domains: ['a.test'] },
    },
  ]);
  assert.deepEqual([body.include, body.max_tool_calls], [['web_search_call.action.sources'], 3]);
  const preview = sent({ tools: [hosted('web_search', {}, 'web_search_preview')] });
  assert.deepEqual([preview.include, preview.tools], [undefined, [{ type: 'web_search_preview' }]]);
});

test('namespaces keep their members, and added tools their place', () => {
  const sea: Tool = {
    kind: 'namespace',
    name: 'sea',
    description: 'The sea',
    tools: [
      {
        kind: 'function',
        name: 'tide',
        strict: true,
        outputSchema: { type: 'object' },
        allowedCallers: ['direct'],
        async: true,
      },
      { kind: 'custom', name: 'log', grammar: { syntax: 'regex', definition: 'a+' } },
    ],
  };
  const wire = {
    type: 'namespace',
    name: 'sea',
    description: 'The sea',
    tools: [
      {
        type: 'function',
        name: 'tide',
        strict: true,
        parameters: { type: 'object', properties: {} },
        output_schema: { type: 'object' },
        allowed_callers: ['direct'],
        async: true,
      },
      { type: 'custom', name: 'log', format: { type: 'grammar', syntax: 'regex', definition: 'a+' } },
    ],
  };
  assert.deepEqual(sent({ tools: [sea] }).tools, [wire]);
  const others = [{ type: 'tide_table', port: 'Brest' }];
  const items: Item[] = [{ kind: 'additional_tools', tools: [sea], others }];
  const body = sent({ items, toolChoice: { kind: 'required' } });
  assert.deepEqual(body.input, [{ type: 'additional_tools', role: 'developer', tools: [wire, ...others] }]);
  assert.deepEqual([body.tools, body.tool_choice], [undefined, 'required']);
});

test('a choice of hosted tools has its form', () => {
  const tools: Tool[] = [
    hosted('mcp', { server_label: 's' }),
    hosted('shell'),
    { kind: 'function', name: 'f' },
    { kind: 'custom', name: 'c' },
  ];
  assert.deepEqual(
    sent({ tools, toolChoice: { kind: 'hosted', tool: 'shell', type: 'shell' } }).tool_choice,
    {
      type: 'shell',
    },
  );
  const allowed = { kind: 'allowed', mode: 'auto', names: ['f'], hosted: ['mcp', 'shell'] } as const;
  assert.deepEqual(sent({ tools, toolChoice: allowed }).tool_choice, {
    type: 'allowed_tools',
    mode: 'auto',
    tools: [{ type: 'mcp', server_label: 's' }, { type: 'shell' }, { type: 'function', name: 'f' }],
  });
});

test('pictures are made by the tool, with the settings it knows', () => {
  const imageConfig = { quality: 'high', aspect_ratio: '16:9' };
  const body = sent({ outputModalities: ['text', 'image'], imageConfig });
  assert.deepEqual(body.tools, [{ type: 'image_generation', quality: 'high' }]);
  const own = hosted('image_generation', { size: 'auto' });
  assert.deepEqual(sent({ outputModalities: ['image'], tools: [own] }).tools, [
    { type: 'image_generation', size: 'auto' },
  ]);
});

test('templates, details and breakpoints', () => {
  const marked = { kind: 'text', text: 'a', cacheControl: { ttl: '5m' } } as const;
  const picture = {
    kind: 'image',
    url: 'https://a.test/x.png',
    detail: 'auto',
    cacheControl: { ttl: '5m' },
  } as const;
  const items: Item[] = [
    { kind: 'message', role: 'user', content: [marked, picture] },
    { kind: 'call', form: 'function', callId: 'c', name: 'f', input: '{}' },
    { kind: 'call_output', form: 'function', callId: 'c', output: [marked] },
  ];
  const breakpoint = { prompt_cache_breakpoint: { mode: 'explicit' } };
  const image = { type: 'input_image', image_url: 'https://a.test/x.png', detail: 'auto' };
  const body = sent({
    items,
    promptCacheOptions: { mode: 'explicit', ttl: '30m' },
    include: ['file_search_call.results', 'message.input_image.image_url'],
    prompt: { id: 'pmpt_1', variables: { city: 'Brest' } },
  });
  assert.deepEqual(body.prompt_cache_options, { mode: 'explicit', ttl: '30m' });
  assert.deepEqual(body.include, ['file_search_call.results', 'message.input_image.image_url']);
  assert.deepEqual(body.prompt, { id: 'pmpt_1', variables: { city: 'Brest' } });
  const [message, , output] = body.input as unknown[];
  assert.deepEqual(message, {
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text: 'a', ...breakpoint },
      { ...image, ...breakpoint },
    ],
  });
  assert.deepEqual(output, {
    type: 'function_call_output',
    call_id: 'c',
    output: [{ type: 'input_text', text: 'a', ...breakpoint }],
  });
  const plain = JSON.stringify(sent({ items }));
  assert.ok(!plain.includes('breakpoint'), 'older models do not know breakpoints');
  assert.equal(sent({ items: [], prompt: { id: 'pmpt_1' } }).input, undefined);
});

test('unknown members of items reach the provider, members of the gateway do not', () => {
  const extra = { created_by: 'x', subagent_id: 's', subagent_items: [], instance_name: 'i', format: 'f' };
  const items: Item[] = [
    { kind: 'call', form: 'function', callId: 'c', name: 'f', input: '{}', extra },
    { kind: 'call_output', form: 'function', callId: 'c', output: [] },
    {
      kind: 'hosted',
      type: 'image_generation_call',
      id: 'ig_1',
      fields: { result: '', prompt: 'a boat' },
      extra: { revised_prompt: 'a big boat', ...extra },
    },
    { kind: 'compaction', type: 'compaction', id: 'cmp_1', encrypted: 'blob', extra: { created_by: 'x' } },
  ];
  assert.deepEqual(sent({ items }).input, [
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', created_by: 'x' },
    { type: 'function_call_output', call_id: 'c', output: '' },
    {
      type: 'image_generation_call',
      id: 'ig_1',
      result: null,
      status: 'completed',
      revised_prompt: 'a big boat',
      created_by: 'x',
    },
    { type: 'compaction', encrypted_content: 'blob', created_by: 'x' },
  ]);
});

test('calls of the local shell go back as what they were, and so do their outputs', () => {
  const action = { type: 'exec', command: ['ls'], env: {} };
  const items: Item[] = [
    {
      kind: 'hosted',
      type: 'shell_call',
      id: 'lsh_1',
      fields: { call_id: 'c1', action: { commands: ['ls'] }, arguments: JSON.stringify(action) },
    },
    { kind: 'hosted', type: 'shell_call_output', fields: { call_id: 'c1', output: [{ stdout: 'a' }] } },
    { kind: 'hosted', type: 'shell_call', id: 'sh_2', fields: { call_id: 'c2', arguments: 'not json' } },
    {
      kind: 'hosted',
      type: 'shell_call_output',
      fields: { call_id: 'c2', output: [], container_id: 'x', files: [], error: null },
    },
  ];
  assert.deepEqual(sent({ items }).input, [
    { type: 'local_shell_call', id: 'lsh_1', call_id: 'c1', action, status: 'completed' },
    { type: 'local_shell_call_output', id: 'c1', output: '[{"stdout":"a"}]' },
    { type: 'shell_call', call_id: 'c2' },
    { type: 'shell_call_output', call_id: 'c2', output: [] },
  ]);
});

test("a provider's row decides what it hosts and accepts", () => {
  const own = adapter.support(createCall({ provider }).endpoint.provider);
  assert.equal(own['tool.mcp'], 'native');
  assert.equal(own['tool.computer'], 'refused');
  assert.equal(own['item.hosted'], 'native');
  assert.equal(own['item.compaction'], 'native');
  const quirks = {
    reasoningFormat: 'xai-responses-v1',
    hostedTools: ['web_search', 'nonsense'],
    omit: ['custom', 'namespace', 'truncation', 'service_tier', 'prompt'],
  };
  const alike = adapter.support(createCall({ provider: { quirks } }).endpoint.provider);
  assert.deepEqual(alike['tool.custom'], { emulated: 'as-function' });
  assert.deepEqual(alike['tool.namespace'], { emulated: 'flattened' });
  assert.deepEqual(alike['truncation.auto'], { emulated: 'shortened' });
  assert.deepEqual(alike['tool.shell'], { emulated: 'as-function' });
  assert.equal(alike['tool.code_interpreter'], 'refused');
  assert.equal(alike.prompt, 'refused');
  assert.equal(alike['item.compaction'], 'refused');
  assert.ok(typeof alike['tool.web_search'] === 'object' && 'adapted' in alike['tool.web_search']);
});
