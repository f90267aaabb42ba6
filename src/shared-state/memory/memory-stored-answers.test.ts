import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryStoredAnswers } from './memory-stored-answers.ts';

test('what has lapsed or is not kept gives its room back', async () => {
  const clock = { time: 0, now: () => clock.time };
  const answers = new MemoryStoredAnswers(clock, { lifetime: 1_000, capacity: 1_000_000 });
  const make = async (key: string, length: number, keep = true) => {
    const claim = await answers.claim(key, 'f', 'account');
    assert.ok(claim.outcome === 'first', claim.outcome);
    claim.recorder.write({ kind: 'body', text: 'x'.repeat(length) });
    claim.recorder.end(keep);
    await new Promise(setImmediate);
  };
  const outcome = async (key: string) => {
    const claim = await answers.claim(key, 'f', 'account');
    if (claim.outcome === 'first') claim.recorder.end(false);
    return claim.outcome;
  };
  for (let times = 0; times < 5; times += 1) await make('not kept', 900_000, false);
  for (let times = 0; times < 5; times += 1) {
    await make('a', 450_000);
    await make('b', 450_000);
    clock.time += 999;
    assert.deepEqual([await outcome('a'), await outcome('b')], ['known', 'known']);
    clock.time += 1;
    assert.deepEqual([await outcome('a'), await outcome('b')], ['first', 'first']);
  }
});
