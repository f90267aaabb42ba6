import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { assemble, settings } from '../../../../test/support/assemble.ts';
import { assertGrowsEvenly } from '../../../../test/support/assert-grows-evenly.ts';
import type { Delta, FinishReason } from '../../../core/delta.ts';
import { Assembler } from './assembler.ts';
import type { OutputItem } from './response.ts';

/** What one block says, in its own order. */
type Saying = readonly Delta[];

const cited = {
  type: 'url_citation',
  url: 'https://a.test',
  title: '',
  start_index: 0,
  end_index: 1,
} as const;

/** Text of one letter, which identifies its block, in fragments that may be empty. */
function anyText(block: number, letter: string): fc.Arbitrary<Saying> {
  const text = fc.nat(3).map((count) => letter.repeat(count));
  const logprobs = [{ token: letter, logprob: -1, bytes: [], top_logprobs: [] }];
  const delta: fc.Arbitrary<Delta> = fc.oneof(
    text.map((said): Delta => ({ kind: 'text', block, text: said })),
    text.map((said): Delta => ({ kind: 'text', block, text: said, logprobs })),
    fc.tuple(text, fc.nat(2)).map(([said, part]): Delta => ({ kind: 'text', block, text: said, part })),
    fc.constantFrom<Delta>({ kind: 'annotation', block, annotation: cited }, { kind: 'end', block }),
  );
  return fc
    .array(delta, { maxLength: 6 })
    .map((deltas) => [{ kind: 'text', block, text: letter } as const, ...deltas]);
}

function anyThought(block: number, letter: string): fc.Arbitrary<Saying> {
  const text = fc.nat(3).map((count) => letter.repeat(count));
  const seal: Delta = { kind: 'seal', block, format: 'unknown', encrypted: letter };
  const delta: fc.Arbitrary<Delta> = fc.oneof(
    text.map((said): Delta => ({ kind: 'thinking', block, text: said })),
    fc.tuple(text, fc.nat(2)).map(([said, part]): Delta => ({ kind: 'summary', block, text: said, part })),
    fc.constantFrom<Delta>(seal, { kind: 'end', block }),
  );
  return fc.array(delta, { maxLength: 6 });
}

/** A call in fragments: whole or cut off, begun twice or not, with its end reported or not. */
function anyCall(block: number): fc.Arbitrary<Saying> {
  const form = fc.constantFrom('function' as const, 'custom' as const);
  const places = fc.array(fc.nat(12), { maxLength: 3 });
  return fc
    .tuple(form, fc.jsonValue(), places, fc.boolean(), fc.boolean())
    .map(([form, value, places, cut, ends]) => {
      const whole = JSON.stringify({ value });
      const text = cut ? whole.slice(0, -1) : whole;
      const cuts = [0, ...places.toSorted((one, other) => one - other), text.length];
      return [
        { kind: 'call', block, form, name: 'f', callId: `call_${block}` },
        ...cuts.map(
          (from, at): Delta => ({ kind: 'arguments', block, text: text.slice(from, cuts[at + 1] ?? from) }),
        ),
        ...(ends ? [{ kind: 'end', block } as const] : []),
      ];
    });
}

const hosted: Saying = [
  { kind: 'hosted', block: 20, type: 'web_search_call' },
  { kind: 'stage', block: 20, stage: 'searching' },
  { kind: 'hosted', block: 20, type: 'web_search_call' },
];
const aside = fc.array(
  fc.constantFrom<Delta>(
    { kind: 'start' },
    { kind: 'usage', usage: { output: 1 } },
    { kind: 'tier', tier: 'flex' },
    { kind: 'end', block: 99 },
    { kind: 'result', block: 99, fields: {} },
  ),
  { maxLength: 3 },
);

/** Blocks that interleave at random, each in its own order. */
const anyAnswer = fc
  .tuple(
    fc.tuple(anyText(0, 'a'), anyText(1, 'b'), anyThought(2, 'c'), anyThought(3, 'd')),
    fc
      .array(fc.nat(), { maxLength: 3 })
      .chain((calls) => fc.tuple(...calls.map((_, at) => anyCall(10 + at)))),
    fc.constantFrom<Saying>([], hosted),
    aside,
    fc.infiniteStream(fc.nat(1000)),
  )
  .map(([said, calls, search, besides, dice]) => {
    const queues = [...said, ...calls, search, besides].map((saying) => [...saying]);
    const deltas: Delta[] = [];
    for (let left = queues; left.length > 0; left = left.filter((queue) => queue.length > 0)) {
      const delta = left[(dice.next().value ?? 0) % left.length]?.shift();
      if (delta !== undefined) deltas.push(delta);
    }
    return deltas;
  });
const reasons = fc.constantFrom<FinishReason>('stop', 'tool_calls', 'length', 'content_filter');

const said = (deltas: readonly Delta[], kind: Delta['kind'], block: number) =>
  deltas
    .map((delta) => (delta.kind === kind && 'text' in delta && delta.block === block ? delta.text : ''))
    .join('');
const lettersOf = (texts: readonly string[], letter: string) =>
  texts.join('').replaceAll(new RegExp(`[^${letter}]`, 'g'), '');

function textsOf(output: readonly OutputItem[]) {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const thoughts = output.flatMap((item) => (item.type === 'reasoning' ? [item] : []));
  return {
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')),
    thinking: thoughts.flatMap((item) => item.content.map(({ text }) => text)),
    summary: thoughts.flatMap((item) => item.summary.map(({ text }) => text)),
  };
}

test('however blocks interleave, begin twice, say nothing or never end, each is told whole and in its order', () => {
  fc.assert(
    fc.property(anyAnswer, reasons, anyAnswer, (deltas, reason, late) => {
      const { output } = assemble([...deltas, { kind: 'finish', reason }, ...late]);
      const texts = textsOf(output);
      assert.ok(!texts.text.includes(''), 'a text nobody wrote');
      for (const [block, letter] of [...'abcd'].entries()) {
        for (const kind of ['text', 'thinking', 'summary'] as const)
          assert.equal(lettersOf(texts[kind], letter), said(deltas, kind, block));
      }
      for (const call of deltas) {
        if (call.kind !== 'call') continue;
        const made = output.filter((item) => 'call_id' in item && item.call_id === call.callId);
        const [item] = made;
        assert.equal(made.length, 1);
        assert.ok(item?.type === 'function_call' || item?.type === 'custom_tool_call');
        const input = item.type === 'function_call' ? item.arguments : item.input;
        assert.equal(input, said(deltas, 'arguments', call.block));
      }
    }),
    { numRuns: 1000 },
  );
});

test('many fragments that wait for a call which never becomes whole do not stop the process', () => {
  const fragment: Delta = { kind: 'arguments', block: 1, text: ' ' };
  assertGrowsEvenly(40_000, (length) => {
    const broken = `{"a":"${'x'.repeat(2 * length)}"}}`;
    const { output } = assemble([
      { kind: 'call', block: 0, form: 'function', name: 'f', callId: 'a' },
      { kind: 'arguments', block: 0, text: broken },
      { kind: 'call', block: 1, form: 'function', name: 'f', callId: 'b' },
      ...Array.from({ length }, () => fragment),
      { kind: 'finish', reason: 'tool_calls' },
    ]);
    assert.equal(output.length, 2);
  });
});

test('however many calls are written side by side, each is whole, and none is counted again as it waits', () => {
  const calls = Array.from({ length: 60 }, (_, block) => block);
  const rounds = Array.from({ length: 2_000 }, (_, at) => String(at % 10));
  const { output } = assemble([
    ...calls.map(
      (block): Delta => ({ kind: 'call', block, form: 'custom', name: 'f', callId: `call_${block}` }),
    ),
    ...rounds.flatMap((text) => calls.map((block): Delta => ({ kind: 'arguments', block, text }))),
    { kind: 'finish', reason: 'tool_calls' },
  ]);
  const inputs = output.map((item) => (item.type === 'custom_tool_call' ? item.input : ''));
  assert.deepEqual(
    inputs,
    calls.map(() => rounds.join('')),
  );
});

test('a call cut off by a limit is incomplete, also behind others and beside a search', () => {
  const { output } = assemble([
    { kind: 'call', block: 0, form: 'function', name: 'f', callId: 'a' },
    { kind: 'call', block: 1, form: 'function', name: 'f', callId: 'b' },
    { kind: 'hosted', block: 2, type: 'web_search_call' },
    { kind: 'arguments', block: 1, text: '{"a"' },
    { kind: 'arguments', block: 0, text: '{}' },
    { kind: 'end', block: 7 },
    { kind: 'finish', reason: 'length' },
  ]);
  const told = output.map((item) => [item.type, 'status' in item && item.status]);
  assert.deepEqual(told, [
    ['function_call', 'completed'],
    ['function_call', 'incomplete'],
    ['web_search_call', 'failed'],
  ]);
});

test('many searches that nobody ends do not stop the process', () => {
  assertGrowsEvenly(48_000, (length) => {
    const assembler = new Assembler(settings, () => {});
    for (let block = 0; block < length; block++)
      assembler.push({ kind: 'hosted', block, type: 'web_search_call' });
    assembler.finish('stop');
    assert.equal(assembler.output.length, length);
  });
});

test('wherever an answer breaks off, what was told of it stands', () => {
  fc.assert(
    fc.property(anyAnswer, (deltas) => {
      const { output } = assemble(deltas);
      const whole = assemble([...deltas, { kind: 'finish', reason: 'stop' }]).output;
      assert.deepEqual(
        output.map(({ type }) => type),
        whole.slice(0, output.length).map(({ type }) => type),
      );
    }),
    { numRuns: 300 },
  );
});

test('characters stay whole wherever a provider cuts its texts, and half a one is replaced', () => {
  const said = 'é😀漢👍🏽.';
  const kinds = ['text', 'thinking', 'summary', 'refusal'] as const;
  for (const kind of kinds) {
    // Split by units, as providers written in languages of such texts do.
    const units = said.split('').map((text): Delta => ({ kind, block: 0, text }));
    const { events, output } = assemble([...units, { kind: 'finish', reason: 'stop' }]);
    const deltas = events.flatMap((event) => ('delta' in event ? [String(event.delta)] : []));
    assert.ok(deltas.length > 1 && deltas.every((delta) => delta.isWellFormed()), kind);
    assert.equal(deltas.join(''), said);
    assert.ok(JSON.stringify(output).includes(said), kind);
  }
  const halves: Delta[] = [
    { kind: 'text', block: 0, text: 'a\ud83d' },
    { kind: 'text', block: 0, text: 'b\ude00c' },
    { kind: 'text', block: 0, text: 'd\ud83d' },
  ];
  const { output } = assemble([...halves, { kind: 'finish', reason: 'length' }]);
  assert.match(JSON.stringify(output), /"a\ufffdb\ufffdcd"/);
});
