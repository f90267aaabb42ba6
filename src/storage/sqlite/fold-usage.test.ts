import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { generation, usd, wednesday } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openSqlite } from './open-sqlite.ts';

const day = 86_400_000;
const range = { from: Math.floor(wednesday / day) * day, to: Math.floor(wednesday / day) * day + day };

async function open(t: TestContext, file = join(temporaryFolder(), 'headgate.db')) {
  const storage = await openSqlite(file);
  await storage.migrate();
  const other = new DatabaseSync(file, { timeout: 5_000 });
  t.after(async () => {
    other.close();
    await storage.close();
  });
  const settle = async (count: number, changes = {}) => {
    const calls = Array.from({ length: count }, () =>
      generation({ accountId: 'org_a', keyHash: 'k', cost: usd(3), listCost: usd(4), ...changes }),
    );
    await Promise.all(calls.map((call) => storage.ledger.settle(call)));
    // A read books what waits.
    await storage.ledger.balance('org_a');
    return calls;
  };
  const total = async () => {
    const [sum] = await storage.usage.totals({ range, filters: { accountId: 'org_a' } }, 1);
    return [sum?.requests ?? 0, Number(sum?.cost ?? 0)];
  };
  const summed = () =>
    Number(
      other.prepare('select coalesce(sum(requests), 0) as sum from usage_sums where span = 1440').get()?.sum,
    );
  return { storage, other, file, settle, total, summed };
}

test('calls are added to the sums when somebody reads, or when there are many', async (t) => {
  const { storage, settle, total, summed } = await open(t);
  await settle(1);
  assert.deepEqual(await total(), [1, 3]);
  await settle(50);
  assert.equal(summed(), 1, 'booking alone does not write them');
  assert.deepEqual(await total(), [51, 153]);
  assert.equal(summed(), 51);
  await settle(4_500);
  assert.ok(summed() >= 51 + 4_096, String(summed()));
  assert.deepEqual(await total(), [4_551, 4_551 * 3]);
  assert.deepEqual(await storage.ledger.verify(), []);
  for (let key = 0; key < 300; key += 1) await settle(1, { keyHash: `k${key}` });
  assert.ok(summed() >= 4_551 + 200, 'nor are there ever many sums in memory');
});

test('a process that dies loses no sum, and two processes on one file add each call once', async (t) => {
  const first = await open(t);
  await first.settle(20);
  const second = await open(t, first.file);
  assert.deepEqual(
    await second.total(),
    [20, 60],
    'what the other has not written yet is read from its calls',
  );
  await first.settle(5);
  await second.settle(7);
  await first.settle(2);
  assert.deepEqual(await first.total(), [34, 102]);
  await second.settle(1);
  assert.deepEqual(await second.total(), [35, 105]);
  assert.deepEqual(await first.total(), [35, 105]);
  assert.deepEqual(await first.storage.ledger.verify(), []);
});

test('a true charge that takes the place of a lapsed call counts once, before and after that was passed', async (t) => {
  const { storage, settle, total } = await open(t);
  const [early, late] = await settle(2, { lapsed: true, cost: usd(0), listCost: usd(0) });
  assert.ok(early !== undefined && late !== undefined);
  const truth = { lapsed: undefined, cost: usd(3), listCost: usd(4) };
  await storage.ledger.settle({ ...early, ...truth });
  assert.deepEqual(await total(), [1, 3]);
  await storage.ledger.settle({ ...late, ...truth });
  assert.deepEqual(await total(), [2, 6]);
  await storage.ledger.settle({ ...late, ...truth });
  assert.deepEqual(await total(), [2, 6]);
  assert.deepEqual(await storage.ledger.verify(), []);
});

test('a batch that is rolled back is in no sum', async (t) => {
  const { storage, other, settle, total } = await open(t);
  await settle(3);
  await total();
  await settle(2);
  other.exec(`create trigger spoil before insert on generations when new.id = 'gen-spoilt'
    begin select raise(abort, 'spoilt'); end`);
  await Promise.all([
    storage.ledger.settle(generation({ accountId: 'org_a', keyHash: 'k', cost: usd(3), listCost: usd(4) })),
    storage.ledger.settle(generation({ accountId: 'org_a', id: 'gen-spoilt' })).catch(() => undefined),
  ]);
  await settle(2);
  assert.deepEqual(await total(), [8, 24]);
  other.exec('drop trigger spoil');
});
