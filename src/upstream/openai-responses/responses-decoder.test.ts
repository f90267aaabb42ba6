import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, eventStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { openaiResponsesAdapter as adapter } from './openai-responses-adapter.ts';

type Event = { readonly type: string } & JsonObject;

const created = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } };
const usage = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 20, cache_write_tokens: 5 },
  output_tokens: 9,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 59,
};
const completed = {
  type: 'response.completed',
  response: { id: 'resp_1', status: 'completed', service_tier: 'default', usage, output: [] },
};
const ending = [
  { kind: 'tier', tier: 'default' },
  { kind: 'usage', usage: { uncachedInput: 25, cacheRead: 20, cacheWrite: 5, output: 9, reasoning: 4 } },
];
const stopped = { kind: 'finish', reason: 'stop', native: 'completed' };
const called = { kind: 'finish', reason: 'tool_calls', native: 'completed' };

function decode(...events: readonly Event[]) {
  return decodeStream(adapter, eventStream([created, ...events, completed])).slice(1);
}

function part(type: string, content_index: number, rest: JsonObject, output_index = 0): Event {
  return { type, item_id: `item_${output_index}`, output_index, content_index, ...rest };
}

function added(item: JsonObject, output_index = 0): Event {
  return { type: 'response.output_item.added', output_index, item: { id: `item_${output_index}`, ...item } };
}

function done(item: JsonObject, output_index = 0): Event {
  return { type: 'response.output_item.done', output_index, item: { id: `item_${output_index}`, ...item } };
}

const conversation = [
  created,
  { type: 'response.in_progress', response: { id: 'resp_1' } },
  added({ type: 'reasoning', summary: [] }),
  { type: 'response.reasoning_summary_part.added', output_index: 0, summary_index: 0 },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'Thought ' },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 0, delta: 'ä😀.' },
  { type: 'response.reasoning_summary_text.done', output_index: 0, summary_index: 0, text: 'Thought ä😀.' },
  { type: 'response.reasoning_summary_text.delta', output_index: 0, summary_index: 1, delta: 'Again.' },
  done({
    type: 'reasoning',
    summary: [
      { type: 'summary_text', text: 'Thought ä😀.' },
      { type: 'summary_text', text: 'Again.' },
    ],
    encrypted_content: 'BLOB',
  }),
  added({ type: 'message', role: 'assistant', content: [], phase: 'commentary' }, 1),
  part('response.content_part.added', 0, { part: { type: 'output_text', text: '' } }, 1),
  part('response.output_text.delta', 0, { delta: 'Let me ', logprobs: [] }, 1),
  part('response.output_text.delta', 0, { delta: 'look.', logprobs: [] }, 1),
  part('response.output_text.done', 0, { text: 'Let me look.' }, 1),
  done({ type: 'message', content: [{ type: 'output_text', text: 'Let me look.', annotations: [] }] }, 1),
  added({ type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '' }, 2),
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"port":' },
  { type: 'response.function_call_arguments.delta', output_index: 2, delta: '"Brest"}' },
  { type: 'response.function_call_arguments.done', output_index: 2, arguments: '{"port":"Brest"}' },
  done({ type: 'function_call', call_id: 'call_1', name: 'get_tide', arguments: '{"port":"Brest"}' }, 2),
  completed,
];
const conversationDeltas = [
  { kind: 'start', upstreamId: 'resp_1' },
  { kind: 'summary', block: 0, text: 'Thought ä😀.', part: 0 },
  { kind: 'summary', block: 0, text: 'Again.', part: 1 },
  { kind: 'seal', block: 0, format: 'openai-responses-v1', encrypted: 'BLOB' },
  { kind: 'end', block: 0 },
  { kind: 'text', block: 1, text: 'Let me look.', part: 0, phase: 'commentary' },
  { kind: 'end', block: 1 },
  { kind: 'call', block: 2, form: 'function', name: 'get_tide', callId: 'call_1' },
  { kind: 'arguments', block: 2, text: '{"port":"Brest"}' },
  { kind: 'end', block: 2 },
  ...ending,
  called,
];

test('a turn of reasoning, text and a call', () => {
  const deltas = decodeStream(adapter, eventStream(conversation));
  assert.deepEqual(joinPieces(deltas), conversationDeltas);
  assert.equal(deltas.filter((delta) => delta.kind === 'text').length, 2, 'pieces stay pieces');
});

test('how the text is cut into pieces makes no difference to the whole', () => {
  const text = 'Füße 漢字 😀 {"a":"b\\n"}';
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), fc.boolean(), (cuts, withPieces) => {
      const edges = withPieces ? [0, ...cuts.toSorted((left, right) => left - right), text.length] : [0, 0];
      const pieces = edges.slice(1).map((end, index) => text.slice(edges[index], end));
      const deltas = decode(
        added({ type: 'message' }),
        ...pieces.map((delta) => part('response.output_text.delta', 0, { delta })),
        done({ type: 'message', content: [{ type: 'output_text', text }] }),
        added({ type: 'function_call', call_id: 'c', name: 'f' }, 1),
        ...pieces.map((delta) => part('response.function_call_arguments.delta', 0, { delta }, 1)),
        done({ type: 'function_call', call_id: 'c', name: 'f', arguments: text }, 1),
      );
      const joined = (kind: string) =>
        deltas.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
      assert.equal(joined('text'), text);
      assert.equal(joined('arguments'), text);
    }),
    { numRuns: 50 },
  );
});

test('texts that only come complete', () => {
  assert.deepEqual(
    decode(
      part('response.output_text.done', 0, { text: 'one' }),
      part('response.refusal.done', 1, { refusal: 'two' }),
      part('response.reasoning_text.done', 0, { text: 'three' }, 1),
    ),
    [
      { kind: 'text', block: 0, text: 'one', part: 0 },
      { kind: 'refusal', block: 0, text: 'two', part: 1 },
      { kind: 'thinking', block: 1, text: 'three', part: 0 },
      ...ending,
      stopped,
    ],
  );
});

test('items that only come complete', () => {
  assert.deepEqual(
    decode(
      done({ type: 'reasoning', content: [{ type: 'reasoning_text', text: 'a' }], signature: 'S' }),
      done(
        {
          type: 'message',
          phase: 'final_answer',
          content: [
            { type: 'output_text', text: 'b' },
            { type: 'refusal', refusal: 'c' },
          ],
        },
        1,
      ),
      done({ type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'd', namespace: 'n' }, 2),
    ),
    [
      { kind: 'thinking', block: 0, text: 'a', part: 0 },
      { kind: 'seal', block: 0, format: 'openai-responses-v1', signature: 'S' },
      { kind: 'end', block: 0 },
      { kind: 'text', block: 1, text: 'b', part: 0, phase: 'final_answer' },
      { kind: 'refusal', block: 1, text: 'c', part: 1 },
      { kind: 'end', block: 1 },
      { kind: 'call', block: 2, form: 'custom', name: 'patch', callId: 'c', namespace: 'n' },
      { kind: 'arguments', block: 2, text: 'd' },
      { kind: 'end', block: 2 },
      ...ending,
      called,
    ],
  );
});

test('an answer that only comes at the very end', () => {
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'x' }] }];
  const deltas = decodeStream(
    adapter,
    eventStream([{ type: 'response.completed', response: { status: 'completed', output } }]),
  );
  assert.deepEqual(deltas, [
    { kind: 'text', block: 0, text: 'x', part: 0 },
    { kind: 'end', block: 0 },
    stopped,
  ]);
});

test('parts that only the last event contains', () => {
  const message = { type: 'message', content: [{ type: 'output_text', text: 'Hi there' }] };
  const call = { type: 'function_call', id: 'item_1', call_id: 'c', name: 'f', arguments: '{"a":1}' };
  const said = [
    created,
    part('response.output_text.delta', 0, { delta: 'Hi' }),
    {
      type: 'response.completed',
      response: { status: 'completed', output: [{ ...message, id: 'item_0' }, call] },
    },
  ];
  const told = [
    { kind: 'text', block: 0, part: 0, text: 'Hi there' },
    { kind: 'end', block: 0 },
    { kind: 'call', block: 1, form: 'function', name: 'f', callId: 'c' },
    { kind: 'arguments', block: 1, text: '{"a":1}' },
    { kind: 'end', block: 1 },
    called,
  ];
  const plain = (deltas: Delta[]) => JSON.parse(JSON.stringify(joinPieces(deltas)));
  assert.deepEqual(plain(decodeStream(adapter, eventStream(said)).slice(1)), told);
  const ended = [...said.slice(0, 2), done(message), ...said.slice(2)];
  assert.deepEqual(plain(decodeStream(adapter, eventStream(ended)).slice(1)), told);
});

test('items that share an index are distinguished by their ids, and a repeated one is not emitted again', () => {
  const call = (id: string, text = '') => ({
    type: 'function_call',
    id,
    call_id: id,
    name: 'f',
    arguments: text,
  });
  const events = ['a', 'b'].flatMap((id) => [
    added(call(id)),
    { type: 'response.function_call_arguments.delta', output_index: 0, item_id: id, delta: `{"id":"${id}"}` },
    done(call(id, `{"id":"${id}"}`)),
    done(call(id, `{"id":"${id}"}`)),
  ]);
  const deltas = decode(...events);
  assert.deepEqual(
    deltas.flatMap((delta) => (delta.kind === 'arguments' ? [[delta.block, delta.text]] : [])),
    [
      [0, '{"id":"a"}'],
      [1, '{"id":"b"}'],
    ],
  );
});

test('a custom call in pieces, and arguments of a call that gets its name late', () => {
  assert.deepEqual(
    decode(
      added({ type: 'custom_tool_call', call_id: 'c', name: 'patch' }),
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'a' },
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'b' },
      { type: 'response.custom_tool_call_input.done', output_index: 0, input: 'ab' },
      done({ type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'ab' }),
      added({ type: 'function_call' }, 1),
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{}' },
      done({ type: 'function_call', call_id: 'd', name: 'late', arguments: '{}' }, 1),
    ),
    [
      { kind: 'call', block: 0, form: 'custom', name: 'patch', callId: 'c' },
      { kind: 'arguments', block: 0, text: 'a' },
      { kind: 'arguments', block: 0, text: 'b' },
      { kind: 'end', block: 0 },
      { kind: 'call', block: 1, form: 'function', name: 'late', callId: 'd' },
      { kind: 'arguments', block: 1, text: '{}' },
      { kind: 'end', block: 1 },
      ...ending,
      called,
    ],
  );
});

test('arguments that come as an object become JSON, and other values are ignored', () => {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: { port: 'Brest' } };
  const message = { type: 'message', content: [{ type: 'output_text', text: ['Noon.'] }] };
  assert.deepEqual(decode(done(message), done(call, 1)), [
    { kind: 'call', block: 1, form: 'function', name: 'f', callId: 'c' },
    { kind: 'arguments', block: 1, text: '{"port":"Brest"}' },
    { kind: 'end', block: 1 },
    ...ending,
    called,
  ]);
});

test('citations, each once, whether they come during the text or at the end', () => {
  const url = { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 0, end_index: 1 };
  const file = { type: 'file_citation', file_id: 'f', filename: 'a.txt', index: 2 };
  const path = { type: 'file_path', file_id: 'f', index: 3 };
  const unknown = { type: 'tide_citation', file_id: 'f' };
  const cited_file = { type: 'container_file_citation', file_id: 'g', filename: 'b.txt', start_index: 4 };
  const container = { ...cited_file, end_index: 9 };
  const event = 'response.output_text.annotation.added';
  const cited = decode(
    part('response.output_text.delta', 0, { delta: 'x' }),
    part(event, 0, { annotation: url }),
    part(event, 0, { annotation: unknown }),
    part(event, 0, { annotation: { type: 'url_citation', url: 'https://b.test' } }),
    done({
      type: 'message',
      content: [{ type: 'output_text', text: 'x', annotations: [url, unknown, url, file, path, container] }],
    }),
  );
  const untitled = { type: 'url_citation', url: 'https://b.test', title: '', start_index: 0, end_index: 0 };
  assert.deepEqual(
    cited.filter((delta) => delta.kind === 'annotation').map((delta) => delta.annotation),
    [url, untitled, file, path, { type: 'file_citation', file_id: 'g', filename: 'b.txt', index: 9 }],
  );
});

test('a citation stands in its own part or in none', () => {
  const cite = (url: string) => ({ type: 'url_citation', url, title: '', start_index: 0, end_index: 1 });
  const text = (content_index: number, delta: string) =>
    part('response.output_text.delta', content_index, { delta });
  const whole = (said: string, ...urls: string[]) => ({
    type: 'output_text',
    text: said,
    annotations: urls.map(cite),
  });
  const deltas = decode(
    text(0, 'One'),
    part('response.content_part.done', 0, { part: whole('One.', 'https://a.test') }),
    text(1, 'Two'),
    done({
      type: 'message',
      content: [whole('One.', 'https://a.test', 'https://late.test'), whole('Two', 'https://b.test')],
    }),
  );
  assert.deepEqual(
    deltas.flatMap((delta) => {
      if (delta.kind === 'text') return [delta.text];
      return delta.kind === 'annotation' && 'url' in delta.annotation ? [delta.annotation.url] : [];
    }),
    ['One', '.', 'https://a.test', 'Two', 'https://b.test'],
  );
});

test('log probabilities, with bytes where the provider leaves them out', () => {
  const logprobs = [{ token: 'ä', logprob: -0.5, top_logprobs: [{ token: 'b', logprob: -1, bytes: [98] }] }];
  assert.deepEqual(decode(part('response.output_text.delta', 0, { delta: 'ä', logprobs }))[0], {
    kind: 'text',
    block: 0,
    text: 'ä',
    part: 0,
    logprobs: [
      {
        token: 'ä',
        logprob: -0.5,
        bytes: [195, 164],
        top_logprobs: [{ token: 'b', logprob: -1, bytes: [98] }],
      },
    ],
  });
});

test('why the model stopped', () => {
  const ends = [
    [
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      'length',
      'max_output_tokens',
    ],
    [
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      'content_filter',
      'content_filter',
    ],
    [{ status: 'incomplete', incomplete_details: null }, 'length', 'incomplete'],
    [{ status: 'completed' }, 'stop', 'completed'],
  ] as const;
  for (const [response, reason, native] of ends) {
    const deltas = decodeStream(adapter, eventStream([{ type: `response.${response.status}`, response }]));
    assert.deepEqual(deltas, [{ kind: 'finish', reason, native }]);
  }
});

test('tiers and counts that were not reported stay unknown', () => {
  const tiers = [
    ['auto', 'default'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['scale', undefined],
    [null, undefined],
  ] as const;
  for (const [service_tier, tier] of tiers) {
    const response = { status: 'completed', service_tier, usage: { input_tokens: 3, output_tokens: 0 } };
    const deltas = decodeStream(adapter, eventStream([{ type: 'response.completed', response }]));
    assert.equal(deltas.find((delta) => delta.kind === 'tier')?.tier, tier);
    assert.deepEqual(deltas.find((delta) => delta.kind === 'usage')?.usage, { uncachedInput: 3, output: 0 });
  }
});

test('counts of nothing are no counts, so that an answer is not free', () => {
  const usage = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };
  const response = { status: 'completed', usage };
  assert.deepEqual(decodeStream(adapter, eventStream([{ type: 'response.completed', response }])), [stopped]);
});

test('cached tokens that are more than the input were counted beside it', () => {
  const counts = { input_tokens: 4142, input_tokens_details: { cached_tokens: 4328 }, output_tokens: 182 };
  const response = { status: 'completed', usage: counts };
  const deltas = decodeStream(adapter, eventStream([{ type: 'response.completed', response }]));
  const usage = { uncachedInput: 4142, cacheRead: 4328, output: 182 };
  assert.deepEqual(deltas[0], { kind: 'usage', usage });
});

test('unknown items, unknown events and empty items leave no trace', () => {
  assert.deepEqual(
    decode(
      added({ type: 'tide_table_call', status: 'in_progress' }),
      { type: 'response.tide_table_call.searching', output_index: 0, item_id: 'item_0' },
      { type: 'response.web_search_call.searching', output_index: 5, item_id: 'item_5' },
      done({ type: 'tide_table_call', action: { type: 'search', query: 'x' } }),
      done({ type: 'mcp_approval_response', approval_request_id: 'a', approve: true }, 2),
      { type: 'response.something.new', output_index: 7, delta: 'x' },
      added({ type: 'reasoning', summary: [] }, 1),
      done({ type: 'reasoning', summary: [], encrypted_content: '' }, 1),
    ),
    [...ending, stopped],
  );
});

test('nothing is read after the end, and [DONE] is no event', () => {
  const decoder = adapter.createDecoder(createCall());
  const deltas: never[] = [];
  assert.equal(decoder.finished, false);
  decoder.decode({ event: undefined, data: JSON.stringify(completed) }, deltas);
  assert.equal(decoder.finished, true);
  const { length } = deltas;
  decoder.decode({ event: undefined, data: '[DONE]' }, deltas);
  decoder.decode({ event: undefined, data: JSON.stringify(completed) }, deltas);
  decoder.close(deltas);
  assert.equal(deltas.length, length);
});

test('a stream that ends early is a failure', () => {
  const error = { code: 'provider_failed' };
  assert.throws(() => decodeStream(adapter, eventStream([created])), error);
  assert.throws(() => decodeStream(adapter, 'data: [DONE]\n\n'), error);
  assert.throws(() => decodeStream(adapter, 'data: <html>\n\n'), error);
  assert.throws(() => decodeStream(adapter, 'data: [1]\n\n'), error);
});

test('failures inside the stream are distinguished by their code', () => {
  const failed = (code: string, message = 'm') => ({
    type: 'response.failed',
    response: { status: 'failed', error: { code, message } },
  });
  const failures: readonly (readonly [
    Event | ({ type?: string } & JsonObject),
    string,
    string | undefined,
  ])[] = [
    [failed('server_error'), 'provider_failed', 'server_error'],
    [failed('rate_limit_exceeded'), 'upstream_rate_limit', 'rate_limit_exceeded'],
    [failed('context_length_exceeded'), 'upstream_context_length', 'context_length_exceeded'],
    [failed('invalid_prompt'), 'upstream_invalid_request', 'invalid_prompt'],
    [failed('invalid_prompt', 'violates our usage policy'), 'upstream_policy', 'invalid_prompt'],
    [failed('image_too_small'), 'upstream_invalid_request', 'image_too_small'],
    [failed('image_content_policy_violation'), 'upstream_policy', 'image_content_policy_violation'],
    [failed('something_new'), 'provider_failed', 'something_new'],
    [{ type: 'response.failed', response: null }, 'provider_failed', undefined],
    [{ ...failed('server_error'), type: 'response.completed' }, 'provider_failed', 'server_error'],
    [
      { type: 'error', code: 'server_is_overloaded', message: 'm' },
      'provider_overloaded',
      'server_is_overloaded',
    ],
    [{ type: 'error', code: null, message: 'm' }, 'provider_failed', undefined],
    [{ type: 'error', error: { type: 'overloaded_error' } }, 'provider_overloaded', 'overloaded_error'],
    [{ error: { code: 500, type: 'server_error', message: 'm' } }, 'provider_failed', 'server_error'],
    [
      { error: { message: 'the request exceeds the available context size' } },
      'upstream_context_length',
      undefined,
    ],
  ];
  for (const [event, code, provider_code] of failures) {
    assert.throws(
      () => decodeStream(adapter, `data: ${JSON.stringify(event)}\n\n`),
      (error) => {
        assert.ok(error instanceof HeadgateError);
        assert.equal(error.code, code);
        assert.equal(error.metadata.provider_code, provider_code);
        return true;
      },
      JSON.stringify(event),
    );
  }
});

test('a wait stated as text is read', () => {
  const error = { code: 'rate_limit_exceeded', message: 'Rate limit reached. Please try again in 1.5s.' };
  const stream = eventStream([{ type: 'response.failed', response: { error } }]);
  assert.throws(() => decodeStream(adapter, stream), { retryAfter: 1.5, message: error.message });
});
