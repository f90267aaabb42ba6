import assert from 'node:assert/strict';
import { test } from 'node:test';
import { camelCased } from './camel-case.ts';
import { Secret } from './secret.ts';

test('sections get the names of the program, on every level; values stay as they are', () => {
  const key = new Secret('x');
  const list = [{ left_alone: 1 }];
  assert.deepEqual(
    camelCased({ per_day_after_purchase: 1, in_flight: { ceiling_usd: 2n, api_key: key }, list }),
    {
      perDayAfterPurchase: 1,
      inFlight: { ceiling: 2n, apiKey: key },
      list,
    },
  );
});
