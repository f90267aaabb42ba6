import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { totalInput, type Usage } from '../../core/usage.ts';
import { readTier, readUsage } from './gemini-decoder.ts';

/** The result in JSON form: without undefined members. */
function told(counts: Parameters<typeof readUsage>[0], searches?: number): Usage | undefined {
  const usage = readUsage(counts, searches);
  return usage && JSON.parse(JSON.stringify(usage));
}

test('what was not reported stays absent', () => {
  assert.equal(told({}), undefined);
  assert.deepEqual(told({ promptTokenCount: 5 }), { uncachedInput: 5 });
  assert.deepEqual(told({ promptTokenCount: 5, thoughtsTokenCount: 3 }), {
    uncachedInput: 5,
    output: 3,
    reasoning: 3,
  });
  assert.deepEqual(told({ promptTokenCount: 5, totalTokenCount: 5 }), { uncachedInput: 5, output: 0 });
});

test('classes are disjoint: caches, sound, pictures, what tools brought in', () => {
  const counts = {
    promptTokenCount: 100,
    promptTokensDetails: [
      { modality: 'TEXT' as const, tokenCount: 50 },
      { modality: 'AUDIO' as const, tokenCount: 30 },
      { modality: 'IMAGE' as const, tokenCount: 20 },
    ],
    cachedContentTokenCount: 40,
    cacheTokensDetails: [
      { modality: 'TEXT' as const, tokenCount: 25 },
      { modality: 'AUDIO' as const, tokenCount: 10 },
      { modality: 'IMAGE' as const, tokenCount: 5 },
    ],
    toolUsePromptTokenCount: 12,
    candidatesTokenCount: 9,
    candidatesTokensDetails: [{ modality: 'IMAGE' as const, tokenCount: 4 }],
    thoughtsTokenCount: 6,
    totalTokenCount: 127,
  };
  assert.deepEqual(told(counts, 2), {
    uncachedInput: 100 + 12 - 40 - 20,
    cacheRead: 30,
    audioInput: 20,
    audioCacheRead: 10,
    imageInput: 15,
    output: 15,
    reasoning: 6,
    imageOutput: 4,
    webSearches: 2,
  });
});

test('cached tokens are charged once, even where cached audio is not reported, or reported alone', () => {
  const sound = {
    promptTokenCount: 1000,
    promptTokensDetails: [{ modality: 'AUDIO' as const, tokenCount: 900 }],
  };
  assert.deepEqual(told({ ...sound, cachedContentTokenCount: 800 }), {
    uncachedInput: 0,
    cacheRead: 800,
    audioInput: 200,
  });
  const cacheTokensDetails = [{ modality: 'AUDIO' as const, tokenCount: 850 }];
  assert.deepEqual(told({ ...sound, cacheTokensDetails }), {
    uncachedInput: 100,
    cacheRead: 0,
    audioInput: 50,
    audioCacheRead: 850,
  });
});

test('the classes add up to what the provider counted', () => {
  const part = fc.nat(10_000);
  fc.assert(
    fc.property(
      fc.record({ text: part, audio: part, cachedText: part, cachedAudio: part, tools: part }),
      (made) => {
        const cached = made.cachedText + made.cachedAudio;
        const usage = readUsage({
          promptTokenCount: made.text + made.audio + cached,
          promptTokensDetails: [{ modality: 'AUDIO', tokenCount: made.audio + made.cachedAudio }],
          cachedContentTokenCount: cached,
          cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: made.cachedAudio }],
          toolUsePromptTokenCount: made.tools,
        });
        assert.equal(usage?.uncachedInput, made.text + made.tools);
        assert.equal(usage?.audioInput, made.audio);
        assert.equal(totalInput(usage ?? {}), made.text + made.audio + cached + made.tools);
      },
    ),
  );
});

test('contradictory or invalid counts never make a negative or broken class', () => {
  const count = fc.oneof(fc.nat(50), fc.constant(undefined), fc.constant(null), fc.integer(), fc.double());
  const details = fc.array(
    fc.record({ modality: fc.constantFrom('AUDIO', 'IMAGE', 'TEXT'), tokenCount: count }),
  );
  const counts = fc.record({
    promptTokenCount: count,
    promptTokensDetails: fc.option(details),
    cachedContentTokenCount: count,
    cacheTokensDetails: fc.option(details),
    toolUsePromptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: count,
    totalTokenCount: count,
  });
  fc.assert(
    fc.property(counts, (made) => {
      for (const value of Object.values(readUsage(made) ?? {})) {
        assert.ok(value === undefined || (Number.isSafeInteger(value) && value >= 0));
      }
    }),
  );
});

test('the tier in either spelling', () => {
  assert.equal(readTier({ serviceTier: 'standard' }), 'default');
  assert.equal(readTier({ serviceTier: 'flex' }), 'flex');
  assert.equal(readTier({ serviceTier: 'unspecified' }), undefined);
  assert.equal(readTier({ trafficType: 'ON_DEMAND_PRIORITY' }), 'priority');
  assert.equal(readTier({ trafficType: 'PROVISIONED_THROUGHPUT' }), 'default');
  assert.equal(readTier({}), undefined);
});

test('details that are no list, or a list of nothing, hide no count', () => {
  for (const details of [5, 'AUDIO', {}, [null], [undefined, { modality: 'AUDIO', tokenCount: '7' }]]) {
    const counts = {
      promptTokenCount: 9,
      candidatesTokenCount: 2,
      promptTokensDetails: details,
      cacheTokensDetails: details,
      candidatesTokensDetails: details,
    };
    assert.deepEqual(told(counts as Parameters<typeof readUsage>[0]), { uncachedInput: 9, output: 2 });
  }
});
