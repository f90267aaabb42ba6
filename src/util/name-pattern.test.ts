import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitsNamePattern, readNamePattern } from './name-pattern.ts';

test('a pattern has one star, for any characters', () => {
  for (const [entry, name, fits] of [
    ['acme/atlas', 'acme/atlas', true],
    ['acme/atlas', 'acme/atlas-2', false],
    ['acme/*', 'acme/atlas', true],
    ['acme/*', 'acme', false],
    ['acme/*', 'other/acme/atlas', false],
    ['*:free', 'acme/atlas:free', true],
    ['acme/*-mini', 'acme/a-mini', true],
    ['acme/a*a', 'acme/a', false],
    ['*', 'anything', true],
  ] as const) {
    assert.equal(fitsNamePattern(entry, name), fits, `${entry} ${name}`);
  }
});

test('entries are read in lowercase; several stars, spaces, commas and nothing are refused', () => {
  assert.equal(readNamePattern(' Acme/* '), 'acme/*');
  for (const text of ['', ' ', 'a*b*', 'a b', 'a,b', 'x'.repeat(201)]) {
    assert.throws(() => readNamePattern(text), RangeError, text);
  }
});
