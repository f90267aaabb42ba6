import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { anyCharacter } from '../../../test/support/any-character.ts';
import type { Delta } from '../../core/delta.ts';
import { RepeatedChunk } from './decode.ts';
import { openaiChatAdapter } from './openai-chat-adapter.ts';

const chunk = (content: string, rest: object = {}) =>
  JSON.stringify({
    id: 'c',
    choices: [{ index: 0, delta: { content }, finish_reason: null, ...rest }],
    usage: null,
  });

test('a chunk that differs only in its text is recognised, with any text', () => {
  const anyText = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(anyText, anyText, (first, second) => {
      const repeated = new RepeatedChunk();
      repeated.remember(chunk(first));
      assert.equal(repeated.textOf(chunk(second)), second);
    }),
  );
});

test('what only looks like a repetition is read in full', () => {
  const repeated = new RepeatedChunk();
  repeated.remember(chunk('one'));
  const [before = '', after = ''] = chunk('SPLIT').split('SPLIT');
  for (const odd of [
    chunk('two', { finish_reason: 'stop' }),
    chunk('two', { logprobs: { content: [] } }),
    `${before}two","refusal":"no${after}`,
    `${before}tw\\${after}`,
    `${before}\n${after}`,
    `${before.slice(0, -1)}${after.slice(1)}`,
    before + after.slice(1),
    '',
    'null',
  ]) {
    assert.equal(repeated.textOf(odd), undefined, odd);
  }
});

test('text elsewhere in the chunk is never taken for its content', () => {
  for (const data of [
    JSON.stringify({ content: 'outer', choices: [{ delta: { content: 'inner' } }] }),
    JSON.stringify({ choices: [{ delta: { note: '"content":"fake', content: 'x' } }] }),
    '{"choices":[{"delta":{"content":"first","content":"second"}}]}',
  ]) {
    const repeated = new RepeatedChunk();
    repeated.remember(data);
    const seen = repeated.textOf(data);
    const { choices } = JSON.parse(data) as { choices: { delta: { content: string } }[] };
    assert.ok(seen === undefined || seen === choices[0]?.delta.content, data);
  }
});

test('a decoder with the fast path gives the same deltas as one without it', () => {
  const word = fc.string({ unit: anyCharacter, maxLength: 5 });
  const logprobs = (token: string) => ({ content: [{ token, logprob: -1, bytes: null, top_logprobs: [] }] });
  const delta = (rest: object) => JSON.stringify({ id: 'c', choices: [{ index: 0, delta: rest }] });
  const piece = fc.oneof(
    { weight: 4, arbitrary: word.map((text) => chunk(text)) },
    word.map((text) => chunk(text, { logprobs: logprobs(text) })),
    word.map((text) => delta({ reasoning_content: text })),
    word.map((text) => delta({ content: text, refusal: 'r' })),
    word.map((text) => delta({ content: text, tool_calls: [] })),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const decode = (spell: (data: string, index: number) => string) => {
        const decoder = openaiChatAdapter.createDecoder(createCall());
        const into: Delta[] = [];
        pieces.forEach((data, index) => {
          decoder.decode({ event: undefined, data: spell(data, index) }, into);
        });
        return into;
      };
      // A member that changes with every chunk keeps the short cut from ever being taken.
      const longWay = decode((data, index) => data.replace('{"id":"c"', `{"n":${index},"id":"c"`));
      assert.deepEqual(
        decode((data) => data),
        longWay,
      );
    }),
  );
});
