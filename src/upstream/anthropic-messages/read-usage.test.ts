import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { totalInput } from '../../core/usage.ts';
import { mergeUsage, readUsage } from './messages-decoder.ts';

const count = fc.option(fc.nat(1_000_000), { nil: undefined });

test('classes are disjoint, add up to the whole input, and stay absent where unreported', () => {
  fc.assert(
    fc.property(count, count, count, count, count, count, (input, read, short, long, output, searches) => {
      const written = short === undefined && long === undefined ? undefined : (short ?? 0) + (long ?? 0);
      const atStart = {
        input_tokens: input,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
      };
      const atEnd = { output_tokens: output, server_tool_use: { web_search_requests: searches } };
      const usage = readUsage(mergeUsage(atStart, atEnd)) ?? {};
      const parts = [input, read, written].filter((part) => part !== undefined);
      assert.equal(
        totalInput(usage),
        parts.length === 0 ? undefined : parts.reduce((sum, part) => sum + part, 0),
      );
      assert.equal(usage.cacheWriteLong, long);
      assert.equal(usage.output, output);
      assert.equal(usage.webSearches, searches);
    }),
  );
});

test('invalid counts are unreported', () => {
  assert.equal(readUsage({ input_tokens: -1, output_tokens: null }), undefined);
});
