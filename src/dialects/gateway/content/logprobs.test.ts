import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';

const inputWith = (logprobs: unknown) => [
  { role: 'user', content: 'x' },
  { role: 'assistant', content: [{ type: 'output_text', text: 'é', annotations: [], logprobs }] },
];

test('log probabilities of a replayed text are kept, with bytes where a client left them out', () => {
  const kept = (logprobs: unknown): unknown => {
    const item = parse({ input: inputWith(logprobs) }).canonical.items[1];
    return item?.kind === 'message' && item.content[0]?.kind === 'text' ? item.content[0].logprobs : null;
  };
  const whole = { token: 'é', logprob: -0.5, bytes: [195, 169], top_logprobs: [] };
  const other = { token: 'e', logprob: -1, bytes: [101] };
  assert.deepEqual(kept([{ ...whole, top_logprobs: [other] }]), [{ ...whole, top_logprobs: [other] }]);
  assert.deepEqual(kept([{ token: 'é', logprob: -0.5, bytes: null }]), [whole]);
  assert.equal(kept([]), undefined);
  assert.equal(kept(null), undefined);
});

test('what is no log probability is refused', () => {
  assert.deepEqual(refusal({ input: inputWith([{ token: 'a' }]) }), [
    400,
    'input[1].content[0].logprobs[0].logprob: is required, expected a number',
  ]);
});
