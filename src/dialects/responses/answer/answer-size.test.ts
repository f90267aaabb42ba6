import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delta } from '../../../core/delta.ts';
import { AnswerSize } from './answer-size.ts';

/** How often a delta is taken before the answer is too long. */
function taken(delta: Delta): number {
  const size = new AnswerSize();
  for (let count = 0; ; count++) {
    try {
      size.add(delta);
    } catch {
      return count;
    }
  }
}

test('texts, pictures, results and endless small things all end an answer', () => {
  const large = 'x'.repeat(16 * 1024 * 1024);
  assert.equal(taken({ kind: 'text', block: 0, text: large }), 7);
  assert.equal(taken({ kind: 'partial_image', block: 0, index: 0, image: large }), 7);
  assert.equal(taken({ kind: 'result', block: 0, fields: { outputs: [{ logs: large }] } }), 7);
  assert.equal(taken({ kind: 'seal', block: 0, format: 'unknown', encrypted: large }), 7);
  assert.equal(taken({ kind: 'call', block: 0, form: 'function', name: 'f' }), 2 * 1024 * 1024);
});

test('a million tokens are no end', () => {
  const size = new AnswerSize();
  for (let count = 0; count < 1_000_000; count++) size.add({ kind: 'text', block: 0, text: 'token ' });
});

test('results are measured however deep they are nested', () => {
  const deep: unknown = JSON.parse(`${'['.repeat(100_000)}"x"${']'.repeat(100_000)}`);
  assert.doesNotThrow(() => new AnswerSize().add({ kind: 'result', block: 0, fields: { outputs: deep } }));
});
