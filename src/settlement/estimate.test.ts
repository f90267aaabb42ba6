import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from '../../test/support/request-parsing.ts';
import { estimateInputTokens, inputTokensAtMost } from './measured-prompt.ts';

test('no estimate is above what the input can be at most', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 2_000 }),
    fc.string({ maxLength: 300 }),
    fc
      .constantFrom('深圳', '😀', '한국', 'a b ', '%', 'é')
      .chain((one) => fc.nat(900).map((n) => one.repeat(n))),
  );
  fc.assert(
    fc.property(text, fc.array(text, { minLength: 1, maxLength: 3 }), (instructions, texts) => {
      const { canonical } = parse({
        instructions,
        input: ['a', ...texts].map((content) => ({ role: 'user', content })),
      });
      assert.ok(estimateInputTokens(canonical) <= inputTokensAtMost(canonical));
    }),
  );
});
