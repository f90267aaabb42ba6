import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account, apiKey } from '../../../test/conformance/fixtures.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { keyActor } from '../actor.ts';
import { exportCalls, mostExported } from './calls.ts';
import { noUsage } from './cells.ts';

test('a range with more requests than a file may hold is refused before any is read', async (t) => {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const owner = account();
  const actor = keyActor({ account: owner, key: apiKey(owner.id, { kind: 'management' }) }, undefined);
  const filters = { model: 'acme/atlas-4' };
  const query = { range: { from: 1, to: 900_001 }, filters, calls: {}, refused: 'too' } as const;
  const asked: unknown[] = [];
  let requests = mostExported;
  t.mock.method(storage.usage, 'totals', async (grouping: unknown) => {
    asked.push(grouping);
    return [{ ...noUsage, requests, value: '', start: 0 }];
  });
  const calls = t.mock.method(storage.usage, 'calls');
  const read = () => exportCalls(actor, query, { storage }).next();
  assert.deepEqual(await read(), { done: true, value: undefined });
  assert.equal(calls.mock.callCount(), 1);
  // Whole quarters of an hour, of what the actor may see.
  assert.deepEqual(asked, [
    { range: { from: 0, to: 1_800_000 }, filters: { ...filters, accountId: owner.id } },
  ]);
  requests += 1;
  await assert.rejects(
    read,
    /One file is made of at most 1,000,000 requests, and this range has 1,000,001: choose a shorter one/,
  );
  assert.equal(calls.mock.callCount(), 1);
});
