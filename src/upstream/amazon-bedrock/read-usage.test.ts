import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { totalInput } from '../../core/usage.ts';
import { readTier, readUsage } from './converse-decoder.ts';

const count = fc.option(fc.nat(1_000_000), { nil: undefined });

test('classes are disjoint, add up to the whole input, and stay absent where unreported', () => {
  fc.assert(
    fc.property(count, count, count, count, count, (input, read, short, long, output) => {
      const written = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
      const usage =
        readUsage({
          inputTokens: input,
          outputTokens: output,
          cacheReadInputTokens: read,
          cacheWriteInputTokens: written,
          cacheDetails: [
            { ttl: '1h', inputTokens: long },
            { ttl: '5m', inputTokens: short },
          ],
        }) ?? {};
      const parts = [input, read, written].filter((part) => part !== undefined);
      assert.equal(
        totalInput(usage),
        parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0),
      );
      assert.equal(usage.cacheWriteLong, long);
      assert.equal(usage.output, output);
    }),
  );
});

test('a tier that nobody can request counts as unreported', () => {
  assert.equal(readTier('reserved'), undefined);
  assert.equal(readTier('flex'), 'flex');
});

test('details that are no list, or a list of nothing, hide no count', () => {
  for (const cacheDetails of [5, '1h', {}, [null], [{ ttl: '1h', inputTokens: '7' }]]) {
    const counts = { inputTokens: 9, outputTokens: 2, cacheWriteInputTokens: 3, cacheDetails };
    const usage = readUsage(counts as Parameters<typeof readUsage>[0]);
    assert.deepEqual([usage?.uncachedInput, usage?.cacheWrite, usage?.output], [9, 3, 2]);
  }
});
