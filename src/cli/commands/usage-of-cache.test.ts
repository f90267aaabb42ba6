import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { usd } from '../../../test/conformance/fixtures.ts';
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
