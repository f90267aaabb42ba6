import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { openSqlite } from './open-sqlite.ts';

const sector = 512;

/** What became of the last write when the power failed; the writes before it were promised. */
interface Failure {
  readonly kind: 'cut' | 'zeros' | 'torn sectors' | 'flipped';
  /** Where in the last write it happened, 0 to 1. */
  readonly at: number;
  readonly noise: number;
}

const failures = fc.record<Failure>({
  kind: fc.constantFrom('cut', 'zeros', 'torn sectors', 'flipped'),
  at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
  noise: fc.integer({ min: 1, max: 255 }),
});

/** The bytes as the disk has them afterwards: what comes before `from` is as it was. */
function fail(bytes: Buffer, from: number, { kind, at, noise }: Failure): Buffer {
  const place = from + Math.floor((bytes.length - from) * at);
  const left = Buffer.from(bytes);
  if (kind === 'cut') return left.subarray(0, place);
  if (kind === 'zeros') return left.fill(0, place);
  if (kind === 'flipped') {
    left[place] = (left[place] ?? 0) ^ noise;
    return left;
  }
  // Some sectors of the last write are there and others are not, in any order.
  for (let start = from; start < left.length; start = (Math.floor(start / sector) + 1) * sector)
    if ((start * noise) % 3 !== 0)
      left.fill(0, start, Math.min(left.length, (Math.floor(start / sector) + 1) * sector));
  return left;
}

const chargesIn = (size: number) =>
  Array.from({ length: size }, () => generation({ accountId: 'org_a', cost: usd(1) }));

/** Settles promised batches and a last one, and returns the files as they are before and after that one. */
async function settleInto(promised: readonly number[], last: number) {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file);
  try {
    await storage.migrate();
    for (const size of promised) await Promise.all(chargesIn(size).map((one) => storage.ledger.settle(one)));
    const before = readFileSync(`${file}-wal`).length;
    await Promise.all(chargesIn(last).map((one) => storage.ledger.settle(one)));
    const copy = join(temporaryFolder(), 'headgate.db');
    copyFileSync(file, copy);
    return { copy, before, log: readFileSync(`${file}-wal`) };
  } finally {
    await storage.close();
  }
}

const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });

test('whatever a power failure made of the last commit, all promised before is there and the ledger agrees', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 30 }), failures, async (promised, last, failure) => {
      const { copy, before, log } = await settleInto(promised, last);
      assert.ok(log.length > before, 'the last commit is at the end of the log');
      writeFileSync(`${copy}-wal`, fail(log, before, failure));
      const storage = await openSqlite(copy);
      try {
        await storage.migrate();
        const sum = promised.reduce((total, size) => total + size, 0);
        const { spentTotal } = await storage.ledger.balance('org_a');
        assert.ok(
          spentTotal === BigInt(sum) || spentTotal === BigInt(sum + last),
          'all of a commit or nothing',
        );
        assert.deepEqual(await storage.ledger.verify(), []);
        await storage.ledger.settle(generation({ accountId: 'org_a', cost: usd(1) }));
        assert.equal((await storage.ledger.balance('org_a')).spentTotal, spentTotal + 1n);
      } finally {
        await storage.close();
      }
    }),
    { numRuns: 12 },
  );
});

test('bookings that a power failure takes away are booked anew: what was promised is there once', async () => {
  await fc.assert(
    fc.asyncProperty(sizes, failures, async (promised, failure) => {
      const file = join(temporaryFolder(), 'headgate.db');
      const copy = join(temporaryFolder(), 'headgate.db');
      const storage = await openSqlite(file);
      const sum = BigInt(promised.reduce((total, size) => total + size, 0));
      let durable: number;
      let log: Buffer;
      try {
        await storage.migrate();
        for (const size of promised)
          await Promise.all(chargesIn(size).map((one) => storage.ledger.settle(one)));
        durable = readFileSync(`${file}-wal`).length;
        // Books what waits, without a wait for the disk.
        assert.equal((await storage.ledger.balance('org_a')).spentTotal, sum);
        copyFileSync(file, copy);
        log = readFileSync(`${file}-wal`);
      } finally {
        await storage.close();
      }
      writeFileSync(`${copy}-wal`, log.length > durable ? fail(log, durable, failure) : log);
      const again = await openSqlite(copy);
      try {
        assert.equal((await again.ledger.balance('org_a')).spentTotal, sum);
        assert.deepEqual(await again.ledger.verify(), []);
      } finally {
        await again.close();
      }
    }),
    { numRuns: 12 },
  );
});
