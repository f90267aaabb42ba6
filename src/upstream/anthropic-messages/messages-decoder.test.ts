import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { decodeStream, eventStream, joinPieces } from '../../../test/support/adapter-harness.ts';
import { assertGrowsEvenly } from '../../../test/support/assert-grows-evenly.ts';
import type { Delta } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import { anthropicMessagesAdapter as adapter } from './anthropic-messages-adapter.ts';

type Event = { readonly type: string } & JsonObject;

const started = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    content: [],
    usage: {
      input_tokens: 11,
      cache_creation_input_tokens: 30,
      cache_read_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
      output_tokens: 1,
      service_tier: 'standard',
    },
  },
};
const ended = (stop_reason: string | null = 'end_turn', usage: JsonObject = { output_tokens: 15 }) => [
  { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];
const tier: Delta = { kind: 'tier', tier: 'default' };
const input = { uncachedInput: 11, cacheRead: 7, cacheWrite: 10, cacheWriteLong: 20 };
const start: readonly Delta[] = [
  { kind: 'start', upstreamId: 'msg_1' },
  tier,
  { kind: 'usage', usage: input },
];
const ending = (reason: string, native: string) => [
  tier,
  { kind: 'usage', usage: { ...input, output: 15 } },
  { kind: 'finish', reason, native },
];

const begin = (index: number, content_block: JsonObject): Event => ({
  type: 'content_block_start',
  index,
  content_block,
});
const piece = (index: number, delta: JsonObject): Event => ({ type: 'content_block_delta', index, delta });
const stop = (index: number): Event => ({ type: 'content_block_stop', index });
const textPiece = (index: number, text: string) => piece(index, { type: 'text_delta', text });
const jsonPiece = (index: number, partial_json: string) =>
  piece(index, { type: 'input_json_delta', partial_json });
const toolUse = (name: string, input: object = {}) => ({ type: 'tool_use', id: 'toolu_1', name, input });

/** The deltas of an answer of these blocks, without its beginning and its end. */
function decodeBlocks(events: readonly Event[]): Delta[] {
  const deltas = decodeStream(adapter, eventStream([started, ...events, ...ended()]));
  assert.deepEqual(deltas.slice(-3), ending('stop', 'end_turn'));
  return deltas.slice(start.length, -3);
}

const conversation = [
  started,
  begin(0, { type: 'thinking', thinking: '', signature: '' }),
  { type: 'ping' },
  piece(0, { type: 'thinking_delta', thinking: 'Let me ' }),
  piece(0, { type: 'thinking_delta', thinking: 'sée 😀.' }),
  piece(0, { type: 'signature_delta', signature: 'SIG' }),
  piece(0, { type: 'signature_delta', signature: 'NED' }),
  stop(0),
  begin(1, { type: 'redacted_thinking', data: 'BLOB' }),
  stop(1),
  begin(2, { type: 'text', text: '' }),
  textPiece(2, 'I will '),
  textPiece(2, 'look.'),
  stop(2),
  begin(3, toolUse('get_tide')),
  jsonPiece(3, ''),
  jsonPiece(3, '{"port": "Br'),
  jsonPiece(3, 'est"}'),
  stop(3),
  ...ended('tool_use'),
];
const conversationDeltas = [
  ...start,
  { kind: 'thinking', block: 0, text: 'Let me sée 😀.' },
  { kind: 'seal', block: 0, format: 'anthropic-claude-v1', signature: 'SIGNED' },
  { kind: 'end', block: 0 },
  { kind: 'seal', block: 1, format: 'anthropic-claude-v1', encrypted: 'BLOB' },
  { kind: 'end', block: 1 },
  { kind: 'text', block: 2, text: 'I will look.' },
  { kind: 'end', block: 2 },
  { kind: 'call', block: 3, form: 'function', name: 'get_tide', callId: 'toolu_1' },
  { kind: 'arguments', block: 3, text: '{"port": "Brest"}' },
  { kind: 'end', block: 3 },
  ...ending('tool_calls', 'tool_use'),
];

test('a turn of thoughts, text and a call', () => {
  const deltas = decodeStream(adapter, eventStream(conversation));
  assert.deepEqual(joinPieces(deltas), conversationDeltas);
  assert.equal(deltas.filter((delta) => delta.kind === 'text').length, 2, 'pieces stay pieces');
});

test('how the text is cut into pieces makes no difference to the whole', () => {
  const text = 'Füße 漢字 😀 {"a":"b\\n"}';
  const cutAt = (whole: string, cuts: readonly number[]) => {
    const inside = cuts.map((cut) => cut % (whole.length + 1)).sort((left, right) => left - right);
    const edges = [0, ...inside, whole.length];
    return edges.slice(1).map((end, index) => whole.slice(edges[index], end));
  };
  fc.assert(
    fc.property(fc.array(fc.nat()), (cuts) => {
      const deltas = decodeBlocks([
        begin(0, { type: 'text', text: '' }),
        ...cutAt(text, cuts).map((part) => textPiece(0, part)),
        stop(0),
        begin(1, toolUse('patch')),
        ...cutAt(JSON.stringify({ input: text }), cuts).map((part) => jsonPiece(1, part)),
        stop(1),
      ]);
      assert.deepEqual(joinPieces(deltas), [
        { kind: 'text', block: 0, text },
        { kind: 'end', block: 0 },
        { kind: 'call', block: 1, form: 'function', name: 'patch', callId: 'toolu_1' },
        { kind: 'arguments', block: 1, text: JSON.stringify({ input: text }) },
        { kind: 'end', block: 1 },
      ]);
    }),
    { numRuns: 50 },
  );
});

test('a call whose input comes complete, and one without input', () => {
  const arguments_ = (input: object) =>
    decodeBlocks([begin(0, toolUse('f', input)), stop(0)])
      .filter((delta) => delta.kind === 'arguments')
      .map((delta) => delta.text);
  assert.deepEqual(arguments_({ a: 1 }), ['{"a":1}']);
  assert.deepEqual(arguments_({}), []);
});

test('blocks may interleave and need not be stopped', () => {
  assert.deepEqual(
    decodeBlocks([
      begin(0, { type: 'thinking', thinking: 'a', signature: 'S' }),
      begin(1, { type: 'text', text: 'b' }),
      piece(0, { type: 'thinking_delta', thinking: 'c' }),
      textPiece(1, 'd'),
      stop(1),
    ]),
    [
      { kind: 'thinking', block: 0, text: 'a' },
      { kind: 'text', block: 1, text: 'b' },
      { kind: 'thinking', block: 0, text: 'c' },
      { kind: 'text', block: 1, text: 'd' },
      { kind: 'seal', block: 0, format: 'anthropic-claude-v1', signature: 'S' },
      { kind: 'end', block: 0 },
      { kind: 'end', block: 1 },
    ],
  );
});

test('blocks that share a number, or have none, are emitted one after the other', () => {
  const unnumbered = (event: Event): Event => ({ ...event, index: undefined });
  const events = [
    ...[begin(0, { type: 'text', text: '' }), textPiece(0, 'Hi'), stop(0)],
    ...[begin(0, toolUse('tide')), jsonPiece(0, '{"port":1}'), stop(0)],
    ...[begin(1, { type: 'text', text: 'Bye' }), stop(1)],
  ];
  const deltas: Delta[] = [
    { kind: 'text', block: 0, text: 'Hi' },
    { kind: 'end', block: 0 },
    { kind: 'call', block: 1, form: 'function', name: 'tide', callId: 'toolu_1' },
    { kind: 'arguments', block: 1, text: '{"port":1}' },
    { kind: 'end', block: 1 },
    { kind: 'text', block: 2, text: 'Bye' },
    { kind: 'end', block: 2 },
  ];
  assert.deepEqual(decodeBlocks(events), deltas);
  assert.deepEqual(decodeBlocks(events.map(unnumbered)), deltas);
});

test('text cut up by citations is one text, and each citation spans its words', () => {
  const found = {
    type: 'web_search_result_location',
    url: 'https://a.test',
    title: 'A',
    cited_text: 'so',
    encrypted_index: 'x',
  };
  const given = { type: 'search_result_location', source: 'https://b.test', title: null, cited_text: '' };
  const place = {
    type: 'char_location',
    document_index: 0,
    document_title: 'D',
    file_id: 'file_1',
    cited_text: 'so',
  };
  const citation = (value: object) => piece(1, { type: 'citations_delta', citation: value });
  const deltas = decodeBlocks([
    begin(0, { type: 'text', text: '' }),
    textPiece(0, 'They say '),
    stop(0),
    begin(1, { type: 'text', text: '', citations: [] }),
    citation(found),
    textPiece(1, 'it is 😀'),
    citation(given),
    citation(place),
    stop(1),
    begin(2, { type: 'text', text: '.' }),
    stop(2),
  ]);
  const span = { type: 'url_citation', start_index: 9, end_index: 17 };
  assert.deepEqual(deltas, [
    { kind: 'text', block: 0, text: 'They say ' },
    { kind: 'text', block: 0, text: 'it is 😀', newBlock: true },
    {
      kind: 'annotation',
      block: 0,
      annotation: { ...span, url: 'https://a.test', title: 'A', content: 'so', citation: found },
    },
    {
      kind: 'annotation',
      block: 0,
      annotation: { ...span, url: 'https://b.test', title: '', citation: given },
    },
    {
      kind: 'annotation',
      block: 0,
      annotation: {
        type: 'file_citation',
        file_id: 'file_1',
        filename: 'D',
        index: 17,
        start_index: 9,
        citation: place,
      },
    },
    { kind: 'text', block: 0, text: '.' },
    { kind: 'end', block: 0 },
  ]);
  assert.equal('They say it is 😀.'.slice(span.start_index, span.end_index), 'it is 😀');
});

test('unknown tools, events and empty blocks leave no trace, but part the text', () => {
  assert.deepEqual(
    decodeBlocks([
      begin(0, { type: 'text', text: 'a' }),
      stop(0),
      begin(1, { type: 'server_tool_use', id: 's', name: 'tool_search_tool_regex', input: {} }),
      jsonPiece(1, '{"query":"x"}'),
      stop(1),
      begin(2, { type: 'tool_search_tool_result', tool_use_id: 's', content: {} }),
      stop(2),
      { type: 'something_new', index: 3 },
      begin(3, { type: 'thinking', thinking: '' }),
      stop(3),
      begin(4, { type: 'text', text: 'b' }),
      stop(4),
    ]),
    [
      { kind: 'text', block: 0, text: 'a' },
      { kind: 'end', block: 0 },
      { kind: 'text', block: 4, text: 'b' },
      { kind: 'end', block: 4 },
    ],
  );
});

test('why the model stopped', () => {
  const reasons = [
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['tool_use', 'tool_calls'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ] as const;
  for (const [native, reason] of reasons) {
    const deltas = decodeStream(adapter, eventStream([started, ...ended(native)]));
    assert.deepEqual(deltas.at(-1), { kind: 'finish', reason, native });
  }
  for (const events of [[started], []]) {
    const nothing = eventStream([...events, { type: 'message_stop' }]);
    assert.throws(() => decodeStream(adapter, nothing), { code: 'provider_failed' });
  }
});

test('a piece of a block that never began begins one, unless it is of a call', () => {
  const thought = {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'thinking_delta', thinking: 'hm' },
  };
  assert.deepEqual(decodeBlocks([thought, stop(0), textPiece(1, 'a'), textPiece(1, 'b'), stop(1)]), [
    { kind: 'thinking', block: 0, text: 'hm' },
    { kind: 'end', block: 0 },
    { kind: 'text', block: 1, text: 'a' },
    { kind: 'text', block: 1, text: 'b' },
    { kind: 'end', block: 1 },
  ]);
  const late = [begin(0, { type: 'text', text: 'a' }), stop(0), textPiece(0, 'b'), stop(0)];
  assert.deepEqual(decodeBlocks(late), [
    { kind: 'text', block: 0, text: 'a' },
    { kind: 'text', block: 0, text: 'b', newBlock: true },
    { kind: 'end', block: 0 },
  ]);
  assert.throws(() => decodeBlocks([jsonPiece(0, '{"a":1}')]), { code: 'provider_failed' });
});

test('the end’s counts replace the start’s where reported', () => {
  const counted = (atStart: JsonObject, atEnd: JsonObject) => {
    const message = { id: 'm', usage: atStart };
    const stream = eventStream([{ type: 'message_start', message }, ...ended('end_turn', atEnd)]);
    return decodeStream(adapter, stream).findLast((delta) => delta.kind === 'usage')?.usage;
  };
  assert.deepEqual(
    counted(
      { input_tokens: 5, output_tokens: 1 },
      {
        input_tokens: 6,
        cache_read_input_tokens: null,
        output_tokens: 9,
        output_tokens_details: { thinking_tokens: 4 },
      },
    ),
    { uncachedInput: 6, output: 9, reasoning: 4 },
  );
  assert.deepEqual(
    counted(
      { cache_creation: { ephemeral_5m_input_tokens: 1, ephemeral_1h_input_tokens: 2 } },
      { cache_creation_input_tokens: 8 },
    ),
    { cacheWrite: 6, cacheWriteLong: 2 },
  );
  assert.deepEqual(counted({ cache_creation: { ephemeral_5m_input_tokens: 1 } }, {}), { cacheWrite: 1 });
  assert.deepEqual(counted({ cache_creation_input_tokens: 0, cache_creation: null }, {}), { cacheWrite: 0 });
  assert.equal(counted({}, { output_tokens: null }), undefined);
  const nothing = { input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 9 };
  assert.deepEqual(counted({ input_tokens: 5, cache_read_input_tokens: 4 }, nothing), {
    uncachedInput: 5,
    cacheRead: 4,
    output: 9,
  });
  assert.deepEqual(counted({ input_tokens: 5 }, { input_tokens: 0, cache_read_input_tokens: 5 }), {
    uncachedInput: 0,
    cacheRead: 5,
  });
});

test('the tier that served', () => {
  const tier = (service_tier: string | null) => {
    const message = { id: 'm', usage: { service_tier } };
    const stream = eventStream([{ type: 'message_start', message }, ...ended()]);
    return decodeStream(adapter, stream).find((delta) => delta.kind === 'tier')?.tier;
  };
  assert.equal(tier('standard'), 'default');
  assert.equal(tier('priority'), 'priority');
  assert.equal(tier('batch'), undefined);
  assert.equal(tier(null), undefined);
});

test('nothing is read after the end', () => {
  const decoder = adapter.createDecoder(createCall());
  const deltas: Delta[] = [];
  decoder.decode({ event: 'message_start', data: JSON.stringify(started) }, deltas);
  assert.equal(decoder.finished, false);
  for (const event of ended('end_turn')) {
    decoder.decode({ event: event.type, data: JSON.stringify(event) }, deltas);
  }
  assert.equal(decoder.finished, true);
  const { length } = deltas;
  decoder.decode({ event: 'message_start', data: JSON.stringify(started) }, deltas);
  decoder.close(deltas);
  assert.equal(deltas.length, length);
});

test('a stream that ends early is a failure, unless the model had stopped', () => {
  const error = { code: 'provider_failed' };
  assert.throws(() => decodeStream(adapter, eventStream([started])), error);
  assert.throws(() => decodeStream(adapter, ''), error);
  assert.throws(() => decodeStream(adapter, 'data: <html>\n\n'), error);
  const [lastWords] = ended('max_tokens');
  assert.ok(lastWords);
  const deltas = decodeStream(adapter, eventStream([started, lastWords]));
  assert.deepEqual(deltas, [...start, ...ending('length', 'max_tokens')]);
});

test('failures inside the stream are distinguished by their type', () => {
  const failures = [
    ['overloaded_error', 'Overloaded', 'provider_overloaded'],
    ['rate_limit_error', 'm', 'upstream_rate_limit'],
    ['api_error', 'Internal server error', 'provider_failed'],
    ['timeout_error', 'm', 'provider_timeout'],
    ['invalid_request_error', 'm', 'upstream_invalid_request'],
    [
      'invalid_request_error',
      'prompt is too long: 210000 tokens > 200000 maximum',
      'upstream_context_length',
    ],
    ['invalid_request_error', 'Output blocked by content filtering policy', 'upstream_policy'],
    ['authentication_error', 'm', 'upstream_credential'],
    ['permission_error', 'm', 'upstream_credential'],
    ['not_found_error', 'm', 'upstream_not_found'],
    ['request_too_large', 'm', 'upstream_too_large'],
    ['something_new', 'm', 'provider_failed'],
  ] as const;
  for (const [type, message, code] of failures) {
    for (const event of [{ type: 'error', error: { type, message } }, { error: { type, message } }]) {
      assert.throws(
        () => decodeStream(adapter, `event: error\ndata: ${JSON.stringify(event)}\n\n`),
        (error) => {
          assert.ok(error instanceof HeadgateError);
          assert.equal(error.code, code);
          assert.equal(error.message, message);
          assert.equal(error.metadata.provider_code, type);
          return true;
        },
      );
    }
  }
  assert.throws(() => decodeStream(adapter, eventStream([{ type: 'error' }])), { code: 'provider_failed' });
});

test('many blocks under one number do not stop the process', () => {
  assertGrowsEvenly(40_000, (length) => {
    const calls = Array.from({ length }, (_, count) => [
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: `t${count}`, name: 'f' },
      },
      { type: 'content_block_stop', index: 0 },
    ]);
    const deltas = decodeStream(adapter, eventStream([started, ...calls.flat(), ...ended('tool_use')]));
    const blocks = deltas.flatMap((delta) => (delta.kind === 'call' ? delta.block : []));
    assert.deepEqual(blocks, [...calls.keys()]);
  });
});

test('an input that is given whole keeps every digit', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'book', input: { id: 'DIGITS' } };
  const stream = eventStream([started, begin(0, use), stop(0), ...ended('tool_use')]);
  const deltas = decodeStream(adapter, stream.replace('"DIGITS"', '12345678901234567890'));
  const texts = deltas.flatMap((delta) => (delta.kind === 'arguments' ? delta.text : []));
  assert.deepEqual(texts, ['{"id":12345678901234567890}']);
});
