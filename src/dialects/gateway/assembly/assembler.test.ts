import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { WireEvent } from '../../../../test/stream-checker.ts';
import { anyCharacter } from '../../../../test/support/any-character.ts';
import { assemble, settings } from '../../../../test/support/assemble.ts';
import type { Delta, FinishReason } from '../../../core/delta.ts';
import { HeadgateError } from '../../../core/errors.ts';
import type { JsonObject } from '../../../util/json.ts';

const finish = (reason: FinishReason): Delta => ({ kind: 'finish', reason });
const call = (block: number, name: string, callId?: string): Delta => ({
  kind: 'call',
  block,
  form: 'function',
  name,
  callId,
});
const argumentsOf = (block: number, text: string): Delta => ({ kind: 'arguments', block, text });
const types = (events: readonly WireEvent[]) => events.map((event) => event.type.replace('response.', ''));

test('text: the worked stream of docs/spec/answers.md#worked-streams', () => {
  const { events } = assemble([
    { kind: 'start', upstreamId: 'u1' },
    { kind: 'text', block: 0, text: 'Good ' },
    { kind: 'text', block: 0, text: '' },
    { kind: 'text', block: 0, text: 'day.' },
    finish('stop'),
  ]);
  assert.deepEqual(types(events), [
    'created',
    'in_progress',
    'output_item.added',
    'content_part.added',
    'output_text.delta',
    'output_text.delta',
    'output_text.done',
    'content_part.done',
    'output_item.done',
    'completed',
  ]);
});

test('reasoning then text: the worked stream of docs/spec/answers.md#worked-streams', () => {
  const { events, output } = assemble([
    { kind: 'thinking', block: 0, text: '7 times 6 is 42.' },
    { kind: 'summary', block: 0, text: 'Multiplied.' },
    { kind: 'seal', block: 0, format: 'unknown', encrypted: 'QUJD' },
    { kind: 'text', block: 1, text: '42' },
    finish('stop'),
  ]);
  assert.deepEqual(types(events).slice(2, 12), [
    'output_item.added',
    'content_part.added',
    'reasoning_text.delta',
    'reasoning_text.done',
    'content_part.done',
    'reasoning_summary_part.added',
    'reasoning_summary_text.delta',
    'reasoning_summary_text.done',
    'reasoning_summary_part.done',
    'output_item.done',
  ]);
  assert.deepEqual(
    { ...output[0], id: 'rs_1' },
    {
      type: 'reasoning',
      id: 'rs_1',
      status: 'completed',
      summary: [{ type: 'summary_text', text: 'Multiplied.' }],
      content: [{ type: 'reasoning_text', text: '7 times 6 is 42.' }],
      encrypted_content: 'QUJD',
      format: 'unknown',
    },
  );
});

test('a call without arguments gets an empty object; a custom call keeps its text', () => {
  const { output } = assemble([
    call(0, 'get_tide', 'call_a1'),
    { kind: 'call', block: 1, form: 'custom', name: 'later' },
    argumentsOf(1, 'free '),
    argumentsOf(1, 'text'),
    finish('tool_calls'),
  ]);
  assert.equal(output.length, 2);
  const [first, second] = output;
  assert.ok(first?.type === 'function_call' && second?.type === 'custom_tool_call');
  assert.deepEqual([first.arguments, first.call_id, first.async], ['{}', 'call_a1', undefined]);
  assert.deepEqual([second.input, second.async], ['free text', true]);
  assert.match(second.call_id, /^call_/);
});

test('interleaved calls are told one after the other', () => {
  const { events, output } = assemble([
    call(1, 'a', 'call_a'),
    call(2, 'b', 'call_b'),
    argumentsOf(2, '{"y":'),
    argumentsOf(1, '{"x":'),
    argumentsOf(1, '1}'),
    argumentsOf(2, '2}'),
    finish('tool_calls'),
  ]);
  assert.deepEqual(
    output.map((item) => item.type === 'function_call' && [item.call_id, item.arguments]),
    [
      ['call_a', '{"x":1}'],
      ['call_b', '{"y":2}'],
    ],
  );
  const closed = events.findIndex((event) => event.type === 'response.output_item.done');
  const last = events.findLastIndex((event) => event.type === 'response.function_call_arguments.delta');
  assert.ok(closed < last, 'the second call streams as soon as the first is whole');
});

test('a limit cuts off the last item, also when its block was said to have ended', () => {
  const { output } = assemble([
    { kind: 'text', block: 0, text: 'Once upon' },
    { kind: 'end', block: 0 },
    finish('length'),
  ]);
  assert.equal(output[0]?.status, 'incomplete');
});

test('text after a refusal and new parts stay in one message', () => {
  const { output } = assemble([
    { kind: 'text', block: 0, text: 'Well, ' },
    { kind: 'refusal', block: 0, text: 'no.' },
    { kind: 'text', block: 0, part: 2, text: 'But' },
    finish('stop'),
  ]);
  assert.ok(output[0]?.type === 'message');
  assert.deepEqual(
    output[0].content.map((part) => part.type),
    ['output_text', 'refusal', 'output_text'],
  );
});

test('excluded reasoning leaves no trace, opaque blobs only show when asked for', () => {
  const deltas: Delta[] = [
    { kind: 'thinking', block: 0, text: 'hm' },
    { kind: 'seal', block: 0, format: 'anthropic-claude-v1', encrypted: 'x', signature: 's' },
    { kind: 'text', block: 1, text: 'ok' },
    finish('stop'),
  ];
  assert.deepEqual(
    assemble(deltas, { ...settings, excludeReasoning: true }).output.map((item) => item.type),
    ['message'],
  );
  const shown = assemble(deltas, { ...settings, includeEncryptedReasoning: false }).output[0];
  assert.ok(shown?.type === 'reasoning' && !('encrypted_content' in shown) && shown.signature === 's');
});

test('a seal that comes after its thought was closed changes nothing', () => {
  const { output } = assemble([
    { kind: 'thinking', block: 0, text: 'hm' },
    { kind: 'text', block: 1, text: 'ok' },
    { kind: 'seal', block: 0, format: 'anthropic-claude-v1', signature: '' },
    finish('stop'),
  ]);
  assert.deepEqual(
    output.map((item) => item.type),
    ['reasoning', 'message'],
  );
});

test('a citation that comes after its text was closed begins no other text', () => {
  const annotation = {
    type: 'url_citation',
    url: 'https://a.test',
    title: '',
    start_index: 0,
    end_index: 2,
  } as const;
  const late: Delta = { kind: 'annotation', block: 0, annotation };
  const { output } = assemble([
    { kind: 'text', block: 0, text: 'ok' },
    call(1, 'a'),
    argumentsOf(1, '{}'),
    late,
    { kind: 'text', block: 2, text: 'Well, ' },
    { kind: 'refusal', block: 2, text: 'no.' },
    { ...late, block: 2 },
    finish('tool_calls'),
  ]);
  assert.deepEqual(
    output.map((item) => (item.type === 'message' ? item.content.map(({ type }) => type) : item.type)),
    [['output_text'], 'function_call', ['output_text', 'refusal']],
  );
});

test('citations are told with places inside the text, those of later words once these have come', () => {
  const cite = (start_index: number, end_index: number): Delta => ({
    kind: 'annotation',
    block: 0,
    annotation: { type: 'url_citation', url: 'https://a.test', title: '', start_index, end_index },
  });
  const { events, output } = assemble([
    { kind: 'text', block: 0, text: 'high ' },
    cite(0, 9),
    cite(0, 4),
    { kind: 'text', block: 0, text: 'tide' },
    cite(5, 400),
    finish('stop'),
  ]);
  const told = events.filter(({ type }) => type === 'response.output_text.annotation.added');
  const places = told.map(({ annotation }) => {
    const { start_index, end_index } = annotation as { start_index: number; end_index: number };
    return [start_index, end_index];
  });
  assert.deepEqual(places, [
    [0, 4],
    [0, 9],
    [5, 9],
  ]);
  assert.deepEqual(
    output.flatMap((item) => (item.type === 'message' ? item.content : [])),
    [
      {
        type: 'output_text',
        text: 'high tide',
        annotations: told.map(({ annotation }) => annotation),
        logprobs: [],
      },
    ],
  );
});

test('a provider that contradicts itself is a failed provider', () => {
  assert.throws(() => assemble([argumentsOf(3, '{}')]), HeadgateError);
  assert.throws(
    () =>
      assemble([call(0, 'a'), argumentsOf(0, '{}'), call(1, 'b'), argumentsOf(1, '{}'), argumentsOf(0, 'x')]),
    /after they were complete/,
  );
});

type Progress = WithoutBlock<
  Extract<Delta, { kind: 'stage' | 'fragment' | 'partial_image' | 'result' | 'end' }>
>;
type WithoutBlock<T> = T extends unknown ? Omit<T, 'block'> : never;

const word = fc.string({ minLength: 0, maxLength: 6, unit: anyCharacter });
const anyDelta = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), block: fc.nat(2), text: word, part: fc.nat(1) }),
  fc.record({ kind: fc.constant('refusal' as const), block: fc.nat(2), text: word }),
  fc.record({ kind: fc.constant('thinking' as const), block: fc.integer({ min: 3, max: 4 }), text: word }),
  fc.record({
    kind: fc.constant('summary' as const),
    block: fc.integer({ min: 3, max: 4 }),
    text: word,
    part: fc.nat(1),
  }),
  fc.record({
    kind: fc.constant('seal' as const),
    block: fc.integer({ min: 3, max: 4 }),
    format: fc.constant('unknown' as const),
  }),
  fc.record({ kind: fc.constant('end' as const), block: fc.nat(4) }),
);

/** What a hosted item may say of itself, in any order a provider might choose, and perhaps not to its end. */
const anyHosted = fc
  .tuple(
    fc.constantFrom(
      ...(['web_search_call', 'file_search_call', 'image_generation_call', 'code_interpreter_call'] as const),
      ...(['computer_call', 'shell_call', 'local_shell_call', 'shell_call_output'] as const),
      ...(['apply_patch_call', 'mcp_list_tools', 'mcp_approval_request', 'mcp_call'] as const),
      ...(['mcp_approval_response', 'computer_call_output'] as const),
    ),
    fc.option(fc.constantFrom('id_1', 'id_2'), { nil: undefined }),
    fc.constantFrom<JsonObject>(
      {},
      { call_id: 'c', name: 'n', server_label: 's', code: 'text', arguments: 'text', queries: ['q'] },
      { operation: { type: 'delete_file', path: 'a' }, action: { type: 'search', queries: ['q'] } },
      {
        operation: { type: 'create_file', path: 'a', diff: 'text' },
        result: 'AAAA',
        outputs: [],
        results: [],
      },
    ),
    fc.array(
      fc.constantFrom<Progress>(
        { kind: 'stage', stage: 'searching' },
        { kind: 'stage', stage: 'generating' },
        { kind: 'stage', stage: 'interpreting' },
        { kind: 'fragment', text: 'te' },
        { kind: 'fragment', text: '' },
        { kind: 'partial_image', index: 0, image: 'AA' },
      ),
      { maxLength: 5 },
    ),
    fc.constantFrom<readonly Progress[]>(
      [],
      [{ kind: 'end' }],
      [{ kind: 'result', fields: { output: null, tools: [{ name: 't', description: null }] } }],
      [{ kind: 'result', fields: { code: 'text' } }, { kind: 'end' }],
      [{ kind: 'result', fields: {}, failed: true }, { kind: 'end' }],
      [{ kind: 'end' }, { kind: 'result', fields: {} }],
    ),
  )
  .map(([type, id, fields, steps, ending]) => (block: number): Delta[] => [
    { kind: 'hosted', block, type, id, fields },
    ...[...steps, ...ending].map((step): Delta => ({ ...step, block })),
  ]);

/** Interleaves whole calls and hosted items with other deltas at random, keeping each block's own order. */
const anyStream = fc
  .tuple(
    fc.array(anyDelta, { maxLength: 25 }),
    fc.array(fc.tuple(fc.jsonValue(), fc.nat(5)), { maxLength: 4 }),
    fc.array(anyHosted, { maxLength: 5 }),
    fc.infiniteStream(fc.nat(100)),
    fc.constantFrom<FinishReason | undefined>('stop', 'tool_calls', 'length', 'content_filter', undefined),
  )
  .map(([others, calls, hosted, dice, reason]) => {
    const queues: Delta[][] = [others, ...hosted.map((make, index) => make(20 + index))];
    calls.forEach(([value, cut], index) => {
      const text = JSON.stringify({ value });
      const block = 6 + index;
      const pieces = [text.slice(0, cut), text.slice(cut)].map((piece) => argumentsOf(block, piece));
      queues.push([call(block, `tool_${index}`), ...pieces]);
    });
    const stream: Delta[] = [];
    const texts = calls.map(([value]) => JSON.stringify({ value }));
    for (
      let open = queues.filter((queue) => queue.length > 0);
      open.length > 0;
      open = open.filter((queue) => queue.length > 0)
    ) {
      const queue = open[(dice.next().value ?? 0) % open.length];
      const delta = queue?.shift();
      if (delta !== undefined) stream.push(delta);
    }
    return { stream: reason === undefined ? stream : [...stream, finish(reason)], texts, reason };
  });

test('any stream of deltas makes a grammatical stream of events and loses nothing', () => {
  fc.assert(
    fc.property(anyStream, ({ stream, texts, reason }) => {
      const { output } = assemble(stream);
      const joined = (kind: Delta['kind']) =>
        stream.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
      const textOf = output.flatMap((item) => (item.type === 'message' ? item.content : []));
      const thought = output.flatMap((item) => (item.type === 'reasoning' ? item.content : []));
      if (reason === undefined) return;
      assert.equal(
        textOf.map((part) => (part.type === 'output_text' ? part.text : '')).join('').length,
        joined('text').length,
      );
      assert.equal(thought.map((part) => part.text).join('').length, joined('thinking').length);
      const seen = output.flatMap((item) => (item.type === 'function_call' ? [item.arguments] : []));
      assert.deepEqual(seen.sort(), texts.toSorted());
    }),
    { numRuns: 1000 },
  );
});
