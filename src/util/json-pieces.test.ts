import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wellFormedJson } from './json.ts';
import { jsonPieces } from './json-pieces.ts';

const whole = (value: unknown) => [...jsonPieces(value)].join('');

test('the pieces are the JSON of a value, whatever it holds', () => {
  const values = [
    'text "quoted" \\ \n',
    { a: 1, b: [true, null, { c: undefined, d: [] }], e: {}, 'n"ame': 'half \ud800 of one', f: -1.5e30 },
    [],
    [undefined, 'x'],
    null,
    { long: '\\"\n'.repeat(100_000), other: [`${'é'.repeat(70_000)}`] },
  ];
  for (const value of values) assert.equal(whole(value), wellFormedJson(JSON.stringify(value)));
});

test('characters of two units are never divided, wherever a piece ends', () => {
  for (let shift = 0; shift < 4; shift += 1) {
    const value = { text: `${'a'.repeat(shift)}${'😀'.repeat(100_000)}` };
    assert.equal(whole(value), JSON.stringify(value));
  }
});

test('no piece is much longer than another, however long the text', () => {
  const lengths = [...jsonPieces({ text: 'x'.repeat(5_000_000), list: Array(50_000).fill('word') })].map(
    ({ length }) => length,
  );
  assert.ok(Math.max(...lengths) < 200_000);
  assert.ok(lengths.length < 100);
});
