import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HeadgateError } from '../../src/core/errors.ts';
import { generation, type OpenStorage, storedAccount, uniqueHash, usd, wednesday } from './fixtures.ts';
import { describeLedgerEntries } from './ledger-entries.ts';

const zeroSpend = { total: 0n, daily: 0n, weekly: 0n, monthly: 0n };

/** What every Ledger must do. */
export function describeLedger(name: string, open: OpenStorage): void {
  describe(`ledger: ${name}`, () => {
    describeSettle(open);
    describeWindows(open);
    describeLedgerEntries(open);
  });
}

function describeSettle(open: OpenStorage): void {
  test('a settled generation is charged to its account and its key', async (t) => {
    const storage = await open(t);
    const keyHash = uniqueHash();
    const accountId = await storedAccount(storage);
    await storage.ledger.settle(generation({ accountId, keyHash, cost: usd(7), listCost: usd(9) }));
    await storage.ledger.settle(
      generation({ accountId, keyHash, cost: usd(1), listCost: usd(20), isByok: true }),
    );
    assert.deepEqual(await storage.ledger.balance(accountId), {
      balance: -8n,
      purchasedTotal: 0n,
      spentTotal: 8n,
    });
    assert.deepEqual(await storage.ledger.keySpend(keyHash, wednesday), {
      usage: { total: 8n, daily: 8n, weekly: 8n, monthly: 8n },
      byokUsage: { total: 20n, daily: 20n, weekly: 20n, monthly: 20n },
    });
    assert.deepEqual(await storage.ledger.verify(), []);
  });

  test('the last use of a key is the moment its latest call was settled, free ones too, whatever the order', async (t) => {
    const { ledger } = await open(t);
    const keyHash = uniqueHash();
    assert.equal(await ledger.lastUse(keyHash), undefined);
    for (const [settledAt, cost] of [
      [wednesday, 5],
      [wednesday + 7, 0],
      [wednesday - 86_400_000, 9],
    ] as const) {
      await ledger.settle(generation({ keyHash, settledAt, cost: usd(cost) }));
    }
    assert.equal(await ledger.lastUse(keyHash), wednesday + 7);
  });

  test('a key or an account nobody knows is charged all the same', async (t) => {
    const { generations, ledger } = await open(t);
    const stray = generation({ accountId: 'org_stray', keyHash: 'stray', cost: usd(5) });
    await ledger.settle(stray);
    assert.deepEqual(await generations.find(stray.id), stray);
    assert.equal((await ledger.balance('org_stray')).spentTotal, 5n);
    assert.equal((await ledger.keySpend('stray', wednesday)).usage.total, 5n);
  });

  test('the same generation is charged once: together, one after the other, and with other numbers', async (t) => {
    const { generations, ledger } = await open(t);
    const original = generation({ accountId: 'org_once', keyHash: 'once', cost: usd(3) });
    await Promise.all(Array.from({ length: 50 }, () => ledger.settle(original)));
    await ledger.settle(original);
    await Promise.all([
      ledger.settle({ ...original, cost: usd(1000), keyHash: 'other', accountId: 'org_other' }),
      ledger.settle(generation({ accountId: 'org_once', keyHash: 'once', cost: usd(4) })),
      ledger.settle(original),
    ]);
    assert.deepEqual(await generations.find(original.id), original);
    assert.equal((await ledger.balance('org_once')).spentTotal, 7n);
    assert.equal((await ledger.balance('org_other')).spentTotal, 0n);
    assert.equal((await ledger.keySpend('once', wednesday)).usage.total, 7n);
    assert.deepEqual(await ledger.verify(), []);
  });

  test('5,000 settled at once add up exactly', async (t) => {
    const { generations, ledger } = await open(t);
    const all = Array.from({ length: 5000 }, (_, index) =>
      generation({
        accountId: `org_${index % 3}`,
        keyHash: `key${index % 7}`,
        cost: usd(1_000_000_000_000n + BigInt(index)),
        settledAt: wednesday + (index % 2) * 86_400_000,
      }),
    );
    await Promise.all(all.map((one) => ledger.settle(one)));
    const spentBy = (accountId: string) =>
      all.filter((one) => one.accountId === accountId).reduce((sum, one) => sum + one.cost, 0n);
    for (const accountId of ['org_0', 'org_1', 'org_2']) {
      assert.equal((await ledger.balance(accountId)).spentTotal, spentBy(accountId));
    }
    const rows = await generations.usage(0, 'day');
    assert.deepEqual(
      rows.map((row) => row.requests),
      [2500, 2500],
    );
    assert.deepEqual(await ledger.verify(), []);
  });

  test('what was settled is seen at once', async (t) => {
    const { generations, ledger } = await open(t);
    for (let count = 1; count <= 20; count += 1) {
      const one = generation({ accountId: 'org_seen', keyHash: 'seen', cost: usd(1) });
      await ledger.settle(one);
      assert.equal((await ledger.keySpend('seen', wednesday)).usage.daily, BigInt(count));
      assert.equal((await ledger.balance('org_seen')).balance, BigInt(-count));
      assert.equal((await generations.find(one.id))?.id, one.id);
      assert.equal((await generations.usage(0, 'day'))[0]?.requests, count);
    }
  });

  test('after closing nothing is accepted, and what was accepted before is kept', async (t) => {
    const storage = await open(t);
    const settling = Array.from({ length: 20 }, () => storage.ledger.settle(generation()));
    const closing = storage.close();
    await Promise.all(settling);
    await closing;
    await storage.close();
    const refused = (error: unknown) =>
      error instanceof HeadgateError && error.code === 'service_unavailable';
    await assert.rejects(storage.ledger.settle(generation()), refused);
    await assert.rejects(storage.ledger.balance('org_1'), refused);
    await assert.rejects(storage.generations.usage(0, 'day'), refused);
    await assert.rejects(storage.accounts.list(), refused);
    await assert.rejects(storage.ping(), refused);
  });
}

function describeWindows(open: OpenStorage): void {
  test('windows are half-open UTC days, weeks from Monday and months', async (t) => {
    const { ledger } = await open(t);
    const keyHash = uniqueHash();
    // Each amount has a digit of its own, so that a sum shows which charges it holds.
    const charges: readonly [string, number][] = [
      ['2026-10-31T23:59:59.999Z', 1],
      ['2026-11-01T00:00:00.000Z', 10],
      ['2026-11-15T23:59:59.999Z', 100],
      ['2026-11-16T00:00:00.000Z', 1000],
      ['2026-11-17T23:59:59.999Z', 10_000],
      ['2026-11-18T00:00:00.000Z', 100_000],
      ['2026-11-18T13:45:00.000Z', 1_000_000],
    ];
    for (const [time, amount] of charges) {
      await ledger.settle(generation({ keyHash, settledAt: Date.parse(time), cost: usd(amount) }));
    }
    const usageAt = async (time: string) => (await ledger.keySpend(keyHash, Date.parse(time))).usage;
    const total = 1_111_111n;
    assert.deepEqual(await usageAt('2026-11-18T13:45:00.000Z'), {
      total,
      daily: 1_100_000n,
      weekly: 1_111_000n,
      monthly: 1_111_110n,
    });
    assert.deepEqual(await usageAt('2026-11-18T23:59:59.999Z'), await usageAt('2026-11-18T00:00:00.000Z'));
    assert.deepEqual(await usageAt('2026-11-19T00:00:00.000Z'), {
      total,
      daily: 0n,
      weekly: 1_111_000n,
      monthly: 1_111_110n,
    });
    assert.deepEqual(await usageAt('2026-11-22T23:59:59.999Z'), await usageAt('2026-11-19T00:00:00.000Z'));
    assert.deepEqual(await usageAt('2026-11-23T00:00:00.000Z'), { ...zeroSpend, total, monthly: 1_111_110n });
    assert.deepEqual(await usageAt('2026-12-01T00:00:00.000Z'), { ...zeroSpend, total });
    assert.deepEqual(await ledger.verify(), []);
  });

  test('a week that spans two months, and a month that ends within a week, are both whole', async (t) => {
    const { ledger } = await open(t);
    const keyHash = uniqueHash();
    // 2026-12-31 is a Thursday: its week began on 2026-12-28 and runs into January.
    for (const [time, amount] of [
      ['2026-12-28T00:00:00Z', 1],
      ['2026-12-31T12:00:00Z', 10],
      ['2027-01-01T00:00:00Z', 100],
      ['2027-01-04T00:00:00Z', 1000],
    ] as const) {
      await ledger.settle(generation({ keyHash, settledAt: Date.parse(time), cost: usd(amount) }));
    }
    const { usage } = await ledger.keySpend(keyHash, Date.parse('2027-01-01T08:00:00Z'));
    assert.deepEqual(usage, { total: 1111n, daily: 100n, weekly: 111n, monthly: 1100n });
  });

  test('a charge belongs to the window of its settlement, not of its request', async (t) => {
    const { ledger } = await open(t);
    const keyHash = uniqueHash();
    const midnight = Date.UTC(2026, 10, 18);
    await ledger.settle(
      generation({ keyHash, createdAt: midnight - 5000, settledAt: midnight, cost: usd(4) }),
    );
    assert.equal((await ledger.keySpend(keyHash, midnight - 1)).usage.daily, 0n);
    assert.equal((await ledger.keySpend(keyHash, midnight)).usage.daily, 4n);
  });

  test('a clock set back or forward leaves every charge in the window of its settlement', async (t) => {
    const { ledger } = await open(t);
    const keyHash = uniqueHash();
    const day = 86_400_000;
    for (const [steps, amount] of [
      [0, 1],
      [3 * day, 10],
      [-40 * day, 100],
      [1, 1000],
    ] as const) {
      const settledAt = wednesday + steps;
      await ledger.settle(generation({ keyHash, createdAt: settledAt + day, settledAt, cost: usd(amount) }));
    }
    const usageAt = async (time: number) => (await ledger.keySpend(keyHash, time)).usage;
    assert.deepEqual(await usageAt(wednesday), { total: 1111n, daily: 1001n, weekly: 1011n, monthly: 1011n });
    assert.deepEqual(await usageAt(wednesday + 3 * day), {
      total: 1111n,
      daily: 10n,
      weekly: 1011n,
      monthly: 1011n,
    });
    assert.deepEqual(await usageAt(wednesday - 40 * day), {
      total: 1111n,
      daily: 100n,
      weekly: 100n,
      monthly: 100n,
    });
    assert.deepEqual(await ledger.verify(), []);
  });

  test('a key that spent nothing spent zero', async (t) => {
    const { ledger } = await open(t);
    assert.deepEqual(await ledger.keySpend('idle', wednesday), { usage: zeroSpend, byokUsage: zeroSpend });
  });
}
