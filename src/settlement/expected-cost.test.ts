import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { parse } from '../../test/support/request-parsing.ts';
import type { Price } from '../core/catalogue.ts';
import { parsePricePerMillion, parsePricePerUnit, parseUsd } from '../core/money.ts';
import { expectedCost } from './held-limits.ts';
import { MeasuredPrompt } from './measured-prompt.ts';

const price: Price = {
  prompt: parsePricePerMillion(1_000),
  completion: parsePricePerMillion(1_000),
  cacheRead: parsePricePerMillion(100),
};
const picture = 'data:image/png;base64,iVBORw0KGgo=';
const searching = { tools: [{ type: 'web_search' }] };
const withPicture = {
  input: [{ role: 'user', content: [{ type: 'input_image', image_url: picture, detail: 'auto' }] }],
};

function costOf(body: object, change: Partial<Price> = {}, measured?: Parameters<typeof expectedCost>[3]) {
  const { canonical } = parse({ input: 'Hello', max_output_tokens: 100, ...body });
  const [endpoint] = modelOf('acme/atlas', [providerOf({ slug: 'north' })], {
    price: { ...price, ...change },
  }).endpoints;
  assert.ok(endpoint);
  const prompt = new MeasuredPrompt(canonical);
  const size = { maxOutputTokens: canonical.maxOutputTokens, outputTokensCap: 16_384, beganAt: 0 };
  return { cost: expectedCost(endpoint, prompt, size, measured), tokens: BigInt(prompt.tokens) };
}

/** 0.001 USD a token. */
const token = 1_000_000n;

test('without measurements all input is at the full price, and all output counts that is allowed', () => {
  const { cost, tokens } = costOf({});
  assert.equal(cost, (tokens + 100n) * token);
});

test('what was measured replaces both, and never exceeds what is allowed', () => {
  const { cost, tokens } = costOf({}, {}, { cachedShare: 1, output: 30, time: 1 });
  assert.equal(cost, (tokens * token) / 10n + 30n * token);
  assert.equal(costOf({}, {}, { cachedShare: 0, output: 900, time: 1 }).cost, (tokens + 100n) * token);
});

test('fees of the price list count: the request, pictures, one that is made, and a search where it may search', () => {
  const plain = costOf({}).cost;
  assert.equal(costOf({}, { request: parsePricePerUnit(1) }).cost - plain, parseUsd(1));
  assert.equal(costOf({}, { imageOutput: parsePricePerUnit(2) }).cost - plain, parseUsd(2));
  assert.equal(costOf({}, { webSearch: parsePricePerUnit(3) }).cost, plain, 'it offers no search');
  const search = costOf(searching).cost;
  assert.equal(costOf(searching, { webSearch: parsePricePerUnit(3) }).cost - search, parseUsd(3));
  const shown = costOf(withPicture).cost;
  assert.equal(costOf(withPicture, { image: parsePricePerUnit(4) }).cost - shown, parseUsd(4));
  assert.ok(shown - plain > 1_000n * token, 'its tokens count, too');
});
