import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nanoFromInteger } from '../core/money.ts';
import type { Balance } from '../ports/ledger.ts';
import { AccountFunds } from './key-tally.ts';

const usd = nanoFromInteger;
const books = (purchased: number, spent: number): Balance => ({
  balance: usd(purchased - spent),
  purchasedTotal: usd(purchased),
  spentTotal: usd(spent),
});
const told = ({ balance, purchasedTotal, spentTotal }: Balance) => [balance, purchasedTotal, spentTotal];

test('what the books said before somebody bought credits does not undo it when it comes late', () => {
  const funds = new AccountFunds();
  funds.read(books(100, 30), 2);
  funds.read(books(50, 30), 1);
  assert.deepEqual(told(funds), [70n, 100n, 30n]);
  funds.read(books(120, 40), 2);
  assert.deepEqual(told(funds), [80n, 120n, 40n], 'asked together for two keys');
});

test('a charge counts once, whether the books tell of it before or after it is known to be booked', () => {
  for (const booksKnow of [false, true]) {
    const funds = new AccountFunds();
    funds.read(books(100, 10), 1);
    funds.begin(usd(5));
    assert.equal(funds.balance, 90n, 'nothing is charged on its way');
    funds.read(books(100, booksKnow ? 15 : 10), 2);
    funds.end(usd(5), usd(5));
    assert.deepEqual(told(funds), [85n, 100n, 15n]);
    funds.read(books(100, 18), 3);
    assert.deepEqual(told(funds), [82n, 100n, 18n], 'nothing is on its way any more');
  }
});

test('a charge that came to nothing, or to less than was noted, leaves no trace of what was noted', () => {
  for (const [booked, spent] of [
    [undefined, 10],
    [usd(3), 13],
  ] as const) {
    const funds = new AccountFunds();
    funds.read(books(100, 10), 1);
    funds.begin(usd(5));
    funds.end(usd(5), booked);
    assert.equal(funds.spentTotal, usd(spent));
    funds.read(books(100, 40), 2);
    assert.deepEqual(told(funds), [60n, 100n, 40n]);
  }
});
