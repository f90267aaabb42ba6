import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saysContextOverflow } from './context-overflow.ts';

test('the usual ways to say that a prompt is too long are understood', () => {
  for (const words of [
    'prompt is too long: 214345 tokens > 200000 maximum',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    'Your input exceeds the context window of this model. Please adjust your input and try again.',
    'the request exceeds the available context size, try increasing it',
    'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
    'context_length_exceeded',
    'exceed_context_size_error',
    'Input is too long for requested model.',
  ]) {
    assert.equal(saysContextOverflow(words), true, words);
  }
});

test('other refusals are not taken for it', () => {
  for (const words of [
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    'messages: text content blocks must be non-empty',
    'Invalid value for input[0].content',
    'reasoning.context must be one of auto, all_turns',
    '',
  ]) {
    assert.equal(saysContextOverflow(words), false, words);
  }
});
