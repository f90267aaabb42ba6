import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStoredAnswers } from './memory-stored-answers.ts';

function begin(capacity: number, lifetime = 1_000) {
  const clock = { time: 0, now: () => clock.time };
  const answers = new MemoryStoredAnswers(clock, { lifetime, capacity });
  const make = async (key: string, length: number, keep = true) => {
    const claim = await answers.claim(key, 'f');
    assert.ok(claim.outcome === 'first', claim.outcome);
    claim.recorder.write({ kind: 'body', text: 'x'.repeat(length) });
    claim.recorder.end(keep);
  };
  const outcome = async (key: string) => {
    const claim = await answers.claim(key, 'other');
    if (claim.outcome === 'first') claim.recorder.end(false);
    return claim.outcome;
  };
  return { clock, make, outcome };
}

test('answers fill the capacity to its last character', async () => {
  const { make, outcome } = begin(10);
  await make('a', 4);
  await make('b', 6);
  assert.deepEqual([await outcome('a'), await outcome('b')], ['conflict', 'conflict']);
  await make('c', 1);
  assert.deepEqual([await outcome('a'), await outcome('b')], ['first', 'conflict']);
  await make('whole', 10);
  assert.deepEqual([await outcome('b'), await outcome('whole')], ['first', 'conflict']);
  await make('more', 11);
  // While it ran it needed the room of the others; then it was too long to be kept.
  assert.deepEqual([await outcome('whole'), await outcome('more')], ['first', 'first']);
});

test('what has lapsed or is not kept gives its room back', async () => {
  const { clock, make, outcome } = begin(10);
  for (let times = 0; times < 5; times += 1) await make('not kept', 10, false);
  for (let times = 0; times < 5; times += 1) {
    await make('a', 5);
    await make('b', 5);
    clock.time += 999;
    assert.deepEqual([await outcome('a'), await outcome('b')], ['conflict', 'conflict']);
    clock.time += 1;
    assert.deepEqual([await outcome('a'), await outcome('b')], ['first', 'first']);
  }
});
