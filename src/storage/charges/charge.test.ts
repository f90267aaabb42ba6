import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { largestUsd } from '../../core/money.ts';
import {
  amountAt,
  chargeColumns,
  chargePlace,
  monthOfCharge,
  readChargeLine,
  readChargeLines,
} from '../sql/charge-columns.ts';
import { chargeLine } from './charge.ts';

const row = (change: Parameters<typeof generation>[0]) => readChargeLine(chargeLine(generation(change)));
const column = (change: Parameters<typeof generation>[0], name: (typeof chargeColumns)[number]) =>
  row(change)[chargeColumns.indexOf(name)];

test('amounts are exact up to what 64 bits hold, and refused beyond', () => {
  for (const amount of [0n, 7n, -7n, 2n ** 53n - 1n, 2n ** 53n + 1n, largestUsd, -largestUsd]) {
    assert.equal(amountAt(row({ cost: usd(amount) }), chargePlace.cost), amount);
    assert.equal(amountAt(row({ listCost: usd(amount) }), chargePlace.listCost), amount);
  }
  for (const amount of [largestUsd + 1n, -largestUsd - 1n]) {
    assert.throws(() => chargeLine(generation({ cost: usd(amount) })), /An amount exceeds 64 bits/);
  }
});

test('times are whole milliseconds, and refused when they are no number', () => {
  assert.equal(column({ settledAt: wednesday + 0.6 }, 'settled_at'), wednesday + 1);
  assert.equal(column({ createdAt: wednesday + 0.4 }, 'created_at'), wednesday);
  for (const settledAt of [Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
    assert.throws(() => chargeLine(generation({ settledAt })), /is not a time in Unix milliseconds/);
  }
});

test('counts are made whole; one that is no number is left out, and spoils nothing', () => {
  const usage = {
    uncachedInput: 1.6,
    cacheRead: Number.NaN,
    output: 4.4,
    reasoning: Number.POSITIVE_INFINITY,
  };
  assert.equal(column({ usage }, 'input_tokens'), 2);
  assert.equal(column({ usage }, 'output_tokens'), 4);
  assert.equal(column({ usage }, 'reasoning_tokens'), null);
  assert.equal(column({ usage }, 'cached_tokens'), null);
  const details = JSON.parse(String(column({ usage, latency: 12.5 }, 'details')));
  assert.deepEqual(details.usage, { uncachedInput: 2, output: 4 });
  assert.equal(details.latency, 13);
});

test('lines that follow each other are read each by itself, also those without the last column', () => {
  const [one, other] = [generation({ cost: usd(1) }), generation({ cost: usd(2), isByok: true })];
  const rows = readChargeLines(chargeLine(one) + chargeLine(other));
  assert.deepEqual(
    rows.map((each) => [each[chargePlace.id], each[chargePlace.cost], each[chargePlace.isByok]]),
    [
      [one.id, 1, 0],
      [other.id, 2, 1],
    ],
  );
  assert.ok(rows.every(({ length }) => length === chargeColumns.length));
  const [columns = '', details = ''] = chargeLine(one).split('\t');
  const old = readChargeLine(`${JSON.stringify(JSON.parse(columns).slice(0, -1))}\t${details}`);
  assert.equal(old.length, chargeColumns.length);
  assert.equal(old[chargeColumns.indexOf('cached_tokens')], null);
  assert.equal(old.at(-1), details.trimEnd());
  assert.throws(() => readChargeLine(''), /empty/);
});

test('a charge belongs to the UTC month it was settled in', () => {
  const lastOfMonth = Date.UTC(2026, 11, 1) - 1;
  assert.equal(monthOfCharge(row({ settledAt: lastOfMonth })), 2026 * 12 + 10);
  assert.equal(monthOfCharge(row({ settledAt: lastOfMonth + 1 })), 2026 * 12 + 11);
});

test('a request id of its own is kept, flags that are not set are not', () => {
  const details = (change: Parameters<typeof generation>[0]) => JSON.parse(String(column(change, 'details')));
  assert.equal(column({ id: 'a', requestId: 'b' }, 'request_id'), 'b');
  assert.equal(column({ id: 'a', requestId: 'a' }, 'request_id') ?? undefined, undefined);
  for (const flag of ['streamed', 'cancelled', 'usageEstimated', 'insured'] as const) {
    assert.equal(details({ [flag]: true })[flag], true);
    assert.equal(flag in details({ [flag]: false }), false);
  }
  assert.match(String(column({ lapsed: true }, 'details')), /^\{"lapsed":true/);
});
