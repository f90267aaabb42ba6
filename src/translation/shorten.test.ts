import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { altered, translated } from '../../test/support/translating.ts';
import type { Item } from '../core/request.ts';
import { countTokens } from '../util/count-tokens.ts';
import { estimateTokens, middleOut } from './shorten.ts';

const said = (role: 'system' | 'user' | 'assistant', text: string): Item => ({
  kind: 'message',
  role,
  content: [{ kind: 'text', text }],
});
const call = (callId: string): Item => ({ kind: 'call', form: 'function', callId, name: 'f', input: '{}' });
const output = (callId: string, text = ''): Item => ({
  kind: 'call_output',
  form: 'function',
  callId,
  output: [{ kind: 'text', text }],
});
const long = 'word '.repeat(80);
const shortened = (items: readonly Item[], contextLength: number, maxOutputTokens = 10) =>
  translated({
    support: { 'truncation.auto': { emulated: 'shortened' } },
    endpoint: { contextLength },
    request: { items, maxOutputTokens, truncation: 'auto' },
  });
const texts = (items: readonly Item[]) =>
  items.map((item) =>
    item.kind === 'message' && item.content[0]?.kind === 'text'
      ? item.content[0].text.slice(0, 4).trim()
      : item.kind,
  );

test('a conversation that fits stays whole', () => {
  const items = [said('user', 'one'), said('assistant', 'two'), said('user', 'three')];
  const translation = shortened(items, 1000);
  assert.deepEqual(translation.request.items, items);
  assert.equal(translation.request.truncation, 'disabled');
  assert.deepEqual(altered(translation), []);
});

test('the middle goes; system messages, both ends and the question stay', () => {
  const items = [
    said('system', `sys  ${long}`),
    said('user', `1st ${long}`),
    said('assistant', `2nd ${long}`),
    said('user', `3rd ${long}`),
    said('assistant', `4th ${long}`),
    said('user', `5th ${long}`),
    said('assistant', `6th ${long}`),
    said('user', '7th'),
  ];
  const each = estimateTokens(items[1]) + 4;
  // Room for the system message, the question and so many of the others.
  const roomFor = (count: number) =>
    shortened(items, 74 + each + estimateTokens(items[7]) + 40 + count * each);
  const kept = roomFor(4);
  assert.deepEqual(texts(kept.request.items), ['sys', '1st', '2nd', '5th', '6th', '7th']);
  assert.deepEqual(kept.entries, [
    {
      type: 'context_compression',
      name: 'context-compression',
      data: { engine: 'middle-out', input_type: 'messages', original_count: 8, compressed_count: 6 },
    },
  ]);
  assert.deepEqual(texts(roomFor(3).request.items), ['sys', '1st', '5th', '6th', '7th']);
  assert.deepEqual(texts(roomFor(1).request.items), ['sys', '6th', '7th']);
  assert.deepEqual(texts(shortened(items, 50).request.items), ['sys', '7th']);
});

test('a unit that fits in part keeps its beginning and its end', () => {
  const items = [said('user', 'word '.repeat(2000)), said('assistant', 'x'), said('user', 'Go on.')];
  const { request } = shortened(items, 1000);
  const [first] = request.items;
  assert.ok(first?.kind === 'message' && first.content[0]?.kind === 'text');
  assert.match(first.content[0].text, /^word [\s\S]*\n\[… \d+ characters left out …\]\n[\s\S]*word $/);
  assert.ok(estimateTokens(request.items) <= 1000);
});

test('a question longer than the context loses its middle, system texts last', () => {
  const items = [said('system', long), said('user', `start ${'word '.repeat(5000)} end`)];
  const { request } = shortened(items, 2000);
  const [system, question] = request.items;
  assert.deepEqual(system, JSON.parse(JSON.stringify(items[0])));
  assert.ok(question?.kind === 'message' && question.content[0]?.kind === 'text');
  assert.match(question.content[0].text, /^start [\s\S]*left out[\s\S]* end$/);
  assert.ok(estimateTokens(request.items) <= 2000);
});

test('with many messages the first and the last stay', () => {
  const items = Array.from({ length: 50 }, (_, at) => said(at % 2 === 0 ? 'user' : 'assistant', `m${at}`));
  const kept = middleOut([...items, said('user', 'end')], 100_000, 11);
  assert.deepEqual(texts(kept), ['m0', 'm1', 'm2', 'm3', 'm4', 'm45', 'm46', 'm47', 'm48', 'm49', 'end']);
});

test('in one long turn early steps go, with their reasoning and outputs', () => {
  const thought: Item = { kind: 'reasoning', summary: [], content: [long], encrypted: 'x' };
  const items = [
    said('user', 'Do it.'),
    thought,
    call('a'),
    call('b'),
    output('a', long),
    output('b', long),
    thought,
    call('c'),
    output('c', 'last'),
  ];
  assert.deepEqual(texts(shortened(items, 180).request.items), ['Do i', 'reasoning', 'call', 'call_output']);
});

test("an output without a limit reserves a quarter of the context, the usual output, or the endpoint's limit", () => {
  const few = [said('user', long), said('assistant', long), said('user', long)];
  const many = [said('user', long.repeat(100)), said('assistant', long.repeat(100)), said('user', long)];
  /** The least context into which a conversation goes whole. */
  const least = (items: readonly Item[], maxOutputTokens?: number, maxCompletionTokens?: number) => {
    let [tooLittle, enough] = [0, 100_000];
    while (enough - tooLittle > 1) {
      const contextLength = Math.floor((tooLittle + enough) / 2);
      const { entries } = translated({
        support: { 'truncation.auto': { emulated: 'shortened' } },
        endpoint: { contextLength, ...(maxCompletionTokens !== undefined && { maxCompletionTokens }) },
        request: { items, maxOutputTokens, truncation: 'auto' },
      });
      if (entries === undefined) enough = contextLength;
      else tooLittle = contextLength;
    }
    return enough;
  };
  const small = least(few);
  assert.ok(small < 1000);
  assert.equal(small, least(few, Math.floor(small / 4)));
  assert.equal(least(few, undefined, 5), least(few, 5));
  assert.equal(least(many), least(many, 4096));
  assert.equal(least(many, undefined, 9000), least(many, 4096));
  assert.ok(least(many, 9000) > least(many, 4096), 'an output somebody bounded is kept whole');
});

test('without a known context nothing is left out', () => {
  const { request } = translated({
    support: { 'truncation.auto': { emulated: 'shortened' } },
    request: { items: [said('user', long), said('user', long)], truncation: 'auto' },
  });
  assert.equal(request.items.length, 2);
});

test('calls and outputs are never parted, and what stays keeps its order', () => {
  const step = fc.constantFrom('user', 'assistant', 'system', 'reason', 'call', 'late', 'answer');
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 800 }), (steps, context) => {
      const items = conversation(steps);
      const kept = shortened(items, context).request.items;
      const ids = (kind: 'call' | 'call_output') =>
        new Set(kept.flatMap((item) => (item.kind === kind ? item.callId : [])));
      assert.deepEqual(ids('call_output'), ids('call'));
      const places = kept.map((item) => items.findIndex((other) => other.id === item.id));
      assert.deepEqual(
        places,
        places.toSorted((left, right) => left - right),
      );
      const isKept = (item: Item | undefined) => item === undefined || places.includes(items.indexOf(item));
      assert.ok(isKept(items.findLast((item) => item.kind === 'message' && item.role === 'user')));
      assert.ok(items.every((item) => item.kind !== 'message' || item.role !== 'system' || isKept(item)));
      assert.ok(isKept(items.at(-1)));
    }),
  );
});

/** A conversation in which every call is answered, some of them later. */
function conversation(steps: readonly string[]): Item[] {
  const items: Item[] = [];
  const open: string[] = [];
  const answer = (id: string | undefined) => {
    if (id !== undefined) items.push(output(id, long));
  };
  for (const [index, step] of steps.entries()) {
    if (step === 'user' || step === 'assistant' || step === 'system') items.push(said(step, long));
    else if (step === 'reason') items.push({ kind: 'reasoning', summary: [], content: [long] });
    else if (step === 'answer') answer(open.shift());
    else {
      items.push(call(`c${index}`));
      if (step === 'late') open.push(`c${index}`);
      else answer(`c${index}`);
    }
  }
  for (const id of open) answer(id);
  return items.map((item, index) => ({ ...item, id: `i${index}` }));
}

test('tokens are counted by words and scripts, and pictures are a thousand', () => {
  assert.equal(estimateTokens(long), countTokens(long));
  assert.ok(estimateTokens('潮汐表'.repeat(2000)) > 3000, 'a script without blanks is no picture');
  assert.equal(estimateTokens({ url: `data:image/png;base64,${'A'.repeat(100_000)}` }), 1000);
});
