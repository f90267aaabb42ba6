import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { totalInput, type Usage } from '../../core/usage.ts';
import type { ChunkUsage } from './chunk.ts';
import { decodeUsage } from './decode-usage.ts';

function told(usage: ChunkUsage): Usage {
  return JSON.parse(JSON.stringify(decodeUsage(usage)));
}

test('classes are disjoint, and what is not reported is not there', () => {
  const cases: readonly (readonly [ChunkUsage, Usage])[] = [
    [{}, {}],
    [
      { prompt_tokens: 0, completion_tokens: 0 },
      { uncachedInput: 0, output: 0 },
    ],
    [
      {
        prompt_tokens: 100,
        prompt_tokens_details: { cached_tokens: 60, audio_tokens: 10, cache_write_tokens: 5 },
      },
      { uncachedInput: 25, cacheRead: 60, audioInput: 10, cacheWrite: 5 },
    ],
    [
      { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 0 } },
      { uncachedInput: 100, cacheRead: 0 },
    ],
    [
      { prompt_tokens: 100, prompt_cache_hit_tokens: 30 },
      { uncachedInput: 70, cacheRead: 30 },
    ],
    [
      { prompt_tokens: 10, prompt_tokens_details: { cached_tokens: 30 } },
      { uncachedInput: 0, cacheRead: 30 },
    ],
    [{ prompt_tokens: 10, prompt_tokens_details: null }, { uncachedInput: 10 }],
    [
      { completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 20 } },
      { output: 50, reasoning: 20 },
    ],
  ];
  for (const [usage, classes] of cases) assert.deepEqual(told(usage), classes, JSON.stringify(usage));
});

test('reasoning counted beside the completion is recognised by the total', () => {
  const details = { completion_tokens_details: { reasoning_tokens: 300 } };
  const beside = { prompt_tokens: 10, completion_tokens: 9, total_tokens: 319, ...details };
  assert.deepEqual(told(beside), { uncachedInput: 10, output: 309, reasoning: 300 });
  const inside = { prompt_tokens: 10, completion_tokens: 309, total_tokens: 319, ...details };
  assert.deepEqual(told(inside), { uncachedInput: 10, output: 309, reasoning: 300 });
});

test('the classes always add up to the prompt', () => {
  const share = fc.nat(1_000);
  fc.assert(
    fc.property(share, share, share, share, (rest, cached_tokens, cache_write_tokens, audio_tokens) => {
      const prompt_tokens = rest + cached_tokens + cache_write_tokens + audio_tokens;
      const details = { cached_tokens, cache_write_tokens, audio_tokens };
      assert.equal(totalInput(decodeUsage({ prompt_tokens, prompt_tokens_details: details })), prompt_tokens);
    }),
  );
});
