import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { openWithDailyUsage } from '../../../test/support/open-with-daily-usage.ts';
import type { CallPlace } from '../../ports/usage.ts';
import { sqliteDetails } from './usage-conditions.ts';
import { SqlUsageStore } from './usage-store.ts';

test('a page of a list ends when its time is over, and the next ones go on without a gap', async (t) => {
  const { storage, connection } = await openWithDailyUsage({ now: () => wednesday }, t);
  const ids: string[] = [];
  for (let number = 0; number < 1_700; number += 1) {
    const isWanted = number % 400 === 0;
    const call = generation({
      accountId: 'org_a',
      settledAt: wednesday - number * 1_000,
      cost: usd(isWanted ? 3 : 0),
    });
    if (isWanted) ids.push(call.id);
    await storage.ledger.settle(call);
  }
  await storage.ledger.balance('org_a');
  const range = { from: 0, to: wednesday + 1 };
  const readAll = async (step: number) => {
    let now = 0;
    const store = new SqlUsageStore(connection, sqliteDetails, () => {
      now += step;
      return now;
    });
    const pages: string[][] = [];
    let before: CallPlace | undefined;
    do {
      const query = { range, filters: { accountId: 'org_a' }, calls: { minCost: usd(1) }, before, limit: 50 };
      const page = await store.calls(query);
      pages.push(page.generations.map(({ id }) => id));
      before = page.next;
    } while (before !== undefined);
    return pages;
  };
  assert.deepEqual(await readAll(0), [ids], 'all at once while there is time');
  const byParts = [ids.slice(0, 2), ids.slice(2, 3), ids.slice(3, 4), ids.slice(4)];
  assert.deepEqual(await readAll(300), byParts, '500 records each when there is none');
});
