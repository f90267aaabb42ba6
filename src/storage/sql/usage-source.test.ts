import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generation, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { openWithDailyUsage } from '../../../test/support/open-with-daily-usage.ts';
import { sql } from './statement.ts';
import { chartSums, dailySums, eachCall, type UsageRange, type UsageSource } from './usage-source.ts';

const day = 86_400_000;
const hour = 3_600_000;
const today = Math.floor(wednesday / day);

test('sums by day report what the calls one by one do, from and until any moment', async (t) => {
  const { storage, connection, makeSums } = await openWithDailyUsage({ now: () => wednesday }, t);
  for (let number = 0; number < 60; number += 1) {
    const isLapsed = number % 13 === 5;
    await storage.ledger.settle(
      generation({
        accountId: `org_${number % 2}`,
        keyHash: `key ${number % 3}`,
        workspaceId: number % 4 === 0 ? null : 'w',
        settledAt: wednesday - number * 5 * hour,
        ...(number % 5 !== 0 && { model: `m${number % 3}`, provider: 'p', endpointTag: 'p/x' }),
        isByok: number % 6 === 0,
        usage: { uncachedInput: number, cacheRead: 2, output: 3, reasoning: 1 },
        cost: usd(number),
        listCost: usd(number * 10),
        // What reached nobody costs nothing; a fee of a tool has a model alone.
        ...(number % 10 === 0 && { isByok: false, cost: usd(0), listCost: usd(0) }),
        ...(number % 10 === 5 && { isByok: false, model: 'service:web_search' }),
        ...(isLapsed && { lapsed: true, cost: usd(0), listCost: usd(0) }),
      }),
    );
  }
  await makeSums();
  const read = (source: UsageSource, range: UsageRange) =>
    connection.rows<Record<string, unknown>>(sql`
      select account_id, day, key_hash, workspace_id, model, provider, endpoint_tag, sum(requests) as requests,
        sum(input_tokens) as input, sum(cached_tokens) as cached, sum(output_tokens) as output,
        sum(reasoning_tokens) as reasoning, sum(cost) as cost, sum(byok_cost) as byok,
        case when model is null then requested_model end as requested
      from (${source(range)}) as calls group by 1, 2, 3, 4, 5, 6, 7, 15 order by 1, 2, 3, 4, 5, 6, 7, 15`);
  const first = today - 13;
  for (let since = first * day; since <= wednesday + day; since += 7 * hour + 1) {
    for (const endDay of [undefined, today + 1, today, today - 4, first]) {
      const range = { since, ...(endDay !== undefined && { endDay }) };
      const calls = await read(eachCall, range);
      assert.deepEqual(await read(dailySums, range), calls, JSON.stringify(range));
      assert.deepEqual(await read(chartSums, range), calls, JSON.stringify(range));
    }
  }
  const whole = { since: (today - 3) * day };
  assert.deepEqual(await read(dailySums, whole), await read(eachCall, whole));
  const all = await read(eachCall, { since: 0 });
  assert.equal(
    all.reduce((sum, row) => sum + Number(row.requests), 0),
    60,
  );
});
