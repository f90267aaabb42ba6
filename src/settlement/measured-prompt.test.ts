import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../test/support/request-parsing.ts';
import { estimateInputTokens, inputMedia, inputTokensAtMost, MeasuredPrompt } from './measured-prompt.ts';

test('each figure is worked out when asked, and once however many ask', () => {
  const { canonical } = parse({ model: 'acme/atlas-4', input: 'Good day. '.repeat(200) });
  let looks = 0;
  const watched = {
    ...canonical,
    get items() {
      looks += 1;
      return canonical.items;
    },
  };
  const prompt = new MeasuredPrompt(watched);
  looks = 0;
  const expected = [
    ['tokens', estimateInputTokens(canonical)],
    ['atMost', inputTokensAtMost(canonical)],
    ['media', inputMedia(canonical)],
  ] as const;
  for (const [figure, value] of expected) {
    const before = looks;
    assert.deepEqual(prompt[figure], value);
    const once = looks;
    assert.ok(once > before);
    assert.deepEqual(prompt[figure], value);
    assert.equal(looks, once);
  }
});
