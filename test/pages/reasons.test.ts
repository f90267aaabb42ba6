import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOf } from '../../dashboard/text/reasons.ts';
import { orderReasons } from '../../src/core/order-reason.ts';

test('every reason for a place in a plan is a sentence, of the first endpoint and of those that follow', () => {
  for (const reason of orderReasons) {
    for (const index of [0, 1, 5]) assert.match(placeOf(reason, index), /^[A-Z].*\.$/, reason);
  }
  assert.equal(placeOf('a_new_one', 0), 'a new one', 'a newer server may know more');
});
