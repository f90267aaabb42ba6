import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  formatPrice,
  formatUsd,
  largestUsd,
  type NanoUsd,
  nanoFromInteger,
  nearestUsd,
  parsePricePerMillion,
  parsePricePerUnit,
  parseUsd,
  roundToNano,
  sumUsd,
  usdOrNull,
  usdToNumber,
} from './money.ts';

test('prices and amounts are read exactly', () => {
  assert.equal(parsePricePerMillion(0.15), 150_000n);
  assert.equal(parsePricePerMillion('0.000001'), 1n);
  assert.equal(parsePricePerUnit('0.01'), 10_000_000_000n);
  assert.equal(parseUsd(1e-9), 1n);
  assert.equal(parseUsd(1e21), 10n ** 30n);
  assert.equal(parseUsd(1.5e-8), 15n);
  assert.equal(parseUsd('-12.5'), -12_500_000_000n);
  assert.equal(parseUsd('0.10000000000000000000'), 100_000_000n, 'zeros at the end are no finer');
});

test('what is no decimal or too fine is refused by name', () => {
  for (const text of ['', '1,5', 'abc', '0x10', '1e5', '.5']) assert.throws(() => parseUsd(text), RangeError);
  assert.throws(() => parseUsd('0.0000000001'), /more than 9 digits/);
  assert.throws(() => parseUsd(Number.NaN), RangeError);
});

test('a sum is rounded half up once', () => {
  assert.equal(roundToNano(499n), 0n);
  assert.equal(roundToNano(500n), 1n);
  assert.equal(roundToNano(-500n), 0n);
  assert.equal(roundToNano(-501n), -1n);
  assert.equal(roundToNano(-1_500n), -1n);
  assert.equal(roundToNano(-1_501n), -2n);
  assert.equal(roundToNano(1_499n), 1n);
});

test('a computed number becomes the nearest amount; a displayed one becomes that amount again', () => {
  for (const [value, nano] of [
    [0.1 + 0.2, 300_000_000n],
    [20 / 3, 6_666_666_667n],
    [4.9e-10, 0n],
    [5e-10, 1n],
    [1e-300, 0n],
    [0.9999999996, 1_000_000_000n],
    [123_456_789.1, 123_456_789_100_000_000n],
    [1e21, 10n ** 30n],
  ] as const) {
    assert.equal(nearestUsd(value), nano, String(value));
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (amount) => {
      assert.equal(nearestUsd(usdToNumber(amount as NanoUsd)), amount);
    }),
  );
});

test('every amount survives being written and read', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), (amount) => {
      assert.equal(parseUsd(formatUsd(amount as NanoUsd)), amount);
    }),
  );
});

test('the number shown is the one its text is read as, however large', () => {
  const near = fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n });
  const far = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
  fc.assert(
    fc.property(fc.oneof(near, far), (amount) => {
      assert.equal(usdToNumber(amount as NanoUsd), Number(formatUsd(amount as NanoUsd)));
    }),
    { numRuns: 2000 },
  );
});

test('amounts are added with their signs; none is zero', () => {
  assert.equal(sumUsd(), 0n);
  assert.equal(sumUsd(...[5, -2, 4].map(nanoFromInteger)), 7n);
  assert.equal(largestUsd, 9_223_372_036_854_775_807n, 'what 64 bits hold');
});

test('an amount that is missing is shown as null, zero as zero', () => {
  assert.equal(usdOrNull(undefined), null);
  assert.equal(usdOrNull(null), null);
  assert.equal(usdOrNull(nanoFromInteger(0)), 0);
  assert.equal(usdOrNull(nanoFromInteger(1_500_000_000)), 1.5);
});

test('texts of prices and amounts are the shortest', () => {
  assert.equal(formatPrice(parsePricePerMillion('0.15')), '0.00000015');
  assert.equal(formatPrice(parsePricePerUnit(2)), '2');
  assert.equal(formatUsd(parseUsd('-0.5')), '-0.5');
  assert.equal(formatUsd(parseUsd('1')), '1');
  assert.equal(formatUsd(parseUsd('0')), '0');
});
