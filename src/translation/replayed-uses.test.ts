import assert from 'node:assert/strict';
import { test } from 'node:test';
import { altered, translated } from '../../test/support/translating.ts';
import type { Feature, Support } from '../core/features.ts';
import type { Item } from '../core/request.ts';

const asPairs: Partial<Record<Feature, Support>> = {
  'item.hosted': { emulated: 'as-call-pair' },
  'item.service': { emulated: 'as-call-pair' },
};
const replay = (items: readonly Item[], support = asPairs) => translated({ support, request: { items } });
const pair = (name: string, callId: string, input: object, ...output: object[]) => [
  { kind: 'call', form: 'function', callId, name, input: JSON.stringify(input) },
  { kind: 'call_output', form: 'function', callId, output },
];
const text = (said: string) => ({ kind: 'text', text: said });

test('items of hosted tools become calls with their outputs, at their places', () => {
  const translation = replay([
    {
      kind: 'hosted',
      type: 'web_search_call',
      id: 'ws_1',
      fields: {
        action: { type: 'search', query: 'tide', sources: [{ type: 'url', url: 'https://a.example' }] },
      },
    },
    { kind: 'message', role: 'assistant', content: [{ kind: 'text', text: 'High.' }] },
    { kind: 'hosted', type: 'file_search_call', fields: { queries: ['x'], results: [{ text: 'y' }] } },
    {
      kind: 'hosted',
      type: 'code_interpreter_call',
      id: 'ci',
      fields: { code: '1+1', container_id: 'c', outputs: null },
    },
    {
      kind: 'hosted',
      type: 'mcp_call',
      id: 'mcp',
      fields: { server_label: 's', name: 'n', arguments: '{}', output: 'done' },
    },
    {
      kind: 'hosted',
      type: 'mcp_approval_request',
      id: 'ap',
      fields: { server_label: 's', name: 'n', arguments: '{}' },
    },
    { kind: 'hosted', type: 'mcp_approval_response', fields: { approval_request_id: 'ap', approve: true } },
  ]);
  assert.deepEqual(translation.request.items, [
    ...pair(
      'web_search',
      'ws_1',
      { type: 'search', query: 'tide' },
      text('[{"type":"url","url":"https://a.example"}]'),
    ),
    { kind: 'message', role: 'assistant', content: [text('High.')] },
    ...pair('file_search', 'call_2', { queries: ['x'] }, text('[{"text":"y"}]')),
    ...pair('code_interpreter', 'ci', { code: '1+1', container_id: 'c' }, text('No output was kept.')),
    ...pair('mcp', 'mcp', { server_label: 's', name: 'n', arguments: '{}' }, text('done')),
    ...pair('mcp', 'ap', { server_label: 's', name: 'n', arguments: '{}' }, text('true')),
  ]);
  assert.deepEqual(altered(translation), ['input[0] emulated']);
});

test('pictures go along where tool outputs may hold them, and are mentioned elsewhere', () => {
  const items: Item[] = [
    {
      kind: 'hosted',
      type: 'image_generation_call',
      id: 'ig',
      fields: { prompt: 'a cat', result: '/9j/AA' },
    },
    { kind: 'hosted', type: 'computer_call', fields: { call_id: 'c', action: { type: 'screenshot' } } },
    {
      kind: 'hosted',
      type: 'computer_call_output',
      fields: {
        call_id: 'c',
        output: { type: 'computer_screenshot', image_url: 'https://example.com/s.png' },
      },
    },
  ];
  const outputs = (support: Partial<Record<Feature, Support>>) =>
    replay(items, support).request.items.flatMap((item) => (item.kind === 'call_output' ? item.output : []));
  assert.deepEqual(outputs(asPairs), [
    { kind: 'image', url: 'data:image/jpeg;base64,/9j/AA', detail: 'auto' },
    { kind: 'image', url: 'https://example.com/s.png', detail: 'auto' },
  ]);
  const unseen = text('(A picture that cannot be shown here.)');
  assert.deepEqual(outputs({ ...asPairs, 'input.tool_output.media': 'refused' }), [unseen, unseen]);
});

test("items of the gateway's own tools become calls too; reserved kinds are left out", () => {
  const { request } = replay([
    {
      kind: 'service',
      type: 'service:datetime',
      id: 'dt',
      fields: { datetime: '2026-01-01', timezone: 'UTC' },
    },
    { kind: 'service', type: 'service:memory', fields: { action: 'read' } },
    {
      kind: 'service',
      type: 'service:shell',
      fields: {
        call_id: 'sh',
        action: { commands: ['ls'] },
        arguments: '{"raw":1}',
        output: 'x',
        error: null,
      },
    },
    {
      kind: 'service',
      type: 'service:web_search',
      id: 'ws',
      fields: { action: { type: 'search', query: 'q', sources: [] }, encrypted_content: 'sealed' },
    },
  ]);
  assert.deepEqual(request.items, [
    ...pair('service_datetime', 'dt', { timezone: 'UTC' }, text('2026-01-01')),
    ...pair('service_shell', 'sh', { raw: 1 }, text('x')),
    ...pair('service_web_search', 'ws', { action: { type: 'search', query: 'q' } }, text('[]')),
  ]);
});

test('a call whose output is missing gets one, for providers refuse it otherwise', () => {
  const { request } = replay([
    { kind: 'hosted', type: 'computer_call', fields: { call_id: 'c', action: {} } },
  ]);
  assert.deepEqual(request.items, pair('computer', 'c', { action: {} }, text('No output was kept.')));
});

test('without functions, earlier calls become text', () => {
  const support: Partial<Record<Feature, Support>> = { 'item.hosted': { emulated: 'as-message' } };
  const fields = { action: { type: 'search', query: 'tide', sources: ['a'] } };
  const { request } = replay([{ kind: 'hosted', type: 'web_search_call', id: 'ws', fields }], support);
  assert.deepEqual(request.items, [
    {
      kind: 'message',
      role: 'assistant',
      content: [text('(Tool web_search was called with {"type":"search","query":"tide"})'), text('["a"]')],
    },
  ]);
});

test('a replayed use shares its id with no call of the client and no other use', () => {
  const search: Item = { kind: 'hosted', type: 'file_search_call', fields: { queries: ['x'] } };
  const call: Item = { kind: 'call', form: 'function', callId: 'call_0', name: 'f', input: '{}' };
  const twice: Item = { ...search, id: 'fs' };
  const { items } = replay([search, call, twice, twice]).request;
  assert.deepEqual(
    items.flatMap((item) => (item.kind === 'call' ? item.callId : [])),
    ['call_0_', 'call_0', 'fs', 'fs_3'],
  );
});
