import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Price } from '../core/catalogue.ts';
import { type PicoUsd, roundToNano } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import { costOfUsage } from './cost.ts';
import { costLines } from './cost-lines.ts';

const amount = fc.bigInt({ min: 0n, max: 10n ** 13n }).map((value) => value as PicoUsd);
const some = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const count = some(fc.nat(100_000));

const prices: fc.Arbitrary<Price> = fc
  .record({
    prompt: amount,
    completion: amount,
    reasoning: some(amount),
    cacheRead: some(amount),
    cacheWrite: some(amount),
    cacheWriteLong: some(amount),
    audioInput: some(amount),
    audioCacheRead: some(amount),
    audioOutput: some(amount),
    imageToken: some(amount),
    image: some(amount),
    imageOutput: some(amount),
    imageOutputToken: some(amount),
    webSearch: some(amount),
    request: some(amount),
  })
  .map((record) => JSON.parse(JSON.stringify(record, bigintText), readBigint) as Price);

const usages: fc.Arbitrary<Usage> = fc
  .record({
    uncachedInput: count,
    cacheRead: count,
    cacheWrite: count,
    cacheWriteLong: count,
    audioInput: count,
    audioCacheRead: count,
    imageInput: count,
    output: count,
    reasoning: count,
    imageOutput: count,
    audioOutput: count,
    webSearches: count,
  })
  .map((record) => JSON.parse(JSON.stringify(record)) as Usage);

function bigintText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}

function readBigint(_: string, value: unknown): unknown {
  return typeof value === 'string' ? BigInt(value.slice(0, -1)) : value;
}

test('the lines of any call add up to its cost', () => {
  fc.assert(
    fc.property(usages, prices, fc.nat(9), fc.nat(9), (usage, price, input, output) => {
      const pictures = { input, output };
      const sum = costLines(usage, price, pictures).reduce(
        (total, line) => total + BigInt(line.count) * line.price,
        0n,
      );
      assert.equal(roundToNano(sum), costOfUsage(usage, price, pictures).total);
    }),
  );
});
