import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPrice, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { readPrice } from './build-catalogue.ts';

const perMillion = parsePricePerMillion;

test('a discount is taken off tokens, pictures and requests, also in overrides, but not off searches', () => {
  const price = readPrice({
    input: perMillion(3),
    output: perMillion(15),
    request: parsePricePerUnit('0.01'),
    web_search: parsePricePerUnit('0.01'),
    discount: 0.25,
    overrides: [{ min_prompt_tokens: 200_000, input: perMillion(6) }],
  });
  assert.equal(formatPrice(price.prompt), '0.00000225');
  assert.equal(formatPrice(price.completion), '0.00001125');
  assert.equal(formatPrice(price.request ?? price.prompt), '0.0075');
  assert.equal(formatPrice(price.webSearch ?? price.prompt), '0.01');
  assert.deepEqual(price.overrides, [{ prompt: 4_500_000n, minPromptTokens: 200_000 }]);
  assert.equal(price.discountBasisPoints, 2500);
});

test('a price names only what was written', () => {
  assert.deepEqual(readPrice({ input: perMillion(1), output: perMillion(2) }), {
    prompt: 1_000_000n,
    completion: 2_000_000n,
  });
});
