import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delta } from '../core/delta.ts';
import type { AnswerRoom } from '../ports/answer-room.ts';
import { AnswerLength } from './running-attempt.ts';

/** Counts the bytes that deltas keep. */
function counter() {
  let kept = 0;
  const room: AnswerRoom = {
    limit: 10_000_000,
    keep: (bytes) => {
      kept += bytes;
    },
    buffer: () => undefined,
  };
  return { length: new AnswerLength(room), kept: () => kept };
}

function bytesOf(...deltas: Delta[]): number {
  const { length, kept } = counter();
  length.add(deltas);
  return kept();
}

const large = 'x'.repeat(1_000_000);

test('texts, pictures, results, seals and citations count with what they hold', () => {
  const citation = { type: 'url_citation', url: 'u', title: 't', start_index: 0, end_index: 1 } as const;
  const deltas: Delta[] = [
    { kind: 'text', block: 0, text: large },
    { kind: 'partial_image', block: 0, index: 0, image: large },
    { kind: 'result', block: 0, fields: { outputs: [{ logs: large }] } },
    { kind: 'seal', block: 0, format: 'unknown', encrypted: large },
    { kind: 'annotation', block: 0, annotation: { ...citation, content: large } },
  ];
  for (const delta of deltas) {
    const bytes = bytesOf(delta);
    assert.ok(bytes >= large.length && bytes < large.length + 1_000, `${delta.kind} ${bytes}`);
  }
});

test('a token of a running text counts little, the beginning of an item as much as it takes', () => {
  const token: Delta = { kind: 'text', block: 0, text: 'token ' };
  assert.ok(bytesOf(...Array<Delta>(1_001).fill(token)) < 25_000);
  const call = (block: number): Delta => ({ kind: 'call', block, form: 'function', name: 'f' });
  assert.ok(bytesOf(call(0), call(1), call(2)) > 1_500);
  const turns = Array.from({ length: 100 }, (_, at): Delta => ({ ...token, block: at % 2 }));
  assert.ok(bytesOf(...turns) > 50_000, 'each begins an item of its own');
  const top = Array.from({ length: 20 }, () => ({ token: 'a', logprob: 0, bytes: [97] }));
  assert.ok(
    bytesOf({ ...token, logprobs: [{ token: 'a', logprob: 0, bytes: [97], top_logprobs: top }] }) > 1_300,
  );
});

test('counts and the end of an answer are not kept', () => {
  const usage: Delta = { kind: 'usage', usage: { output: 1 } };
  assert.equal(bytesOf(usage, { kind: 'tier', tier: 'flex' }, { kind: 'finish', reason: 'stop' }), 0);
});

test('what is kept until something visible comes counts, whatever it is', () => {
  const { length, kept } = counter();
  length.addPrelude([{ kind: 'usage', usage: { output: 1 } }, { kind: 'start' }]);
  assert.equal(kept(), 2_048);
});

test('results are measured however deep they are nested', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}"x"${']'.repeat(100_000)}`);
  assert.doesNotThrow(() => bytesOf({ kind: 'result', block: 0, fields: { outputs: deep } }));
});

test('an answer may be as long as the limit and no longer, and leaves its room when it is dropped', () => {
  const { length, kept } = counter();
  const text = (size: number): Delta => ({ kind: 'text', block: 0, text: 'x'.repeat(size) });
  length.add([text(10_000_000 - 512 - 16 - 1)]);
  length.add([text(1)]);
  assert.equal(kept(), 10_000_000);
  assert.throws(() => length.add([text(1)]), {
    code: 'provider_endless',
    message: 'The answer was cut off: the provider sent more than 10000000 bytes.',
  });
  length.drop();
  assert.equal(kept(), 0);
});
