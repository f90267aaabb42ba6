import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerPiece, Claim, StoredAnswers } from '../../src/ports/stored-answers.ts';
import { unique } from './fixtures.ts';

/** Bounds of what is kept: milliseconds, UTF-16 units. */
interface Limits {
  readonly lifetime: number;
  readonly capacity: number;
}

/** Makes a store with these bounds, and a way to let time pass; what it opens is closed when the test is over. */
export type OpenStoredAnswers = (
  limits: Limits,
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<{ readonly answers: StoredAnswers; readonly pass: (milliseconds: number) => Promise<void> }>;

/** A part of an answer's text. */
export const body = (text: string): AnswerPiece => ({ kind: 'body', text });

/** The claim of whoever is to make the answer. */
export function firstOf(claim: Claim) {
  assert.ok(claim.outcome === 'first', claim.outcome);
  return claim;
}

/** The answer of a key that is known. */
export function knownOf(claim: Claim): AsyncIterable<AnswerPiece> {
  assert.ok(claim.outcome === 'known', claim.outcome);
  return claim.answer;
}

/** All texts of an answer together. */
export async function textOf(answer: AsyncIterable<AnswerPiece>): Promise<string> {
  let text = '';
  for await (const piece of answer) if (piece.kind === 'body') text += piece.text;
  return text;
}

/** What every StoredAnswers must do. */
export function describeStoredAnswers(name: string, open: OpenStoredAnswers): void {
  describe(`stored answers: ${name}`, () => {
    describeReading(open);
    describeKeeping(open);
  });
}

function describeReading(open: OpenStoredAnswers): void {
  test('of many claims of a key at once one is the first', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 100 }, t);
    const key = unique('k');
    const claims = await Promise.all(Array.from({ length: 50 }, () => answers.claim(key, 'f')));
    const first = claims.filter(({ outcome }) => outcome === 'first');
    assert.equal(first.length, 1);
    assert.equal(claims.filter(({ outcome }) => outcome === 'known').length, 49);
    for (const claim of first) firstOf(claim).recorder.end(false);
  });

  test('readers at any moment read the whole answer', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 100 }, t);
    const key = unique('k');
    const { recorder, answer } = firstOf(await answers.claim(key, 'f'));
    const early = textOf(answer);
    recorder.write(body('one '));
    const late = textOf(knownOf(await answers.claim(key, 'f')));
    recorder.write(body('two'));
    recorder.end(false);
    assert.deepEqual(await Promise.all([early, late]), ['one two', 'one two']);
    const again = firstOf(await answers.claim(key, 'f'));
    again.recorder.end(false);
  });

  test('pieces of every kind come back as they were', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 100 }, t);
    const key = unique('k');
    const pieces: AnswerPiece[] = [
      { kind: 'head', headers: { 'content-type': 'text/event-stream', 'x-generation-id': 'gen-1' } },
      body('data: {"delta":"Grüße 🌍\\n"}\n\n'),
      body(''),
      { kind: 'refusal', status: 503, headers: { 'retry-after': '3' }, body: '{"a":1}', inStream: 'data: x' },
    ];
    const { recorder } = firstOf(await answers.claim(key, 'f'));
    for (const piece of pieces) recorder.write(piece);
    recorder.end(true);
    const read: AnswerPiece[] = [];
    for await (const piece of knownOf(await answers.claim(key, 'f'))) read.push(piece);
    assert.deepEqual(read, pieces);
  });
}

function describeKeeping(open: OpenStoredAnswers): void {
  test('a kept answer lasts its lifetime; another fingerprint is a conflict all the while', async (t) => {
    const { answers, pass } = await open({ lifetime: 3_000, capacity: 100 }, t);
    const key = unique('k');
    const { recorder } = firstOf(await answers.claim(key, 'f'));
    assert.equal((await answers.claim(key, 'g')).outcome, 'conflict');
    recorder.write(body('said'));
    recorder.end(true);
    assert.equal((await answers.claim(key, 'g')).outcome, 'conflict');
    assert.equal(await textOf(knownOf(await answers.claim(key, 'f'))), 'said');
    await pass(3_000);
    firstOf(await answers.claim(key, 'g')).recorder.end(false);
  });

  test('the oldest answers make room, running ones stay', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 10 }, t);
    const prefix = unique('k');
    const outcome = async (key: string) => (await answers.claim(`${prefix}${key}`, 'other')).outcome;
    const make = async (key: string, text: string) => {
      const { recorder } = firstOf(await answers.claim(`${prefix}${key}`, 'f'));
      recorder.write(body(text));
      return recorder;
    };
    const running = await make('running', 'xx');
    for (const key of ['a', 'b', 'c']) (await make(key, '1234')).end(true);
    assert.equal(await outcome('running'), 'conflict');
    assert.equal(await outcome('c'), 'conflict');
    assert.equal(await outcome('b'), 'conflict');
    assert.equal(await outcome('a'), 'first');
    running.end(false);
  });

  test('running answers count: when they take too much the longest are kept no more and others refused', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 10 }, t);
    const [long, short, other] = [unique('k'), unique('k'), unique('k')];
    const claim = async (key: string) => answers.claim(key, 'f');
    const first = firstOf(await claim(long));
    const second = firstOf(await claim(short));
    assert.equal(first.recorder.write(body('1234567')), true);
    assert.equal(second.recorder.write(body('1234')), true);
    assert.equal((await claim(long)).outcome, 'full', 'it cannot be read from its start any more');
    assert.equal((await claim(other)).outcome, 'full');
    assert.equal((await claim(short)).outcome, 'known');
    const read = textOf(first.answer);
    await new Promise(setImmediate);
    assert.equal(await first.recorder.write(body('89')), true);
    firstOf(await claim(other)).recorder.end(false);
    first.recorder.end(true);
    second.recorder.end(true);
    assert.equal(await read, '123456789', 'who reads it already has it whole');
    assert.equal((await claim(short)).outcome, 'known');
    firstOf(await claim(long)).recorder.end(false);
  });

  test('the maker of an answer that is not kept waits for its reader, and stops when that has gone', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const { recorder, answer } = firstOf(await answers.claim(unique('k'), 'f'));
    const reader = answer[Symbol.asyncIterator]();
    const large = body('x'.repeat(600_000));
    assert.equal(recorder.write(large), true);
    await reader.next();
    const waiting = Promise.resolve(recorder.write(large));
    let isWaiting = true;
    void waiting.then(() => {
      isWaiting = false;
    });
    await new Promise(setImmediate);
    assert.equal(isWaiting, true);
    await reader.next();
    assert.equal(await waiting, true);
    const last = Promise.resolve(recorder.write(large));
    await reader.return?.();
    assert.equal(await last, false);
    recorder.end(false);
  });
}
