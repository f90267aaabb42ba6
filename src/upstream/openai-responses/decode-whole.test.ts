import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeStream, decodeWhole, eventStream } from '../../../test/support/adapter-harness.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

const token = { token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] };
const citation = {
  type: 'url_citation',
  url: 'https://example.com',
  title: 'T',
  start_index: 0,
  end_index: 2,
};
const output = [
  {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'in short' }],
    content: [{ type: 'reasoning_text', text: 'hm' }],
    encrypted_content: 'blob',
  },
  { id: 'ws_1', type: 'web_search_call', status: 'completed' },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    phase: 'final_answer',
    content: [
      { type: 'output_text', text: 'Hi', logprobs: [token], annotations: [citation] },
      { type: 'refusal', refusal: 'No.' },
    ],
  },
  { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'clock', arguments: '{"a":1}' },
  { id: 'ct_1', type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'x' },
];
const usage = { input_tokens: 50, input_tokens_details: { cached_tokens: 20 }, output_tokens: 9 };
const response = { id: 'resp_1', object: 'response', status: 'completed', error: null, output, usage };
const said = [
  { kind: 'start', upstreamId: 'resp_1' },
  { kind: 'thinking', block: 0, text: 'hm', part: 0 },
  { kind: 'summary', block: 0, text: 'in short', part: 0 },
  { kind: 'seal', block: 0, format: 'openai-responses-v1', encrypted: 'blob' },
  { kind: 'end', block: 0 },
  { kind: 'hosted', block: 1, type: 'web_search_call', id: 'ws_1', fields: {} },
  { kind: 'result', block: 1, fields: {} },
  { kind: 'end', block: 1 },
  { kind: 'text', block: 2, text: 'Hi', part: 0, logprobs: [token], phase: 'final_answer' },
  { kind: 'annotation', block: 2, annotation: citation },
  { kind: 'refusal', block: 2, text: 'No.', part: 1 },
  { kind: 'end', block: 2 },
  { kind: 'call', block: 3, form: 'function', name: 'clock', callId: 'call_1' },
  { kind: 'arguments', block: 3, text: '{"a":1}' },
  { kind: 'end', block: 3 },
  { kind: 'call', block: 4, form: 'custom', name: 'patch', callId: 'call_2' },
  { kind: 'arguments', block: 4, text: 'x' },
  { kind: 'end', block: 4 },
  { kind: 'usage', usage: { uncachedInput: 30, cacheRead: 20, output: 9 } },
  { kind: 'finish', reason: 'tool_calls', native: 'completed' },
];

test('an unstreamed response gives all its deltas', () => {
  assert.deepEqual(decodeWhole(adapter, response), said);
});

test('a stream with only finished items gives the same deltas', () => {
  const items = output.map((item, output_index) => ({
    type: 'response.output_item.done',
    output_index,
    item,
  }));
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    ...items,
    { type: 'response.completed', response: { ...response, output: [] } },
  ];
  assert.deepEqual(decodeStream(adapter, eventStream(events)), said);
});

test('log probabilities sent in pieces are not repeated at the end', () => {
  const place = { item_id: 'msg_1', output_index: 2, content_index: 0 };
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_text.delta', ...place, delta: 'Hi', logprobs: [token] },
    { type: 'response.output_item.done', output_index: 2, item: output[2] },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  ];
  const texts = decodeStream(adapter, eventStream(events)).filter((delta) => delta.kind === 'text');
  assert.deepEqual(texts, [{ kind: 'text', block: 0, text: 'Hi', part: 0, logprobs: [token] }]);
});

test('an answer cut off, one without usage, and one without status', () => {
  const cut = { ...response, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  assert.deepEqual(decodeWhole(adapter, cut).at(-1), {
    kind: 'finish',
    reason: 'length',
    native: 'max_output_tokens',
  });
  assert.deepEqual(decodeWhole(adapter, { output: [] }), [
    { kind: 'start' },
    { kind: 'finish', reason: 'stop' },
  ]);
});

test('failures, and answers that are not whole', () => {
  const codeOf = (answer: JsonObject) => {
    try {
      decodeWhole(adapter, answer);
    } catch (thrown) {
      if (thrown instanceof HeadgateError) return thrown.code;
    }
    return assert.fail('no failure was told');
  };
  const error = { code: 'rate_limit_exceeded', message: 'slow down' };
  assert.equal(codeOf({ ...response, status: 'failed', error }), 'upstream_rate_limit');
  assert.equal(codeOf({ error }), 'upstream_rate_limit');
  assert.equal(codeOf({ type: 'error', ...error }), 'upstream_rate_limit');
  for (const status of ['failed', 'cancelled', 'in_progress', 'queued']) {
    assert.equal(codeOf({ ...response, status }), 'provider_failed');
  }
  assert.equal(codeOf({ status: 'completed' }), 'provider_failed');
  assert.equal(codeOf({}), 'provider_failed');
});
