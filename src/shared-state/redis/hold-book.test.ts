import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoFromInteger, zeroUsd } from '../../core/money.ts';
import { HoldBook } from './hold-book.ts';

test('what is left of the window of a settlement is whole milliseconds, and zero with it over', () => {
  let now = 1_000.25;
  const book = new HoldBook({ now: () => now });
  const id = { accountId: 'user_x', requestId: 'gen-x' };
  const charge = nanoFromInteger(5n);
  book.unsettled(id, charge, 120_000);
  now += 999.5;
  assert.deepEqual(book.unconfirmed(), [{ id, charge, window: 119_001 }]);
  now += 120_000;
  assert.deepEqual(book.unconfirmed(), [{ id, charge: zeroUsd, window: 0 }]);
  book.paid(id);
  assert.deepEqual(book.unconfirmed(), []);
});
