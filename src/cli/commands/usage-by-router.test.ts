import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { now, workplace } from '../../../test/support/command-line.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('usage by router compares what routers cost with the model that requests name most', async () => {
  const { folder, run, json } = await workplace(`
catalog: none
providers:
  north: { adapter: openai-chat, base_url: "http://127.0.0.1:1/v1" }
models:
  - { id: acme/big, endpoints: [{ provider: north, model: a, price: { input: 10, output: 20, cache_read: 1 } }] }
  - { id: acme/small, endpoints: [{ provider: north, model: b, price: { input: 1, output: 2 } }] }
`);
  const accountId = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  assert.equal((await run('usage', '--by', 'router')).out, 'No router was used.\n');
  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  const tokens = { uncachedInput: 600, cacheRead: 400, output: 100 };
  const call = (model: string, nano: number, routedBy?: string) =>
    storage.ledger.settle(
      generation({
        accountId,
        settledAt: now,
        model,
        usage: tokens,
        cost: usd(nano),
        listCost: usd(nano),
        routedBy,
      }),
    );
  await call('acme/small', 1_200_000, 'service/auto');
  await call('acme/small', 1_200_000, 'service/auto');
  await call('acme/big', 90_000_000, 'service/pareto-code');
  const alone = await json('usage', '--by', 'router');
  assert.deepEqual([alone.compared_with, alone.rows[0].saved_usd], [null, null]);
  await call('acme/big', 8_400_000);
  await storage.close();
  const report = await json('usage', '--by', 'router');
  assert.equal(report.compared_with, 'acme/big');
  // 600 · 10 + 400 · 1 + 100 · 20 USD a million tokens, for each call.
  assert.deepEqual(
    report.rows.map(
      (row: { group: string; requests: number; compared_cost_usd: number; saved_usd: number }) => [
        row.group,
        row.requests,
        row.compared_cost_usd,
        row.saved_usd,
      ],
    ),
    [
      ['service/pareto-code', 1, 0.0084, -0.0816],
      ['service/auto', 2, 0.0168, 0.0144],
    ],
  );
  const { out } = await run('usage', '--by', 'router');
  assert.match(out, /^ROUTER +REQUESTS +INPUT +OUTPUT +USD +LIST USD +COMPARED USD +SAVED USD\n/);
  assert.match(out, /\nCompared with acme\/big, which requests name most, at its list price\.\n$/);
  const other = (await run('accounts', 'create', '--name', 'Other')).out.trim();
  assert.equal((await run('usage', '--by', 'router', '--account', other)).out, 'No router was used.\n');
});
