import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reportsRefusedSeal } from './refused-seal.ts';

test("refused seals are distinguished from other refusals, in any provider's wording", () => {
  for (const words of [
    'invalid_encrypted_content',
    'The encrypted content gAAA...yg== could not be verified. Reason: it could not be decrypted or parsed.',
    'messages.1.content.0: Invalid `signature` in `thinking` block',
    'messages.3.content.13: Invalid signature in thinking block',
    'Unable to submit request because Thought signature is not valid.',
    'Corrupted thought signature.',
    'Invalid thought_signature.',
  ])
    assert.ok(reportsRefusedSeal(words), words);
  for (const words of [
    '',
    'invalid_request_error',
    'Function call is missing a thought_signature in functionCall parts.',
    'The request signature we calculated does not match the signature you provided.',
    'The image could not be verified.',
  ])
    assert.ok(!reportsRefusedSeal(words), words);
});
