import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceLines } from '../../dashboard/pages/models/price-lines.ts';
import type { Price } from '../../src/core/catalogue.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import { describePrice } from '../../src/management/models/show.ts';

const linesOf = (price: Price | undefined) =>
  priceLines(describePrice(price, Date.UTC(2026, 0, 1, 12))).map(({ name, text }) => `${name}: ${text}`);

test('prices that are not nothing are named with their unit, then what changes them', () => {
  const price: Price = {
    prompt: parsePricePerMillion(3),
    completion: parsePricePerMillion(15),
    cacheWrite: parsePricePerMillion(3.75),
    image: parsePricePerMillion(0),
    webSearch: parsePricePerUnit(0.01),
    request: parsePricePerUnit(0.0005),
    discountBasisPoints: 1500,
    overrides: [
      { minPromptTokens: 200_000, prompt: parsePricePerMillion(6), completion: parsePricePerMillion(22.5) },
      { utcStart: '1830', prompt: parsePricePerMillion(0) },
    ],
  };
  assert.deepEqual(linesOf(price), [
    'Input: $3.00 /M',
    'Output: $15.00 /M',
    'Written to a cache: $3.75 /M',
    'Each request: $0.0005 a request',
    'Web search: $0.01 a search',
    'More than 200,000 tokens of input: input $6.00 /M, output $22.50 /M',
    '18:30 to 24:00 UTC: input $0 /M',
    'Discount: 15% off',
  ]);
});

test('a price of nothing stands there for text alone, and one that nobody stated says so', () => {
  const nothing = parsePricePerMillion(0);
  assert.deepEqual(linesOf({ prompt: nothing, completion: nothing, cacheRead: nothing }), [
    'Input: $0 /M',
    'Output: $0 /M',
  ]);
  assert.deepEqual(linesOf(undefined), ['Input: not stated', 'Output: not stated']);
});
