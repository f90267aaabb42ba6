import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import { TextInputUnwrapper } from './custom-as-functions.ts';

const samples = [
  '',
  'plain',
  'line one\nline two\ttab "quoted" back\\slash / \b\f\r',
  'Füße 漢字 😀👩‍👩‍👧 \u0001',
  '{"input":"nested"}',
];

function unwrap(fragments: readonly string[]): string {
  const unwrapper = new TextInputUnwrapper();
  return fragments.map((fragment) => unwrapper.push(fragment)).join('');
}

test('the text is the same wherever the JSON is cut', () => {
  for (const sample of samples) {
    for (const json of [
      JSON.stringify({ input: sample }),
      ` {\n  "input" : ${escapeAll(sample)} \n} `,
      JSON.stringify({ input: sample, more: 1 }),
    ]) {
      assert.equal(unwrap([json]), sample);
      assert.equal(unwrap(json.split('')), sample);
      for (let cut = 0; cut <= json.length; cut++) {
        assert.equal(unwrap([json.slice(0, cut), json.slice(cut)]), sample, `cut at ${cut} of ${json}`);
      }
    }
  }
});

test('any text survives any cutting, and no piece ends in half a character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (sample, widths) => {
        const json = JSON.stringify({ input: sample });
        const unwrapper = new TextInputUnwrapper();
        let joined = '';
        for (let at = 0, turn = 0; at < json.length; turn++) {
          const width = widths[turn % widths.length] ?? 1;
          const piece = unwrapper.push(json.slice(at, at + width));
          assert.ok(piece.isWellFormed());
          joined += piece;
          at += width;
        }
        assert.equal(joined, sample);
      },
    ),
  );
});

test('text that is not wrapped passes unchanged', () => {
  for (const raw of ['print(1)', '{"text":"x"}', '{"input":5}', '{"in put":"x"}', '"quoted"']) {
    assert.equal(unwrap([raw]), raw);
    assert.equal(unwrap(raw.split('')), raw);
  }
});

test('an empty object is an empty input', () => {
  assert.equal(unwrap(['{', ' ', '}']), '');
});

test('a cut-off string gives what was whole', () => {
  assert.equal(unwrap(['{"input":"half a \\ud83d']), 'half a ');
  assert.equal(unwrap(['{"input":"ab\\']), 'ab');
});

test('a broken escape is kept rather than lost', () => {
  assert.equal(unwrap(['{"input":"\\uZZZZ \\q"}']), '\\uZZZZ q');
});

function escapeAll(text: string): string {
  const units = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${units.join('')}"`;
}
