import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Price } from '../core/catalogue.ts';
import {
  formatUsd,
  type PicoUsd,
  parsePricePerMillion,
  parsePricePerUnit,
  roundToNano,
} from '../core/money.ts';
import { priceInEffect } from '../core/price-in-effect.ts';
import { totalInput, type Usage } from '../core/usage.ts';
import { costOfUsage } from './cost.ts';

const perMillion = parsePricePerMillion;
const base: Price = {
  prompt: perMillion(3),
  completion: perMillion(15),
  cacheRead: perMillion('0.30'),
  cacheWrite: perMillion('3.75'),
};
const usd = (usage: Usage, price = base) => formatUsd(costOfUsage(usage, price).total);

test('the worked example of docs/spec/money.md#cost: cache read, cache write, reasoning inside output', () => {
  const usage = { uncachedInput: 1000, cacheRead: 10_000, cacheWrite: 1000, output: 800, reasoning: 300 };
  assert.equal(usd(usage), '0.02175');
});

test('the worked example of docs/spec/money.md#in-flight-budget: 15,000 cached', () => {
  assert.equal(usd({ uncachedInput: 5000, cacheRead: 15_000, output: 700 }), '0.03');
});

test('overrides by prompt size price the whole call, strictly above the bound', () => {
  const price: Price = {
    ...base,
    overrides: [{ minPromptTokens: 200_000, prompt: perMillion(5), completion: perMillion(20) }],
  };
  const cost = (input: number) => usd({ uncachedInput: input, output: 1000 }, priceInEffect(price, input, 0));
  assert.equal(cost(250_000), '1.27');
  assert.equal(cost(200_000), '0.615', 'exactly 200,000 pays the base price');
});

test('overrides by time of day are half open and may wrap midnight', () => {
  const price: Price = { ...base, overrides: [{ utcStart: '2200', utcEnd: '0630', prompt: perMillion(1) }] };
  const promptAt = (time: string) => priceInEffect(price, 1, Date.parse(`2026-11-18T${time}Z`)).prompt;
  assert.deepEqual(
    ['21:59:59', '22:00:00', '00:00:00', '06:29:59', '06:30:00'].map(
      (time) => promptAt(time) === perMillion(1),
    ),
    [false, true, true, true, false],
  );
});

test('an override with one end of its time of day holds from it, or until it, and not all day', () => {
  const held = (window: object) => {
    const overridden: Price = { ...base, overrides: [{ ...window, prompt: perMillion(1) }] };
    return ['00:00:00', '11:59:59', '12:00:00', '23:59:59'].map(
      (time) => priceInEffect(overridden, 1, Date.parse(`2026-11-18T${time}Z`)).prompt === perMillion(1),
    );
  };
  assert.deepEqual(held({ utcStart: '1200' }), [false, false, true, true]);
  assert.deepEqual(held({ utcEnd: '1200' }), [true, true, false, false]);
  assert.deepEqual(
    held({ utcStart: '1200', utcEnd: '1200' }),
    [false, false, false, false],
    'no time at all',
  );
});

test('a class without its own price pays the prompt price; reasoning only apart when it has one', () => {
  const plain: Price = { prompt: perMillion(2), completion: perMillion(4) };
  assert.equal(usd({ cacheRead: 10, cacheWrite: 10, cacheWriteLong: 10, audioInput: 10 }, plain), '0.00008');
  assert.equal(usd({ output: 10, reasoning: 4 }, { ...plain, reasoning: perMillion(1) }), '0.000028');
  assert.equal(usd({ output: 10, reasoning: 4 }, { ...plain, reasoning: 0n as PicoUsd }), '0.00004');
});

test('output that is audio is part of the output and has its own price, or none of its own', () => {
  const plain: Price = { prompt: perMillion(2), completion: perMillion(4) };
  const usage = { output: 10, audioOutput: 6, reasoning: 2 };
  assert.equal(usd(usage, { ...plain, audioOutput: perMillion(20) }), '0.000136');
  assert.equal(usd(usage, { ...plain, audioOutput: perMillion(20), reasoning: perMillion(1) }), '0.00013');
  assert.equal(usd(usage, plain), '0.00004');
});

test('a request price is due once', () => {
  assert.equal(usd({ output: 1 }, { ...base, request: parsePricePerUnit('0.01') }), '0.010015');
});

const count = fc.option(fc.nat(2_000_000), { nil: undefined });
const price = fc.bigInt({ min: 0n, max: 100_000_000n }) as fc.Arbitrary<PicoUsd>;
const ownPrice = fc.option(price, { nil: undefined });
const usages = fc.record({
  uncachedInput: count,
  imageInput: count,
  cacheRead: count,
  cacheWrite: count,
  cacheWriteLong: count,
  audioInput: count,
  audioCacheRead: count,
  output: count,
});
const allPrices = fc.record({
  prompt: price,
  completion: price,
  imageToken: ownPrice,
  cacheRead: ownPrice,
  cacheWrite: ownPrice,
  cacheWriteLong: ownPrice,
  audioInput: ownPrice,
  audioCacheRead: ownPrice,
});

test('a cost is the exact sum of its classes rounded once, whatever is reported', () => {
  fc.assert(
    fc.property(usages, allPrices, (usage, prices) => {
      const of = (value: number | undefined, each: bigint) => BigInt(value ?? 0) * each;
      const { prompt } = prices;
      const image = prices.imageToken ?? prompt;
      const audio = prices.audioInput ?? prompt;
      const pictures = Math.min(usage.imageInput ?? 0, usage.uncachedInput ?? 0);
      const input =
        of((usage.uncachedInput ?? 0) - pictures, prompt) +
        of(pictures, image) +
        of(usage.cacheRead, prices.cacheRead ?? prompt) +
        of(usage.cacheWrite, prices.cacheWrite ?? prompt) +
        of(usage.cacheWriteLong, prices.cacheWriteLong ?? prices.cacheWrite ?? prompt) +
        of(usage.audioInput, audio) +
        of(usage.audioCacheRead, prices.audioCacheRead ?? audio);
      const cost = costOfUsage(usage, prices);
      assert.equal(cost.input, roundToNano(input));
      assert.equal(cost.total, roundToNano(input + of(usage.output, prices.completion)));
      const { imageInput: _, output: __, ...inputs } = usage;
      const reported = Object.values(inputs).filter((value) => value !== undefined);
      assert.equal(
        totalInput(usage),
        reported.length === 0 ? undefined : reported.reduce((sum, value) => sum + value, 0),
      );
    }),
  );
});

test('the discount of a cache is what the same input costs where nothing is cached, less what it does cost', () => {
  fc.assert(
    fc.property(usages, allPrices, (usage, prices) => {
      const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, audioCacheRead = 0 } = usage;
      const uncachedInput = (usage.uncachedInput ?? 0) + cacheRead + cacheWrite + cacheWriteLong;
      const { imageInput } = usage;
      const plain = { uncachedInput, imageInput, audioInput: audioInput + audioCacheRead };
      const [cached, uncached] = [costOfUsage(usage, prices), costOfUsage(plain, prices)];
      const off = uncached.input - cached.input - cached.cacheDiscount;
      assert.ok(-1n <= off && off <= 1n, 'each is rounded on its own');
      assert.equal(uncached.cacheDiscount, 0n);
    }),
  );
});

test('a write for an hour without a price of its own costs what a write does, and without that what the prompt does', () => {
  const { cacheWrite: _, ...plain } = base;
  assert.equal(usd({ cacheWriteLong: 1_000_000 }), '3.75');
  assert.equal(usd({ cacheWriteLong: 1_000_000 }, { ...base, cacheWriteLong: perMillion(6) }), '6');
  assert.equal(usd({ cacheWriteLong: 1_000_000 }, plain), '3');
});

test('parts that are told larger than their whole cost no more than the whole', () => {
  const price = { ...base, reasoning: perMillion(20), imageToken: perMillion(1) };
  assert.equal(usd({ output: 1_000_000, reasoning: 5_000_000 }, price), '20');
  assert.equal(usd({ uncachedInput: 1_000_000, imageInput: 5_000_000 }, price), '1');
});
