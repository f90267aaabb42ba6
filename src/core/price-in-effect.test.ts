import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Price, PriceOverride } from './catalogue.ts';
import { parsePricePerMillion } from './money.ts';
import { priceInEffect } from './price-in-effect.ts';

const usd = parsePricePerMillion;
const plain: Price = { prompt: usd(1), completion: usd(2) };
const at = (hours: number, minutes = 0) => Date.UTC(2026, 10, 18, hours, minutes);

/** The price of a prompt token, in USD per million: 9 with the override, 1 without. */
function prompt(override: Omit<PriceOverride, 'prompt'>, tokens: number, moment: number): number {
  const price = { ...plain, overrides: [{ ...override, prompt: usd(9) }] };
  return Number(priceInEffect(price, tokens, moment).prompt) / 1e6;
}

test('a price without overrides is the price', () => {
  assert.equal(priceInEffect(plain, 1e9, at(0)), plain);
});

test('an override for long prompts begins above its count', () => {
  assert.equal(prompt({ minPromptTokens: 200_000 }, 200_000, at(0)), 1);
  assert.equal(prompt({ minPromptTokens: 200_000 }, 200_001, at(0)), 9);
});

test('an override by time begins with its first minute and ends before its last', () => {
  const day = { utcStart: '0830', utcEnd: '1630' };
  const times = [at(8, 29), at(8, 30), at(16, 29), at(16, 30)];
  assert.deepEqual(
    times.map((moment) => prompt(day, 0, moment)),
    [1, 9, 9, 1],
  );
  const night = { utcStart: '1630', utcEnd: '0030' };
  const around = [at(16, 29), at(16, 30), at(23, 59), at(0), at(0, 29), at(0, 30)];
  assert.deepEqual(
    around.map((moment) => prompt(night, 0, moment)),
    [1, 9, 9, 9, 9, 1],
  );
});

test('one that states only its begin or its end holds until, or from, midnight', () => {
  assert.deepEqual(
    [at(11, 59), at(12), at(23, 59), at(0)].map((moment) => prompt({ utcStart: '1200' }, 0, moment)),
    [1, 9, 9, 1],
  );
  assert.deepEqual(
    [at(0), at(11, 59), at(12)].map((moment) => prompt({ utcEnd: '1200' }, 0, moment)),
    [9, 9, 1],
  );
  assert.deepEqual(
    [at(0), at(12)].map((moment) => prompt({ utcStart: '1200', utcEnd: '1200' }, 0, moment)),
    [1, 1],
  );
});

test('both conditions must hold; later overrides win for each price they name', () => {
  const both = { minPromptTokens: 10, utcStart: '1200' };
  assert.deepEqual([prompt(both, 11, at(11)), prompt(both, 10, at(12)), prompt(both, 11, at(12))], [1, 1, 9]);
  const overrides = [
    { minPromptTokens: 1, prompt: usd(3), completion: usd(4) },
    { minPromptTokens: 2, prompt: usd(5) },
    { minPromptTokens: 100, prompt: usd(7) },
  ];
  const { prompt: first, completion, ...rest } = priceInEffect({ ...plain, overrides }, 3, at(0));
  assert.deepEqual([first, completion], [usd(5), usd(4)]);
  assert.deepEqual(Object.keys(rest), ['overrides'], 'conditions are no prices');
});
