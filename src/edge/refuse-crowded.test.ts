import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../core/errors.ts';
import { refuseCrowded } from '../http/request.ts';

function isRefused(text: string): boolean {
  try {
    refuseCrowded(Buffer.from(text));
    return false;
  } catch (error) {
    assert.ok(error instanceof HeadgateError && error.code === 'payload_too_large');
    return true;
  }
}

const million = 1_000_000;

test('a million values pass, one more does not, whatever they are', () => {
  const lists = (count: number) => `[${'1,'.repeat(count - 1)}1]`;
  const objects = (count: number) => `[${'{},'.repeat((count - 2) / 2)}{}]`;
  const nested = (count: number) => '['.repeat(count) + ']'.repeat(count);
  const members = (count: number) => `{${'"a":1,'.repeat(count - 1)}"a":1}`;
  for (const make of [lists, objects, nested, members]) {
    assert.equal(isRefused(make(million)), false, make.name);
    assert.equal(isRefused(make(million + 2)), true, make.name);
  }
});

test('what stands in texts is not counted, however they are written', () => {
  for (const text of ['[{,', '"[,', '\\"[,', '\\', '\\\\"', '漢,字[']) {
    const many = JSON.stringify({ input: text.repeat(million) });
    assert.equal(isRefused(many), false, text);
    assert.equal(isRefused(`[${many},${'[],'.repeat(million / 2)}1]`), true, text);
  }
});

test('what is no JSON is looked at once', () => {
  assert.equal(isRefused(`"${'\\'.repeat(2 * million)}`), false);
  assert.equal(isRefused('"'.repeat(2 * million)), false);
});
