import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoFromInteger, zeroUsd } from '../../core/money.ts';
import { LocalReservations } from './recovering-in-flight-budget.ts';

test('what is left of the window of a settlement is whole milliseconds, and zero with it over', () => {
  let now = 1_000.25;
  const book = new LocalReservations({ now: () => now });
  const id = { accountId: 'user_x', requestId: 'gen-x' };
  const charge = nanoFromInteger(5n);
  book.unsettled(id, charge, 120_000);
  now += 999.5;
  assert.deepEqual(book.unconfirmed(), [{ id, charge, shares: undefined, window: 119_001 }]);
  now += 120_000;
  assert.deepEqual(book.unconfirmed(), [{ id, charge: zeroUsd, shares: undefined, window: 0 }]);
  book.paid(id);
  assert.deepEqual(book.unconfirmed(), []);
});

test('what running requests hold of a limit is summed up until they end or lapse', () => {
  const clock = { time: 0, now: () => clock.time };
  const book = new LocalReservations(clock);
  const holdOf = (requestId: string, amount: number) => ({
    id: { accountId: 'user_x', requestId },
    amount: zeroUsd,
    shares: [{ id: 'limit', window: 0, amount: nanoFromInteger(amount) }],
  });
  book.held(holdOf('a', 3), 10);
  book.held(holdOf('b', 4), 10);
  book.held(holdOf('b', 2), 10);
  assert.equal(book.heldOf('user_x', 'limit'), 5n);
  assert.equal(book.heldOf('user_y', 'limit'), 0n);
  book.ended(holdOf('a', 3).id);
  book.ended(holdOf('a', 3).id);
  assert.equal(book.heldOf('user_x', 'limit'), 2n);
  clock.time = 10;
  book.renewed([], 10);
  assert.equal(book.heldOf('user_x', 'limit'), 0n);
});
