import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  decodeStream,
  decodeWhole,
  eventStream,
  mergeDeltas,
} from '../../../test/support/adapter-harness.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { parseExactly } from '../wire/parse-exactly.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

const citation = {
  type: 'web_search_result_location',
  url: 'https://example.com',
  title: 'T',
  cited_text: 'was warm',
};
const usage = {
  input_tokens: 11,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 7,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
  output_tokens: 15,
  service_tier: 'standard',
};
const content = [
  { type: 'thinking', thinking: 'hm', signature: 'sig' },
  { type: 'redacted_thinking', data: 'blob' },
  { type: 'text', text: 'It ' },
  { type: 'text', text: 'was warm', citations: [citation] },
  { type: 'text', text: '.' },
  { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'sea' } },
  { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
  { type: 'tool_use', id: 'toolu_1', name: 'clock', input: { zone: 'UTC' } },
  { type: 'tool_use', id: 'toolu_2', name: 'patch', input: { text: 'a\n"b"' } },
  { type: 'tool_use', id: 'toolu_3', name: 'bare', input: {} },
];
const message = { id: 'msg_1', type: 'message', role: 'assistant', content, stop_reason: 'tool_use', usage };
const format = 'anthropic-claude-v1';
const said = [
  { kind: 'start', upstreamId: 'msg_1' },
  { kind: 'tier', tier: 'default' },
  { kind: 'usage', usage: { uncachedInput: 11, cacheRead: 7, cacheWrite: 10, cacheWriteLong: 20 } },
  { kind: 'thinking', block: 0, text: 'hm' },
  { kind: 'seal', block: 0, format, signature: 'sig' },
  { kind: 'end', block: 0 },
  { kind: 'seal', block: 1, format, encrypted: 'blob' },
  { kind: 'end', block: 1 },
  { kind: 'text', block: 2, text: 'It ' },
  { kind: 'text', block: 2, text: 'was warm', newBlock: true },
  {
    kind: 'annotation',
    block: 2,
    annotation: {
      type: 'url_citation',
      url: 'https://example.com',
      title: 'T',
      start_index: 3,
      end_index: 11,
      content: 'was warm',
      citation,
    },
  },
  { kind: 'text', block: 2, text: '.' },
  { kind: 'end', block: 2 },
  { kind: 'hosted', block: 5, type: 'web_search_call' },
  { kind: 'stage', block: 5, stage: 'searching' },
  {
    kind: 'result',
    block: 5,
    fields: {
      action: { type: 'search', query: 'sea', queries: ['sea'], sources: [] },
      format,
      signature: JSON.stringify(content.slice(5, 7)),
    },
  },
  { kind: 'end', block: 5 },
  { kind: 'call', block: 7, form: 'function', name: 'clock', callId: 'toolu_1' },
  { kind: 'arguments', block: 7, text: '{"zone":"UTC"}' },
  { kind: 'end', block: 7 },
  { kind: 'call', block: 8, form: 'function', name: 'patch', callId: 'toolu_2' },
  { kind: 'arguments', block: 8, text: '{"text":"a\\n\\"b\\""}' },
  { kind: 'end', block: 8 },
  { kind: 'call', block: 9, form: 'function', name: 'bare', callId: 'toolu_3' },
  { kind: 'end', block: 9 },
  { kind: 'tier', tier: 'default' },
  {
    kind: 'usage',
    usage: { uncachedInput: 11, cacheRead: 7, cacheWrite: 10, cacheWriteLong: 20, output: 15 },
  },
  { kind: 'finish', reason: 'tool_calls', native: 'tool_use' },
];

test('an unstreamed message gives all its deltas', () => {
  assert.deepEqual(decodeWhole(adapter, message), said);
});

test('a stream of the same message gives the same deltas', () => {
  const events = [
    { type: 'message_start', message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } } },
    ...content.flatMap((block, index) => blockEvents(index, block)),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 15 } },
    { type: 'message_stop' },
  ];
  assert.deepEqual(
    mergeDeltas(decodeStream(adapter, eventStream(events))),
    mergeDeltas(decodeWhole(adapter, message)),
  );
});

function blockEvents(index: number, block: JsonObject & { readonly type: string }) {
  const piece = (delta: JsonObject) => ({ type: 'content_block_delta', index, delta });
  const pieces = {
    text: [
      piece({ type: 'text_delta', text: block.text }),
      ...(block.citations ? [piece({ type: 'citations_delta', citation })] : []),
    ],
    thinking: [
      piece({ type: 'thinking_delta', thinking: block.thinking }),
      piece({ type: 'signature_delta', signature: block.signature }),
    ],
    tool_use: [piece({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })],
    server_tool_use: [piece({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) })],
  }[block.type];
  const empty = {
    text: { text: '', citations: null },
    thinking: { thinking: '', signature: '' },
    tool_use: { input: {} },
    server_tool_use: { input: {} },
  }[block.type];
  return [
    { type: 'content_block_start', index, content_block: { ...block, ...empty } },
    // An empty input emits no piece.
    ...(JSON.stringify(block.input) === '{}' ? [] : (pieces ?? [])),
    { type: 'content_block_stop', index },
  ];
}

test('the arguments of a call keep all their digits', () => {
  const text = '{"content":[{"type":"tool_use","id":"t","name":"find","input":{"id":12345678901234567890}}]}';
  const deltas = decodeWhole(adapter, parseExactly(text) as JsonObject);
  const written = deltas.find((delta) => delta.kind === 'arguments')?.text;
  assert.equal(written, '{"id":12345678901234567890}');
});

test('an answer cut off, and one without usage or reason', () => {
  const cut = decodeWhole(adapter, { ...message, stop_reason: 'max_tokens' }).at(-1);
  assert.deepEqual(cut, { kind: 'finish', reason: 'length', native: 'max_tokens' });
  assert.deepEqual(decodeWhole(adapter, { content: [{ type: 'text', text: 'a' }] }), [
    { kind: 'start' },
    { kind: 'text', block: 0, text: 'a' },
    { kind: 'end', block: 0 },
    { kind: 'finish', reason: 'stop' },
  ]);
});

test('failures, and what is no answer', () => {
  const codeOf = (answer: JsonObject) => {
    try {
      decodeWhole(adapter, answer);
    } catch (thrown) {
      if (thrown instanceof HeadgateError) return thrown.code;
    }
    return assert.fail('no failure was told');
  };
  const error = { type: 'overloaded_error', message: 'Overloaded' };
  assert.equal(codeOf({ type: 'error', error }), 'provider_overloaded');
  assert.equal(codeOf({ type: 'error', error: 'broken' }), 'provider_failed');
  assert.equal(codeOf({ ...message, content: 'text' }), 'provider_failed');
  assert.equal(codeOf({}), 'provider_failed');
  assert.equal(codeOf({ content: [] }), 'provider_failed', 'neither content nor reason');
});
