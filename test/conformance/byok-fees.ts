import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ByokTerms, byokFee } from '../../src/core/byok-fee.ts';
import { type NanoUsd, parseUsd, zeroUsd } from '../../src/core/money.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { MakeUrl } from './durability.ts';
import { account, apiKey, generation, type OpenStorage, unique, usd, wednesday } from './fixtures.ts';

const terms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: parseUsd(25_000) };
const nextMonth = Date.UTC(2026, 11, 1);

/** What every Ledger must do for calls that own provider credentials serve (docs/spec/credentials.md#fee). */
export function describeByokFees(name: string, open: OpenStorage): void {
  describe(`fees of own credentials: ${name}`, () => {
    test('the allowance of the month is free; of what goes beyond it a fraction is due', async (t) => {
      const { accounts, keys, ledger, generations } = await open(t);
      const owner = account();
      const key = apiKey(owner.id);
      await accounts.create(owner);
      await keys.create(key);
      const serve = (list: number | string, cost: NanoUsd = zeroUsd, settledAt = wednesday) => {
        const ids = { accountId: owner.id, keyHash: key.hash };
        const one = generation({ ...ids, isByok: true, cost, listCost: parseUsd(list), settledAt });
        return ledger.settle(one, terms).then((charge) => ({ id: one.id, charge }));
      };
      assert.equal((await serve(24_990)).charge, zeroUsd);
      const { id, charge } = await serve(20);
      assert.equal(charge, parseUsd('0.5'), 'ten above the allowance');
      assert.equal((await serve(19, usd(7))).charge, parseUsd('0.95') + 7n, 'with what else is due');
      assert.equal((await serve(19, zeroUsd, nextMonth)).charge, zeroUsd, 'another month');
      const kept = await generations.find(id);
      assert.deepEqual([kept?.cost, kept?.listCost, kept?.isByok], [parseUsd('0.5'), parseUsd(20), true]);
      const spend = await ledger.keySpend(key.hash, wednesday);
      assert.equal(spend.usage.monthly, parseUsd('1.45') + 7n);
      assert.equal(spend.byokUsage.monthly, parseUsd(25_029));
      assert.equal((await ledger.balance(owner.id)).spentTotal, parseUsd('1.45') + 7n);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('booking the same call again changes nothing and tells the first charge', async (t) => {
      const { ledger } = await open(t);
      const one = generation({ isByok: true, cost: zeroUsd, listCost: parseUsd(30_000) });
      assert.equal(await ledger.settle(one, terms), parseUsd(250));
      assert.equal(await ledger.settle(one, terms), parseUsd(250));
      assert.deepEqual(await Promise.all([one, one].map((again) => ledger.settle(again, terms))), [
        parseUsd(250),
        parseUsd(250),
      ]);
      assert.equal((await ledger.balance(one.accountId)).spentTotal, parseUsd(250));
    });

    test('fees are exact however many calls end together', async (t) => {
      const { ledger } = await open(t);
      const owner = unique('org_');
      const allowance: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: usd(100_000) };
      const costs = Array.from({ length: 300 }, (_, index) => 137 * (index % 11) + 1);
      const shared = (cost: number) =>
        ledger.settle(generation({ accountId: owner, cost: usd(cost), listCost: usd(cost) }));
      const charges = await Promise.all(
        costs.flatMap((cost) => [
          ledger.settle(
            generation({ accountId: owner, isByok: true, cost: zeroUsd, listCost: usd(cost) }),
            allowance,
          ),
          shared(1).then(() => zeroUsd),
        ]),
      );
      // In whatever order they came, each was charged for its own place in it.
      const sum = charges.reduce((total, charge) => total + charge, 0n);
      let month = 0n;
      let expected = 0n;
      for (const cost of costs) {
        expected += byokFee(usd(cost), month as NanoUsd, allowance);
        month += BigInt(cost);
      }
      assert.ok(expected > 0n && sum - expected < 10n && expected - sum < 10n, `${sum} ${expected}`);
      assert.equal((await ledger.balance(owner)).spentTotal, sum + BigInt(costs.length));
      assert.deepEqual(await ledger.verify(), []);
    });
  });
}

/** Fees are exact although several processes book them (each opens the database for itself). */
export function describeByokFeesOfProcesses(name: string, makeUrl: MakeUrl): void {
  test(`fees of own credentials: ${name}: processes share the allowance of a month`, async (t) => {
    const url = await makeUrl(t);
    const processes = [await openStorage(url), await openStorage(url)];
    try {
      await processes[0]?.migrate();
      const owner = unique('org_');
      const allowance: ByokTerms = { feeBasisPoints: 1000, monthlyAllowance: usd(1_000) };
      const charges = await Promise.all(
        processes.flatMap(({ ledger }) =>
          Array.from({ length: 60 }, () =>
            ledger.settle(
              generation({ accountId: owner, isByok: true, cost: zeroUsd, listCost: usd(100) }),
              allowance,
            ),
          ),
        ),
      );
      // Of 120 calls at 100 the first ten are free.
      assert.equal(charges.filter((charge) => charge === zeroUsd).length, 10);
      assert.equal(charges.filter((charge) => charge === 10n).length, 110);
      for (const { ledger } of processes) assert.equal((await ledger.balance(owner)).spentTotal, 1_100n);
    } finally {
      for (const storage of processes) await storage.close();
    }
  });
}
