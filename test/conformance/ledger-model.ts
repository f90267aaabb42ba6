import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { HeadgateError } from '../../src/core/errors.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { LedgerEntry } from '../../src/ports/ledger.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, generation, ledgerEntry, type OpenStorage, unique, usd } from './fixtures.ts';

const keys = ['first', 'second'] as const;
const minute = 60_000;

/** One thing that happens to the books; `key` and `ref` are made unique to the run. */
type Step =
  | {
      readonly kind: 'settle';
      readonly key: string;
      readonly at: number;
      readonly cost: bigint;
      readonly byok: boolean;
    }
  | { readonly kind: 'repeat'; readonly index: number }
  | {
      readonly kind: 'append';
      readonly amount: bigint;
      readonly purchase: boolean;
      readonly ref: string | null;
    };

/** Around two month ends, so that days, weeks and months end between the moments drawn. */
const moment = fc
  .integer({ min: 0, max: 40 * 24 * 60 })
  .map((minutes) => Date.UTC(2026, 10, 25) + minutes * minute);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('settle' as const),
    key: fc.constantFrom(...keys),
    at: moment,
    cost: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    byok: fc.boolean(),
  }),
  fc.record({ kind: fc.constant('repeat' as const), index: fc.nat(20) }),
  fc.record({
    kind: fc.constant('append' as const),
    amount: fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }),
    purchase: fc.boolean(),
    ref: fc.option(fc.constantFrom('a', 'b')),
  }),
);

/** The books as a list of everything that ever happened. */
class NaiveBooks {
  readonly generations: Generation[] = [];
  readonly entries: LedgerEntry[] = [];

  append(entry: LedgerEntry): boolean | 'refused' {
    const seen = this.entries.find(
      (one) => one.externalRef !== null && one.externalRef === entry.externalRef,
    );
    if (seen === undefined) {
      this.entries.push(entry);
      return true;
    }
    const same = seen.amount === entry.amount && seen.countsAsPurchase === entry.countsAsPurchase;
    return same ? false : 'refused';
  }

  balance() {
    const entries = sum(this.entries.map((entry) => entry.amount));
    const charges = sum(this.generations.map((one) => one.cost));
    const purchases = this.entries.filter((entry) => entry.countsAsPurchase).map((entry) => entry.amount);
    return { balance: entries - charges, purchasedTotal: sum(purchases), spentTotal: charges };
  }

  keySpend(keyHash: string, now: number) {
    const mine = this.generations.filter((one) => one.keyHash === keyHash);
    const windows = (amount: (one: Generation) => bigint) => {
      const within = (name: (time: number) => string) =>
        sum(mine.filter((one) => name(one.settledAt) === name(now)).map(amount));
      return {
        total: sum(mine.map(amount)),
        daily: within(dayName),
        weekly: within(mondayName),
        monthly: within((time) => dayName(time).slice(0, 7)),
      };
    };
    return {
      usage: windows((one) => one.cost),
      byokUsage: windows((one) => (one.isByok ? one.listCost : 0n)),
    };
  }
}

/** Any order of events leaves the same balances and windows as adding everything up by hand. */
export function describeLedgerModel(name: string, open: OpenStorage): void {
  describe(`ledger against a naive model: ${name}`, () => {
    test('balance and spend agree after any sequence', async (t) => {
      const storage = await open(t);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), moment, (steps, together, now) =>
          compare(storage, steps, together, now),
        ),
        { numRuns: 60 },
      );
      assert.deepEqual(await storage.ledger.verify(), []);
    });
  });
}

async function compare(
  storage: Storage,
  steps: readonly Step[],
  together: boolean,
  now: number,
): Promise<void> {
  const owner = account();
  await storage.accounts.create(owner);
  const run = unique('run');
  const books = new NaiveBooks();
  const pending: Promise<unknown>[] = [];
  let appended: Promise<unknown> = Promise.resolve();
  for (const one of steps) {
    const carry = () => carryOut(storage, books, one, owner.id, run);
    // Of entries appended at once nobody knows which comes first.
    const done = one.kind === 'append' ? appended.then(carry) : carry();
    if (one.kind === 'append') appended = done;
    pending.push(done);
    if (!together) await done;
  }
  await Promise.all(pending);
  assert.deepEqual(await storage.ledger.balance(owner.id), books.balance());
  for (const key of keys) {
    const keyHash = `${run}-${key}`;
    assert.deepEqual(await storage.ledger.keySpend(keyHash, now), books.keySpend(keyHash, now));
  }
}

function carryOut(
  storage: Storage,
  books: NaiveBooks,
  one: Step,
  accountId: string,
  run: string,
): Promise<unknown> {
  if (one.kind === 'append') return appendBoth(storage, books, one, accountId);
  if (one.kind === 'repeat') {
    const known = books.generations[one.index];
    return known === undefined ? Promise.resolve() : storage.ledger.settle(known);
  }
  const settled = generation({
    accountId,
    keyHash: `${run}-${one.key}`,
    settledAt: one.at,
    cost: usd(one.cost),
    listCost: usd(one.cost * 3n),
    isByok: one.byok,
  });
  books.generations.push(settled);
  return storage.ledger.settle(settled);
}

async function appendBoth(
  storage: Storage,
  books: NaiveBooks,
  one: Step & { readonly kind: 'append' },
  accountId: string,
): Promise<void> {
  const entry = ledgerEntry(accountId, {
    amount: usd(one.amount),
    countsAsPurchase: one.purchase,
    externalRef: one.ref,
  });
  const expected = books.append(entry);
  const outcome = await storage.ledger.append(entry).catch((error: HeadgateError) => {
    assert.equal(error.code, 'unprocessable');
    return 'refused';
  });
  assert.equal(outcome, expected);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function dayName(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** The Monday on or before a moment, found by walking back. */
function mondayName(time: number): string {
  let day = time;
  while (new Date(day).getUTCDay() !== 1) day -= 24 * 60 * minute;
  return dayName(day);
}
