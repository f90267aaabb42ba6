import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { countAsciiTokens } from './count-ascii-tokens.ts';
import { estimateByScript } from './count-tokens.ts';

const ascii = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
const pieces = fc.oneof(
  fc.string({ unit: fc.constantFrom(...ascii), maxLength: 20 }),
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.stringMatching(/^[A-Za-z0-9]{1,20}$/),
  fc.stringMatching(/^[0-9]{1,12}$/),
  fc.stringMatching(/^[ \n\t\r]{1,4}$/),
  fc.stringMatching(/^[.,:;!?/_"-]{1,9}$/),
  fc.constantFrom("don't", '\n', '\n\n', '.\n', ' \n', '\n ', 'End.\nNext'),
);

test("it gives the package's result for every ASCII text", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (all) => {
      const text = all.join('');
      assert.equal(countAsciiTokens(text), estimateByScript(text), JSON.stringify(text));
    }),
    { numRuns: 5_000 },
  );
});

test('it gives no result for a text with any other character', () => {
  for (const other of ['é', '\u0080', '’', '漢', '😀', '\u00a0']) {
    for (const text of [other, `word${other}`, `word ${other}`, `${other} word`, `word.${other}`]) {
      assert.equal(countAsciiTokens(text), undefined, JSON.stringify(text));
    }
  }
});
