import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from './call-arguments.ts';

const cases = [
  ['', '{}'],
  ['{"id":12345678901234567890,"a":[0.1]}', '{"id":12345678901234567890,"a":[0.1]}'],
  ['[12345678901234567890]', '{"input":[12345678901234567890]}'],
  ['12', '{"input":12}'],
  ['null', '{"input":"null"}'],
  ['{"id":12345678901234567890', '{"input":"{\\"id\\":12345678901234567890"}'],
] as const;

for (const [text, told] of cases) {
  test(`arguments ${text} keep every digit`, () => {
    assert.equal(JSON.stringify(parseArguments(text)), told);
  });
}

test('arguments nested too deep to be written again are sent as text', () => {
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}12345678901234567890${'}'.repeat(levels)}`;
  assert.equal(JSON.stringify(parseArguments(nested(256))), nested(256));
  for (const levels of [257, 10_000, 1_000_000]) {
    assert.deepEqual(parseArguments(nested(levels)), { input: nested(levels) });
  }
});
