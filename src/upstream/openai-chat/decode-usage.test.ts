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
    [{ prompt_tokens: 10, prompt_tokens_details: null }, { uncachedInput: 10 }],
    [
      { completion_tokens: 50, completion_tokens_details: { reasoning_tokens: 20 } },
      { output: 50, reasoning: 20 },
    ],
  ];
  for (const [usage, classes] of cases) assert.deepEqual(told(usage), classes, JSON.stringify(usage));
});

test('what was cached may be counted beside the prompt, and is when it is more than all of it', () => {
  // Grok's fast models, asked without reasoning.
  const grok = {
    prompt_tokens: 4142,
    completion_tokens: 182,
    total_tokens: 4324,
    prompt_tokens_details: { text_tokens: 4142, audio_tokens: 0, image_tokens: 0, cached_tokens: 4328 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0 },
  };
  const { uncachedInput, cacheRead, output } = told(grok);
  assert.deepEqual(
    { uncachedInput, cacheRead, output },
    { uncachedInput: 4142, cacheRead: 4328, output: 182 },
  );
  // The total agrees, and its remainder is not output.
  const added = { prompt_tokens: 14, completion_tokens: 100, total_tokens: 124, cached_tokens: 10 };
  assert.deepEqual(told(added), { uncachedInput: 14, cacheRead: 10, output: 100 });
});

test('cache counts in the form of another dialect', () => {
  // Claude at DigitalOcean: first written, for either lifetime, then read.
  const claude = { prompt_tokens: 14, completion_tokens: 100, total_tokens: 114 };
  const written = (ephemeral_5m_input_tokens: number, ephemeral_1h_input_tokens: number) => ({
    ...claude,
    cache_created_input_tokens: ephemeral_5m_input_tokens + ephemeral_1h_input_tokens,
    cache_creation: { ephemeral_5m_input_tokens, ephemeral_1h_input_tokens },
    cache_read_input_tokens: 0,
  });
  const both = { uncachedInput: 14, cacheRead: 0, output: 100 };
  assert.deepEqual(told(written(1043, 0)), { ...both, cacheWrite: 1043 });
  assert.deepEqual(told(written(43, 1000)), { ...both, cacheWrite: 43, cacheWriteLong: 1000 });
  const read = {
    ...claude,
    prompt_tokens: 4491,
    cache_read_input_tokens: 4483,
    cache_created_input_tokens: 0,
  };
  assert.deepEqual(told(read), { uncachedInput: 8, cacheRead: 4483, cacheWrite: 0, output: 100 });
  // A proxy that puts one spelling beside the other.
  const proxied = {
    prompt_tokens: 2010,
    completion_tokens: 5,
    total_tokens: 2015,
    prompt_tokens_details: { cached_tokens: 1500, cache_creation_tokens: 500 },
    cache_read_input_tokens: 1500,
    cache_creation_input_tokens: 500,
  };
  assert.deepEqual(told(proxied), { uncachedInput: 10, cacheRead: 1500, cacheWrite: 500, output: 5 });
});

test('picture tokens of the prompt are reported separately', () => {
  const details = { text_tokens: 20, image_tokens: 1250 };
  const usage = { prompt_tokens: 1270, completion_tokens: 3, prompt_tokens_details: details };
  assert.deepEqual(told(usage), { uncachedInput: 1270, imageInput: 1250, output: 3 });
});

test('sound that was read from a cache is among both counts, and is charged once', () => {
  const details = { cached_tokens: 800, audio_tokens: 900 };
  const usage = { prompt_tokens: 1000, completion_tokens: 5, prompt_tokens_details: details };
  assert.deepEqual(told(usage), { uncachedInput: 0, cacheRead: 800, audioInput: 200, output: 5 });
});

test('thoughts that are counted nowhere but in the total are output', () => {
  // Gemini, through its interface for clients of this dialect.
  const gemini = { prompt_tokens: 20, completion_tokens: 424, total_tokens: 1016 };
  assert.deepEqual(told(gemini), { uncachedInput: 20, output: 996 });
  const cached = {
    ...gemini,
    prompt_tokens: 1,
    total_tokens: 525,
    prompt_tokens_details: { cached_tokens: 100 },
  };
  assert.deepEqual(told(cached), { uncachedInput: 1, cacheRead: 100, output: 424 });
});

test('a total that leaves more than the endpoint can write is ignored', () => {
  const absurd = { prompt_tokens: 20, completion_tokens: 424, total_tokens: 900_000_000 };
  assert.deepEqual(told(absurd), { uncachedInput: 20, output: 424 });
  const usage = { prompt_tokens: 20, completion_tokens: 424, total_tokens: 9000 };
  assert.equal(decodeUsage(usage, { maxOutput: 8192 }).output, 424);
  assert.equal(decodeUsage(usage, { maxOutput: 8980 }).output, 8980);
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
