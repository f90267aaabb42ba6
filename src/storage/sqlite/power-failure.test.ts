import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import fc from 'fast-check';
import { generation, usd } from '../../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { encodeFrame, segmentMark } from '../journal/frame.ts';
import { heldFile, holdCharges } from '../journal/held-charges.ts';
import { chargeLine } from '../sql/charge-line.ts';
import { journalDirectory } from './booking.ts';
import { openSqlite } from './open-sqlite.ts';

const sector = 512;

/** What became of the bytes from some place on when the power failed; the writes before it were promised. */
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

const writes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 5 });

/** Charges in some writes, each of so many. */
function chargesIn(sizes: readonly number[]) {
  return sizes.map((size) =>
    Array.from({ length: size }, () => generation({ accountId: 'org_a', cost: usd(1) })),
  );
}

const frameOf = (charges: readonly ReturnType<typeof generation>[]) =>
  encodeFrame(charges.map(chargeLine).join(''));

/** Opens a database, as the start after the failure does, and returns the calls it has and what was told of its files. */
async function startAfter(file: string) {
  const told: { readonly file: string; readonly bytes: number }[] = [];
  const storage = await openSqlite(file, {
    journal: { onUnreadable: (path, bytes) => told.push({ file: path, bytes }) },
  });
  try {
    await storage.migrate();
    const { spentTotal } = await storage.ledger.balance('org_a');
    const differences = await storage.ledger.verify();
    return { booked: bookedIn(file), spentTotal, differences, told };
  } finally {
    await storage.close();
  }
}

function bookedIn(file: string): ReadonlySet<string> {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = database.prepare('select id from generations').all();
    return new Set(rows.map(({ id }) => String(id)));
  } finally {
    database.close();
  }
}

const template = await emptyDatabase();

/** A migrated database as bytes: making one takes longer than all that follows. */
async function emptyDatabase(): Promise<Buffer> {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file);
  await storage.migrate();
  await storage.close();
  return readFileSync(file);
}

function newDatabase() {
  const file = join(temporaryFolder(), 'headgate.db');
  writeFileSync(file, template);
  const directory = journalDirectory(file);
  mkdirSync(directory);
  return { file, directory };
}

const runs = { numRuns: 4 };
const many = { minLength: 8, maxLength: 8 };
const segmentOf = (index: number) => `${String(index).padStart(16, '0')}-00000001.charges`;

/** Files of several processes that died when the power failed; all are read by one start. */
const deaths = fc.array(fc.record({ sizes: writes, later: writes, failure: failures }), many);

test('whatever the power failure made of the last write, all promised before is booked once and the server starts', async () => {
  await fc.assert(
    fc.asyncProperty(deaths, async (dead) => {
      const { file, directory } = newDatabase();
      const left = dead.map(({ sizes, failure }, index) => {
        const [promised, last] = [chargesIn(sizes), chargesIn([8])];
        const before = Buffer.concat([segmentMark, ...promised.map(frameOf)]);
        const whole = Buffer.concat([before, ...last.map(frameOf), Buffer.alloc(3 * sector)]);
        writeFileSync(join(directory, segmentOf(index)), fail(whole, before.length, failure));
        return { promised: promised.flat(), last: last.flat() };
      });
      for (let start = 0; start < 2; start += 1) {
        const { booked, spentTotal, differences } = await startAfter(file);
        for (const { promised, last } of left) {
          for (const { id } of promised) assert.ok(booked.has(id));
          const late = last.filter(({ id }) => booked.has(id)).length;
          assert.ok([0, last.length].includes(late), 'all of a write or nothing');
        }
        assert.equal(spentTotal, BigInt(booked.size));
        assert.deepEqual(differences, []);
      }
    }),
    runs,
  );
});

test('a spoilt write costs none that was promised after it, and is kept and told instead of deleted', async () => {
  await fc.assert(
    fc.asyncProperty(deaths, async (dead) => {
      const { file, directory } = newDatabase();
      const promised = dead.flatMap(({ sizes, later, failure }, index) => {
        const [earlier, after] = [chargesIn(sizes), chargesIn(later)];
        const before = Buffer.concat([segmentMark, ...earlier.map(frameOf)]);
        const spoilt = fail(Buffer.concat([before, ...chargesIn([4]).map(frameOf)]), before.length, failure);
        const bytes = Buffer.concat([spoilt, ...after.map(frameOf), Buffer.alloc(sector)]);
        writeFileSync(join(directory, segmentOf(index)), bytes);
        return [...earlier, ...after].flat();
      });
      const { booked, spentTotal, differences, told } = await startAfter(file);
      for (const { id } of promised) assert.ok(booked.has(id), id);
      assert.equal(spentTotal, BigInt(booked.size));
      assert.deepEqual(differences, []);
      const kept = readdirSync(directory).sort();
      assert.deepEqual(
        told.map((one) => one.file),
        kept.map((name) => join(directory, name)),
      );
      assert.ok(told.every((one) => one.bytes > 0));
      assert.deepEqual((await startAfter(file)).told, [], 'once');
    }),
    runs,
  );
});

test('the beginning of a file of charges that was spoilt hides none of its charges', async () => {
  for (const bytes of [
    Buffer.alloc(segmentMark.length),
    Buffer.from('headgate cha\0\0\0\0\0\0\0'),
    Buffer.from('#'.repeat(19)),
  ]) {
    const { file, directory } = newDatabase();
    const [charges = []] = chargesIn([3]);
    writeFileSync(join(directory, segmentOf(1)), Buffer.concat([bytes, frameOf(charges)]));
    assert.equal((await startAfter(file)).spentTotal, 3n);
  }
});

test('what a power failure left in the file of held charges hides none that is held after it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.boolean(), failures, async (isFirst, failure) => {
      const { file, directory } = newDatabase();
      const path = join(directory, heldFile);
      const [first, second, third] = chargesIn([2, 3, 2]);
      const before = isFirst ? segmentMark : Buffer.concat([segmentMark, frameOf(first ?? [])]);
      const whole = Buffer.concat([before, frameOf(second ?? [])]);
      writeFileSync(path, fail(whole, isFirst ? 0 : before.length, failure));
      holdCharges(path, (third ?? []).map(chargeLine));
      const { booked, differences, spentTotal } = await startAfter(file);
      const promised = [...(isFirst ? [] : (first ?? [])), ...(third ?? [])];
      for (const { id } of promised) assert.ok(booked.has(id), id);
      assert.equal(spentTotal, BigInt(booked.size));
      assert.deepEqual(differences, []);
    }),
    runs,
  );
});

test('held charges that cannot be read are told, and stay where they are', async () => {
  const { file, directory } = newDatabase();
  const path = join(directory, heldFile);
  const [first, second] = chargesIn([1, 1]);
  holdCharges(path, (first ?? []).map(chargeLine));
  writeFileSync(path, Buffer.from('half of a frame'), { flag: 'a' });
  holdCharges(path, (second ?? []).map(chargeLine));
  const { told, spentTotal } = await startAfter(file);
  assert.equal(spentTotal, 2n);
  assert.deepEqual(told, [{ file: path, bytes: 15 }]);
  assert.deepEqual(readdirSync(directory), [heldFile]);
});
