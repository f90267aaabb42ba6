import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeStream, decodeWhole, eventStream, sentBody } from '../../../test/support/adapter-harness.ts';
import type { Delta } from '../../core/delta.ts';
import type { HostedItem } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

type Block = { readonly type: string } & JsonObject;

const caller = { type: 'direct' };
const search: Block = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'tide' },
  caller,
};
const found: Block = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [
    {
      type: 'web_search_result',
      url: 'https://a.test/ß',
      title: 'A',
      encrypted_content: 'E1',
      page_age: null,
    },
    {
      type: 'web_search_result',
      url: 'https://b.test',
      title: 'B',
      encrypted_content: 'E2',
      page_age: '1 day',
    },
  ],
  caller,
};
const run: Block = {
  type: 'server_tool_use',
  id: 'srvtoolu_2',
  name: 'bash_code_execution',
  input: { command: 'date +%s' },
};
const ran: Block = {
  type: 'bash_code_execution_tool_result',
  tool_use_id: 'srvtoolu_2',
  content: {
    type: 'bash_code_execution_result',
    stdout: '1767225600',
    stderr: 'slow',
    return_code: 0,
    content: [{ type: 'bash_code_execution_output', file_id: 'file_9' }],
  },
};
const ask: Block = {
  type: 'mcp_tool_use',
  id: 'mcptoolu_3',
  name: 'lookup',
  server_name: 'harbour',
  input: { port: 'Brest' },
};
const asked: Block = {
  type: 'mcp_tool_result',
  tool_use_id: 'mcptoolu_3',
  is_error: false,
  content: [
    { type: 'text', text: 'High at ' },
    { type: 'text', text: 'noon' },
  ],
};
const format = 'anthropic-claude-v1';

function events(blocks: readonly Block[], delta: JsonObject = {}): string {
  const pieces = blocks.flatMap((block, index) => {
    const { input, ...rest } = block;
    const text = JSON.stringify(input) ?? '';
    const cut = [text.slice(0, 4), text.slice(4)].map((partial_json) => ({
      type: 'content_block_delta',
      index,
      delta: { type: 'input_json_delta', partial_json },
    }));
    return [
      {
        type: 'content_block_start',
        index,
        content_block: input === undefined ? block : { ...rest, input: {} },
      },
      ...(input === undefined ? [] : cut),
      { type: 'content_block_stop', index },
    ];
  });
  const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn', ...delta }, usage: {} };
  return eventStream([...pieces, stop, { type: 'message_stop' }]);
}

function resultOf(deltas: readonly Delta[], block: number) {
  const result = deltas.find((delta) => delta.kind === 'result' && delta.block === block);
  assert.ok(result?.kind === 'result');
  return result;
}

test('a search is an item with its query, its sources and what hands it back', () => {
  const deltas = decodeStream(adapter, events([search, found]));
  assert.deepEqual(deltas.slice(0, 4), [
    { kind: 'hosted', block: 0, type: 'web_search_call' },
    { kind: 'stage', block: 0, stage: 'searching' },
    {
      kind: 'result',
      block: 0,
      fields: {
        action: {
          type: 'search',
          query: 'tide',
          queries: ['tide'],
          sources: [
            { type: 'url', url: 'https://a.test/ß' },
            { type: 'url', url: 'https://b.test' },
          ],
        },
        format,
        signature: resultOf(deltas, 0).fields.signature,
      },
    },
    { kind: 'end', block: 0 },
  ]);
  assert.deepEqual(JSON.parse(String(resultOf(deltas, 0).fields.signature)), [search, found]);
});

test('code runs in a container that may be reported only at the end', () => {
  const container = { id: 'container_1', expires_at: '2026-01-01T00:00:00Z' };
  const early = decodeWhole(adapter, { content: [run, ran], container, stop_reason: 'end_turn' });
  const late = decodeStream(adapter, events([run, ran, { type: 'text', text: 'Done.' }], { container }));
  assert.deepEqual(early.slice(1, 4), [
    { kind: 'hosted', block: 0, type: 'code_interpreter_call' },
    { kind: 'fragment', block: 0, text: 'date +%s' },
    { kind: 'stage', block: 0, stage: 'interpreting' },
  ]);
  const { fields } = resultOf(early, 0);
  assert.deepEqual(fields, {
    code: 'date +%s',
    container_id: 'container_1',
    outputs: [
      { type: 'logs', logs: '1767225600\nslow' },
      { type: 'file', id: 'file_9' },
    ],
    format,
    signature: JSON.stringify([run, ran]),
  });
  assert.equal(resultOf(late, 0).fields.container_id, 'container_1');
  assert.ok(late.findIndex(({ kind }) => kind === 'text') < late.findIndex(({ kind }) => kind === 'result'));
});

test('a call of an MCP server shows its arguments as they come', () => {
  const deltas = decodeStream(adapter, events([ask, asked]));
  assert.deepEqual(deltas.slice(0, 3), [
    { kind: 'hosted', block: 0, type: 'mcp_call', fields: { server_label: 'harbour', name: 'lookup' } },
    { kind: 'fragment', block: 0, text: '{"po' },
    { kind: 'fragment', block: 0, text: 'rt":"Brest"}' },
  ]);
  const { fields } = resultOf(deltas, 0);
  assert.equal(fields.arguments, '{"port":"Brest"}');
  assert.equal(fields.output, 'High at noon');
  const failed = resultOf(decodeStream(adapter, events([ask, { ...asked, is_error: true }])), 0);
  assert.equal(failed.failed, true);
  assert.equal(failed.fields.error, 'High at noon');
});

test('a failed search, one that goes on in the next turn, and a page', () => {
  const error = { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' };
  const failed = decodeStream(adapter, events([search, { ...found, content: error }]));
  assert.equal(resultOf(failed, 0).failed, true);
  const paused = decodeStream(adapter, events([search], { stop_reason: 'pause_turn' }));
  assert.deepEqual(JSON.parse(String(resultOf(paused, 0).fields.signature)), [search]);
  const page = { ...search, name: 'web_fetch', input: { url: 'https://a.test' } };
  const opened = decodeStream(adapter, events([page]));
  assert.deepEqual(resultOf(opened, 0).fields.action, { type: 'open_page', url: 'https://a.test' });
});

test('repeated blocks and results of unknown calls change nothing', () => {
  const once = decodeStream(adapter, events([search, found]));
  const text = events([search, found]).split('\n\n');
  const twice = text.flatMap((event) => (event.includes('_start') ? [event, event] : [event])).join('\n\n');
  assert.deepEqual(decodeStream(adapter, twice), once);
  const unknown = { ...found, tool_use_id: 'other' };
  assert.deepEqual(decodeStream(adapter, events([unknown])), [
    { kind: 'finish', reason: 'stop', native: 'end_turn' },
  ]);
});

test('every call goes back to the provider as it came', () => {
  for (const blocks of [
    [search, found],
    [run, ran],
    [ask, asked],
  ]) {
    const deltas = decodeStream(adapter, events(blocks, { container: { id: 'c' } }));
    const begun = deltas.find((delta) => delta.kind === 'hosted');
    assert.ok(begun?.kind === 'hosted');
    const item: HostedItem = { kind: 'hosted', type: begun.type, fields: resultOf(deltas, 0).fields };
    assert.deepEqual(sentBody(adapter, { request: { items: [item] } }).messages, [
      { role: 'assistant', content: blocks },
    ]);
  }
});

test('a hosted call of another provider is sent as a call and its result', () => {
  const items: HostedItem[] = [
    {
      kind: 'hosted',
      type: 'file_search_call',
      id: 'fs:1',
      fields: { queries: ['a'], results: [{ text: 'b' }] },
    },
    { kind: 'hosted', type: 'image_generation_call', id: 'ig_1', fields: { prompt: 'p', result: '/9j/AA' } },
    {
      kind: 'hosted',
      type: 'web_search_call',
      fields: { action: { type: 'search', query: 'q' }, format, signature: '[{"type":"text"}]' },
    },
  ];
  const use = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
  const result = (tool_use_id: string, content: object) => ({
    type: 'tool_result',
    tool_use_id,
    content: [content],
  });
  const source = { type: 'base64', media_type: 'image/jpeg', data: '/9j/AA' };
  assert.deepEqual(sentBody(adapter, { request: { items } }).messages, [
    { role: 'assistant', content: [use('fs_1', 'file_search', { queries: ['a'] })] },
    { role: 'user', content: [result('fs_1', { type: 'text', text: '{"results":[{"text":"b"}]}' })] },
    { role: 'assistant', content: [use('ig_1', 'image_generation', { prompt: 'p' })] },
    { role: 'user', content: [result('ig_1', { type: 'image', source })] },
    {
      role: 'assistant',
      content: [use('web_search_call', 'web_search', { action: { type: 'search', query: 'q' } })],
    },
    { role: 'user', content: [result('web_search_call', { type: 'text', text: '{}' })] },
  ]);
});
