import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseExactly } from './parse-exactly.ts';

test('JSON is parsed and written as ever', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(JSON.stringify(parseExactly(text)), JSON.stringify(JSON.parse(text)));
    }),
  );
  assert.throws(() => parseExactly('{"a":1234567890123456'), SyntaxError);
});

test('integers keep all their digits when they are written again', () => {
  for (const text of [
    '{"id":12345678901234567890}',
    '[1,-98765432109876543210,{"deep":[18446744073709551615]}]',
    '{"text":"[1234567890123456","id":9007199254740993}',
  ]) {
    assert.equal(JSON.stringify(parseExactly(text)), text);
  }
});

test('numbers that fit stay numbers', () => {
  const [long, fraction, tooLong] = parseExactly(
    '[ 1234567890123456, 0.1000000000000000055, 10000000000000000000]',
  ) as unknown[];
  assert.deepEqual([long, fraction, typeof tooLong], [1_234_567_890_123_456, 0.1, 'object']);
});
