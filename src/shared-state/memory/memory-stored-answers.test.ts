import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnswerPiece, Claim } from '../../ports/stored-answers.ts';
import { MemoryStoredAnswers } from './memory-stored-answers.ts';

const body = (text: string): AnswerPiece => ({ kind: 'body', text });

function firstOf(claim: Claim) {
  assert.ok(claim.outcome === 'first');
  return claim;
}

async function textOf(answer: AsyncIterable<AnswerPiece>): Promise<string> {
  let text = '';
  for await (const piece of answer) if (piece.kind === 'body') text += piece.text;
  return text;
}

test('readers at any moment read the whole answer', async () => {
  const answers = new MemoryStoredAnswers({ now: () => 0 }, { lifetime: 10, capacity: 100 });
  const { recorder, answer } = firstOf(await answers.claim('k', 'f'));
  const early = textOf(answer);
  recorder.write(body('one '));
  const joined = await answers.claim('k', 'f');
  assert.ok(joined.outcome === 'known');
  const late = textOf(joined.answer);
  recorder.write(body('two'));
  recorder.end(false);
  assert.deepEqual(await Promise.all([early, late]), ['one two', 'one two']);
  assert.equal((await answers.claim('k', 'f')).outcome, 'first', 'not kept');
});

test('a kept answer lasts its lifetime; another fingerprint is a conflict all the while', async () => {
  let now = 0;
  const answers = new MemoryStoredAnswers({ now: () => now }, { lifetime: 10, capacity: 100 });
  const { recorder } = firstOf(await answers.claim('k', 'f'));
  assert.equal((await answers.claim('k', 'g')).outcome, 'conflict');
  recorder.write(body('said'));
  recorder.end(true);
  now = 9;
  assert.equal((await answers.claim('k', 'g')).outcome, 'conflict');
  assert.equal((await answers.claim('k', 'f')).outcome, 'known');
  now = 10;
  assert.equal((await answers.claim('k', 'g')).outcome, 'first');
});

test('the oldest answers make room, running ones stay', async () => {
  const answers = new MemoryStoredAnswers({ now: () => 0 }, { lifetime: 10, capacity: 10 });
  const running = firstOf(await answers.claim('running', 'f'));
  running.recorder.write(body('x'.repeat(50)));
  for (const key of ['a', 'b', 'c']) {
    const { recorder } = firstOf(await answers.claim(key, 'f'));
    recorder.write(body('1234'));
    recorder.end(true);
  }
  const outcome = async (key: string) => (await answers.claim(key, 'other')).outcome;
  assert.equal(await outcome('running'), 'conflict');
  assert.equal(await outcome('c'), 'conflict');
  assert.equal(await outcome('b'), 'conflict');
  assert.equal(await outcome('a'), 'first');
  const { recorder } = firstOf(await answers.claim('huge', 'f'));
  recorder.write(body('x'.repeat(11)));
  recorder.end(true);
  assert.equal(await outcome('huge'), 'first', 'larger than everything that may be kept');
});
