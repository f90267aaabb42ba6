import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRawKey, hashKey, keyLabel } from './api-key.ts';

test('a raw key is the prefix and 64 lowercase hex digits, never the same twice', () => {
  const keys = new Set(Array.from({ length: 200 }, createRawKey));
  assert.equal(keys.size, 200);
  for (const key of keys) assert.match(key, /^sk-hg-v1-[0-9a-f]{64}$/);
});

test('the hash is the SHA-256 of the whole raw text', () => {
  assert.equal(hashKey('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('a label shows prefix, three characters, dots and three characters', () => {
  assert.equal(keyLabel(`sk-hg-v1-abc${'0'.repeat(58)}def`), 'sk-hg-v1-abc...def');
  assert.equal(keyLabel('operator-chose-this-long-key-0123'), 'ope...123');
});

test('a short secret shows nothing of itself', () => {
  assert.equal(keyLabel('hunter2'), '...');
  assert.equal(keyLabel('sk-hg-v1-hunter2'), 'sk-hg-v1-...');
});
