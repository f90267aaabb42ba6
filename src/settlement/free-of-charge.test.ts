import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { Price } from '../core/catalogue.ts';
import type { PicoUsd } from '../core/money.ts';
import { isFreeEverywhere, isFreeOfCharge } from './cost.ts';

const zero = 0n as PicoUsd;
const one = 1n as PicoUsd;

function isFree(price: Price | undefined, id = 'acme/atlas-4'): boolean {
  const model = modelOf(id, [providerOf({ slug: 'north' })], { price });
  const [endpoint] = model.endpoints;
  assert.ok(endpoint);
  assert.equal(isFreeEverywhere(model), isFreeOfCharge(model, endpoint));
  return isFreeOfCharge(model, endpoint);
}

test('free is what is called so, or costs nothing whatever happens', () => {
  assert.ok(isFree({ prompt: zero, completion: zero }));
  assert.ok(isFree({ prompt: zero, completion: zero, request: zero, webSearch: zero, overrides: [] }));
  assert.ok(isFree({ prompt: one, completion: one }, 'acme/atlas-4:free'));
});

test('one price of a millionth of a millionth, of anything or under any condition, is not free; nor is an unknown one', () => {
  assert.ok(!isFree(undefined));
  for (const price of [
    { prompt: one, completion: zero },
    { prompt: zero, completion: one },
    { prompt: zero, completion: zero, request: one },
    { prompt: zero, completion: zero, webSearch: one },
    { prompt: zero, completion: zero, overrides: [{ minPromptTokens: 1000, prompt: one }] },
  ]) {
    assert.ok(!isFree(price), Object.keys(price).join());
  }
});
