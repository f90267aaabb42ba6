import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryCachedAnswers } from './memory-cached-answers.ts';

const limits = { entry: 10, total: 25 };
const answer = (length: number, expiresAt = 1_000) => ({
  sealed: 'x'.repeat(length),
  storedAt: 0,
  expiresAt,
});

test('answers expire, and what was read longest ago makes room', async () => {
  let now = 0;
  const answers = new MemoryCachedAnswers({ now: () => now }, limits);
  await answers.keep('one', answer(10));
  await answers.keep('two', answer(10));
  await answers.find('one');
  await answers.keep('three', answer(10));
  assert.equal(answers.size, 20);
  assert.equal(await answers.find('two'), undefined);
  assert.ok(await answers.find('one'));
  await answers.keep('long', answer(11));
  assert.equal(await answers.find('long'), undefined);
  await answers.keep('three', answer(5));
  assert.equal(answers.size, 15);
  now = 1_000;
  assert.equal(await answers.find('one'), undefined);
  assert.equal(await answers.find('three'), undefined);
  assert.equal(answers.size, 0);
});

test('whatever is kept, the sum stays within its bound', async () => {
  const answers = new MemoryCachedAnswers({ now: () => 0 }, limits);
  for (let index = 0; index < 1_000; index += 1) {
    await answers.keep(`key ${index % 37}`, answer(index % 14));
    assert.ok(answers.size <= limits.total);
  }
});
