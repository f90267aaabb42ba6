import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { AnswerPiece, Claim, StoredAnswers } from '../../src/ports/stored-answers.ts';
import { unique } from './fixtures.ts';

/** Bounds of what is kept: milliseconds, bytes. */
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
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const claims = await Promise.all(Array.from({ length: 50 }, () => answers.claim(key, 'f', 'account')));
    const first = claims.filter(({ outcome }) => outcome === 'first');
    assert.equal(first.length, 1);
    assert.equal(claims.filter(({ outcome }) => outcome === 'known').length, 49);
    for (const claim of first) firstOf(claim).recorder.end(false);
  });

  test('readers at any moment read the whole answer', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const { recorder, answer } = firstOf(await answers.claim(key, 'f', 'account'));
    const early = textOf(answer);
    recorder.write(body('one '));
    const late = textOf(knownOf(await answers.claim(key, 'f', 'account')));
    recorder.write(body('two'));
    recorder.end(false);
    assert.deepEqual(await Promise.all([early, late]), ['one two', 'one two']);
    const again = firstOf(await answers.claim(key, 'f', 'account'));
    again.recorder.end(false);
  });

  test('pieces of every kind come back as they were', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const pieces: AnswerPiece[] = [
      { kind: 'head', headers: { 'content-type': 'text/event-stream', 'x-generation-id': 'gen-1' } },
      body('data: {"delta":"Grüße 🌍\\n"}\n\n'),
      body(''),
      { kind: 'refusal', status: 503, headers: { 'retry-after': '3' }, body: '{"a":1}', inStream: 'data: x' },
    ];
    const { recorder } = firstOf(await answers.claim(key, 'f', 'account'));
    for (const piece of pieces) recorder.write(piece);
    recorder.end(true);
    const read: AnswerPiece[] = [];
    for await (const piece of knownOf(await answers.claim(key, 'f', 'account'))) read.push(piece);
    assert.deepEqual(read, pieces);
  });
}

function describeKeeping(open: OpenStoredAnswers): void {
  test('a kept answer lasts its lifetime; another fingerprint is a conflict all the while', async (t) => {
    const { answers, pass } = await open({ lifetime: 3_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const { recorder } = firstOf(await answers.claim(key, 'f', 'account'));
    assert.equal((await answers.claim(key, 'g', 'account')).outcome, 'conflict');
    recorder.write(body('said'));
    recorder.end(true);
    assert.equal((await answers.claim(key, 'g', 'account')).outcome, 'conflict');
    assert.equal(await textOf(knownOf(await answers.claim(key, 'f', 'account'))), 'said');
    await pass(3_000);
    firstOf(await answers.claim(key, 'g', 'account')).recorder.end(false);
  });

  test('another account that stores more than there is room for pushes out nothing: a retry reads its answer', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const { make, outcome } = storing(answers);
    (await make('mine', 1_000, 'me')).end(true);
    for (let count = 0; count < 40; count += 1) (await make(`other ${count}`, 100_000, 'other')).end(true);
    assert.equal(await outcome('mine', 'me'), 'known');
    assert.equal(await outcome('other 39', 'other'), 'known', 'what is left is theirs');
  });

  test('an account that takes too much gives up its largest answers, and none is made a second time', async (t) => {
    const { answers, pass } = await open({ lifetime: 3_000, capacity: 1_000_000 }, t);
    const { make, outcome, key } = storing(answers);
    (await make('small', 1_000, 'a')).end(true);
    (await make('large', 600_000, 'a')).end(true);
    for (const name of ['b', 'c', 'd', 'e', 'f']) (await make(name, 90_000, 'a')).end(true);
    assert.deepEqual(
      [await outcome('small', 'a'), await outcome('large', 'a'), await outcome('f', 'a')],
      ['known', 'gone', 'known'],
    );
    assert.equal((await answers.claim(key('large'), 'g', 'a')).outcome, 'conflict');
    await pass(3_000);
    assert.equal(await outcome('large', 'a'), 'first');
  });

  test('every account has an equal share when all want more', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const { make, outcome } = storing(answers);
    for (let count = 0; count < 8; count += 1) (await make(`a${count}`, 110_000, 'a')).end(true);
    for (let count = 0; count < 4; count += 1) (await make(`b${count}`, 110_000, 'b')).end(true);
    const keptOf = async (account: string, most: number) => {
      const outcomes = [];
      for (let count = 0; count < most; count += 1)
        outcomes.push(await outcome(`${account}${count}`, account));
      return outcomes.filter((one) => one === 'known').length;
    };
    assert.equal(await keptOf('b', 4), 4);
    const left = await keptOf('a', 8);
    assert.ok(left >= 4 && left <= 5, `${left} of the account that had all`);
  });

  test('a running answer that takes too much is kept no more, is not made again, and is read to its end', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const [long, short] = [unique('k'), unique('k')];
    const first = firstOf(await answers.claim(long, 'f', 'a'));
    const second = firstOf(await answers.claim(short, 'f', 'b'));
    const read = textOf(first.answer);
    assert.equal(first.recorder.write(body('1'.repeat(900_000))), true);
    await new Promise(setImmediate);
    assert.equal(second.recorder.write(body('2'.repeat(200_000))), true);
    assert.equal((await answers.claim(long, 'f', 'a')).outcome, 'gone');
    assert.equal((await answers.claim(short, 'f', 'b')).outcome, 'known');
    assert.equal(await first.recorder.write(body('89')), true);
    first.recorder.end(true);
    second.recorder.end(true);
    assert.equal((await read).length, 900_002, 'who reads it already has it whole');
    assert.equal((await answers.claim(long, 'f', 'a')).outcome, 'gone', 'it was charged');
    assert.equal((await answers.claim(short, 'f', 'b')).outcome, 'known');
  });

  test('a running answer that is kept no more and fails frees its key', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const { recorder, answer } = firstOf(await answers.claim(key, 'f', 'a'));
    const read = textOf(answer).catch(() => undefined);
    recorder.write(body('1'.repeat(600_000)));
    await new Promise(setImmediate);
    await recorder.write(body('2'.repeat(600_000)));
    assert.equal((await answers.claim(key, 'f', 'a')).outcome, 'gone');
    recorder.end(false);
    await read;
    firstOf(await answers.claim(key, 'f', 'a')).recorder.end(false);
  });

  test('running answers of one account leave room for those of another', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const claim = (account: string) => answers.claim(unique('k'), 'f', account);
    const running = [];
    for (let next = await claim('a'); next.outcome !== 'full'; next = await claim('a')) {
      running.push(firstOf(next).recorder);
      assert.ok(running.length < 200, 'there is a bound');
    }
    assert.ok(running.length > 5);
    running.push(firstOf(await claim('b')).recorder);
    running.pop()?.end(false);
    running.pop()?.end(false);
    await new Promise(setImmediate);
    running.push(firstOf(await claim('a')).recorder);
    for (const recorder of running) recorder.end(false);
  });

  test('what a reader does not take is broken off at last, and its maker stops', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const { recorder, answer } = firstOf(await answers.claim(key, 'f', 'a'));
    const reader = answer[Symbol.asyncIterator]();
    recorder.write(body('first'));
    await reader.next();
    recorder.write(body('1'.repeat(600_000)));
    assert.equal(await recorder.write(body('2'.repeat(600_000))), false);
    await assert.rejects(Promise.resolve(reader.next()), { code: 'service_unavailable' });
    recorder.end(false);
    assert.equal((await answers.claim(key, 'f', 'a')).outcome, 'gone', 'a part of it was charged');
  });

  test('many small pieces count with what keeps them', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const key = unique('k');
    const { recorder } = firstOf(await answers.claim(key, 'f', 'a'));
    for (let count = 0; count < 20_000; count += 1) void recorder.write(body('x'));
    assert.equal((await answers.claim(key, 'f', 'a')).outcome, 'gone');
    recorder.end(false);
  });

  test('the maker of an answer that is not kept waits for its reader, and stops when that has gone', async (t) => {
    const { answers } = await open({ lifetime: 60_000, capacity: 1_000_000 }, t);
    const { recorder, answer } = firstOf(await answers.claim(unique('k'), 'f', 'account'));
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

/** Ways to make answers under keys of their own and to look at them. */
function storing(answers: StoredAnswers) {
  const prefix = unique('k');
  const key = (name: string) => `${prefix}${name}`;
  const make = async (name: string, length: number, account: string) => {
    const { recorder } = firstOf(await answers.claim(key(name), 'f', account));
    recorder.write(body('x'.repeat(length)));
    return recorder;
  };
  /** What a retry meets. */
  const outcome = async (name: string, account: string) => {
    const claim = await answers.claim(key(name), 'f', account);
    if (claim.outcome === 'first') claim.recorder.end(false);
    return claim.outcome;
  };
  return { key, make, outcome };
}
