import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArrivedChunks } from './http-stream.ts';

test('chunks come out in their order, divided where more wait than are wanted', () => {
  const chunks = new ArrivedChunks();
  const take = (most: number) => chunks.take(most).map(String);
  for (const text of ['abc', 'd', 'efgh']) chunks.push(Buffer.from(text));
  assert.equal(chunks.bytes, 8);
  assert.deepEqual(take(2), ['ab']);
  assert.deepEqual(take(3), ['c', 'd', 'e']);
  assert.equal(chunks.bytes, 3);
  assert.deepEqual(take(3), ['fgh']);
  assert.deepEqual(take(10), []);
  chunks.push(Buffer.from('i'));
  assert.deepEqual(take(Number.POSITIVE_INFINITY), ['i']);
});
