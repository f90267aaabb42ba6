import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportsContextOverflow } from './context-overflow.ts';

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
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    'The decoder prompt (length 21535) is longer than the maximum model length of 16384.',
    'Requested generation length 1 is not possible! The provided prompt is 4309 tokens long, so generating 1 tokens ' +
      'requires a sequence length of 4310, but the maximum supported sequence length is just 4096!',
    'The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).',
    'prompt token count of 80000 exceeds the limit of 64000',
    'Input token length too long',
    'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
    'Total tokens of image and text exceed max message tokens. Request id: 0217',
    'Prompt exceeds max length',
    '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
    'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354.',
    'Please reduce the length of the messages or completion.',
    'Input validation error: `inputs` must have less than 1024 tokens. Given: 1244',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 4100',
    'max_tokens must be at least 1, got -5212.',
  ]) {
    assert.equal(reportsContextOverflow(words), true, words);
  }
});

test('other refusals are not taken for it', () => {
  for (const words of [
    'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens',
    'messages: text content blocks must be non-empty',
    'Invalid value for input[0].content',
    'max_tokens must be at least 1, got 0.',
    'Too many tokens, please wait before trying again.',
    'Rate limit reached for tokens per minute: Limit 6000, Requested 8000. Please reduce your message size.',
    'reasoning.context must be one of auto, all_turns',
    '',
  ]) {
    assert.equal(reportsContextOverflow(words), false, words);
  }
});
