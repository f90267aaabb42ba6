import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerReader } from './answer-reader.ts';
import { contentChunks, firstMark, lastMark, prepareAnswer } from './scripted-answers.ts';

const marks = { first: firstMark, last: lastMark };
const answer = prepareAnswer('short');
const stream = Buffer.concat(answer.writes);

/** Reads the bytes in pieces of one size; true when the answer ended with the last piece. */
function readInPieces(reader: AnswerReader, bytes: Buffer, size: number): boolean {
  reader.reset();
  for (let at = 0; at < bytes.length; at += size) {
    const ended = reader.read(bytes.subarray(at, at + size));
    if (ended) return at + size >= bytes.length;
  }
  return false;
}

test('a stream is read the same however its bytes are split', () => {
  const reader = new AnswerReader(marks, true);
  for (const size of [1, 2, 3, 7, 50, 333, 2000, stream.length]) {
    assert.equal(readInPieces(reader, stream, size), true);
    assert.equal(reader.complaint(), undefined);
    // Besides the content: role, finish reason, usage, end.
    assert.equal(reader.events, contentChunks.short + 4);
  }
});

test('an unstreamed answer is read the same however its bytes are split', () => {
  const reader = new AnswerReader(marks, false);
  for (const size of [1, 5, 64, answer.whole.length]) {
    assert.equal(readInPieces(reader, answer.whole, size), true);
    assert.equal(reader.complaint(), undefined);
  }
});

test('a stream without its end, its text or its status is complained about', () => {
  const reader = new AnswerReader(marks, true);
  const text = stream.toString('latin1');
  const spoilt = [
    ['data: [DONE]', 'data: [GONE]'],
    [lastMark, 'xxxxxxxx'],
    [firstMark, 'xxxxxxx'],
    ['200 OK', '502 No'],
  ] as const;
  for (const [good, bad] of spoilt) {
    const bytes = text.replace(good, bad);
    assert.equal(readInPieces(reader, Buffer.from(bytes), 100), true);
    assert.notEqual(reader.complaint(), undefined);
  }
});
