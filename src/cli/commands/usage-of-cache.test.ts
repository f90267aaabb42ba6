import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { now, workplace } from '../../../test/support/command-line.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('usage says how many answers came from the cache and what they saved', async () => {
  const { folder, run, json } = await workplace('catalog: none');
  const accountId = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  assert.equal((await run('usage')).out, 'Nothing was used.\n');
  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  const hits = (model: string, count: number) => ({
    accountId,
    keyHash: 'a key',
    workspaceId: null,
    model,
    start: now - (now % 900_000),
    hits: count,
    saved: usd(count * 1_500_000),
  });
  await storage.cachedHits.add([hits('acme/small', 3), hits('acme/big', 1)]);
  await storage.close();
  assert.deepEqual((await json('usage')).cached_answers, {
    hits: 4,
    saved_usd: 0.006,
    rows: [
      { group: 'acme/big', hits: 1, saved_usd: 0.0015 },
      { group: 'acme/small', hits: 3, saved_usd: 0.0045 },
    ],
  });
  const { out } = await run('usage', '--by', 'key');
  assert.match(out, /\nKEY +CACHED ANSWERS +SAVED USD\na key +4 +0\.006\d*\nTotal +4 +0\.006\d*\n$/);
  // No provider makes an answer that is kept.
  assert.deepEqual((await json('usage', '--by', 'provider')).cached_answers, { hits: 4, saved_usd: 0.006 });
  const other = (await run('accounts', 'create', '--name', 'Other')).out.trim();
  assert.equal((await json('usage', '--account', other)).cached_answers.hits, 0);
});

test('usage of days from one to another, as a table, JSON and comma-separated values', async () => {
  const { folder, run, json } = await workplace('catalog: none');
  const accountId = (await run('accounts', 'create', '--name', 'Main')).out.trim();
  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  const call = (day: string, model: string, nano: number) => {
    const settledAt = Date.parse(`${day}T23:59:59.999Z`);
    return generation({ accountId, model, cost: usd(nano), createdAt: settledAt, settledAt });
  };
  const hit = { accountId, keyHash: 'k', workspaceId: null, model: 'acme/a', hits: 1, saved: usd(1) };
  await storage.cachedHits.add([{ ...hit, start: Date.parse('2026-10-31T00:00:00Z') }]);
  await storage.cachedHits.add([{ ...hit, start: Date.parse('2026-11-01T00:00:00Z') }]);
  const calls = [
    call('2026-10-30', 'acme/a', 1),
    call('2026-10-31', 'acme/a', 20),
    call('2026-10-31', '=1+1', 300),
    call('2026-11-01', 'acme/a', 4_000_000_001),
    call('2026-11-02', 'acme/a', 50_000),
  ];
  for (const one of calls) await storage.ledger.settle(one);
  await storage.close();
  const range = ['--from', '2026-10-31', '--to', '2026-11-01'];
  const { since, until, rows, cached_answers: cached } = await json('usage', ...range, '--by', 'day');
  assert.deepEqual([since, until], ['2026-10-31T00:00:00.000Z', '2026-11-02T00:00:00.000Z']);
  assert.deepEqual(
    rows.map((row: { group: string; cost_usd: number }) => [row.group, row.cost_usd]),
    [
      ['2026-10-31', 0.00000032],
      ['2026-11-01', 4.000000001],
    ],
  );
  assert.equal(cached.hits, 2);
  assert.equal((await json('usage', '--from', '2026-11-01', '--to', '2026-11-01')).cached_answers.hits, 1);
  const { input, output } = { input: rows[0].input_tokens / 2, output: rows[0].output_tokens / 2 };
  const file = (await run('usage', ...range, '--format', 'csv')).out.split('\r\n');
  assert.deepEqual(file, [
    '\ufeffmodel,requests,input_tokens,cached_tokens,output_tokens,reasoning_tokens,cost_usd',
    `acme/a,2,${2 * input},0,${2 * output},0,4.000000021`,
    `'=1+1,1,${input},0,${output},0,0.0000003`,
    '',
  ]);
  const open = await json('usage', '--from', '2026-11-01');
  assert.deepEqual(open, JSON.parse((await run('usage', '--from', '2026-11-01', '--format', 'json')).out));
  assert.equal(open.rows[0].requests, 2);
  for (const [argv, says] of [
    [['--to', '2026-11-01'], '--to needs --from'],
    [['--from', '2026-11-02', '--to', '2026-11-01'], '--to is a day before --from'],
    [
      ['--from', '2026-11-02', '--days', '3'],
      '--days is days back from today: leave it out beside --from and --to',
    ],
    [['--from', '2026-11-02', '--by', 'router'], 'for routers there are only --days, and no csv'],
  ] as const) {
    assert.deepEqual(await run('usage', ...argv), { code: 2, out: '', err: `error: ${says}\n` });
  }
  assert.match((await run('usage', '--from', '2026-11-31')).err, /must be a day such as 2027-01-31/);
});
