import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ByokTerms, byokFee } from '../../src/core/byok-fee.ts';
import { parseUsd, zeroUsd } from '../../src/core/money.ts';
import type { Generation } from '../../src/ports/generations.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { account, apiKey, generation, type OpenStorage, usd, wednesday } from './fixtures.ts';

const nothing = { cost: zeroUsd, listCost: zeroUsd };
const terms: ByokTerms = { feeBasisPoints: 500, monthlyAllowance: zeroUsd };

/** A call that cost something, and the record that closes it when nobody came back. */
function callOf(accountId: string, keyHash: string, change: Partial<Generation> = {}) {
  const settled = generation({ accountId, keyHash, finishReason: 'stop', ...change });
  const { id, requestId } = settled;
  const lapsedAt = wednesday - 86_400_000;
  const closed = {
    id,
    requestId,
    accountId,
    keyHash,
    settledAt: lapsedAt,
    finishReason: 'error',
    ...nothing,
  };
  return { settled, lapsed: generation({ ...closed, lapsed: true }) };
}

/** Books the true record (true) and the one that closed the call (false) in this order, or all at once. */
async function book(
  ledger: Ledger,
  { settled, lapsed }: ReturnType<typeof callOf>,
  order: readonly boolean[],
  together: boolean,
): Promise<void> {
  const records = order.map((isTrue) => (isTrue ? settled : lapsed));
  if (together) await Promise.all(records.map((record) => ledger.settle(record)));
  else for (const record of records) await ledger.settle(record);
}

/**
 * What every Ledger must do for calls whose hold has lapsed (accounts-and-limits 11, case 8): a record that somebody
 * closed at no cost gives way to the true charge, once, in whatever order and however often both are booked.
 */
export function describeLapsedCalls(name: string, open: OpenStorage): void {
  describe(`lapsed calls: ${name}`, () => {
    test('a lapsed call has a record with an error and costs nothing', async (t) => {
      const { ledger, generations } = await open(t);
      const { lapsed } = callOf('org_lapsed', 'key_lapsed');
      await ledger.settle(lapsed);
      await ledger.settle(lapsed);
      const found = await generations.find(lapsed.id);
      assert.deepEqual([found?.finishReason, found?.cost, found?.lapsed], ['error', 0n, true]);
      assert.equal((await ledger.balance('org_lapsed')).spentTotal, zeroUsd);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('the true charge is booked once in any order, alone or together with its record', async (t) => {
      const { accounts, keys, ledger, generations } = await open(t);
      const owner = account();
      const key = apiKey(owner.id);
      await accounts.create(owner);
      await keys.create(key);
      let spent = 0n;
      const orders = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(orders, fc.boolean(), async (order, together) => {
          const call = callOf(owner.id, key.hash, { cost: usd(1 + order.length) });
          const kept = order.includes(true) ? call.settled : call.lapsed;
          await book(ledger, call, order, together);
          assert.deepEqual(await generations.find(kept.id), kept);
          spent += kept.cost;
          assert.equal((await ledger.balance(owner.id)).spentTotal, spent);
        }),
        { numRuns: 60 },
      );
      assert.equal(
        (await ledger.keySpend(key.hash, wednesday)).usage.daily,
        spent,
        'on the day it was settled',
      );
      assert.equal((await ledger.keySpend(key.hash, wednesday - 86_400_000)).usage.daily, zeroUsd);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('so is what an own credential served', async (t) => {
      const { ledger, generations } = await open(t);
      const listCost = parseUsd(10);
      const { settled, lapsed } = callOf('org_lapsed', 'key_lapsed', {
        isByok: true,
        cost: zeroUsd,
        listCost,
      });
      await ledger.settle(lapsed);
      const fee = byokFee(listCost, zeroUsd, terms);
      assert.equal(await ledger.settleByok(settled, terms), fee);
      assert.equal(await ledger.settleByok(settled, terms), fee);
      await ledger.settle(lapsed);
      const found = await generations.find(settled.id);
      assert.deepEqual([found?.cost, found?.isByok, found?.lapsed], [fee, true, undefined]);
      const spend = await ledger.keySpend('key_lapsed', wednesday);
      assert.deepEqual([spend.usage.total, spend.byokUsage.total], [fee, listCost]);
      assert.deepEqual(await ledger.verify(), []);
    });
  });
}
