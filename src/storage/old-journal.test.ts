import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { generation, usd } from '../../test/conformance/fixtures.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { openStorage } from './open-storage.ts';
import { byokLine } from './sql/byok-charge.ts';
import { chargeLine } from './sql/charge-line.ts';

const mark = Buffer.from('headgate charges 1\n');

/** Text as the early version wrote it: length, checksum, text. */
function frame(text: string): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32LE(Buffer.byteLength(text), 0);
  header.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

test('a start books once what an early version left in its journal, and keeps its files', async (t) => {
  const file = join(temporaryFolder(), 'headgate.db');
  const line = (id: string, cost: number) =>
    chargeLine(generation({ id, accountId: 'org_a', cost: usd(cost), requestedModel: 'acme/größer' }));
  const own = byokLine({
    line: chargeLine(
      generation({ id: 'gen-own', accountId: 'org_a', isByok: true, cost: usd(0), listCost: usd(1000) }),
    ),
    terms: { feeBasisPoints: 500, monthlyAllowance: usd(0) },
  });
  await mkdir(`${file}-charges`);
  const torn = frame(line('gen-torn', 100));
  const segment = [
    mark,
    frame(line('gen-1', 1) + line('gen-2', 2)),
    torn.subarray(0, 40),
    frame(line('gen-3', 4)),
  ];
  const held = [mark, frame(line('gen-1', 1)), frame(own)];
  const room = Buffer.alloc(10_000);
  await writeFile(
    join(`${file}-charges`, 'f00df00df00df00d-00000001.charges'),
    Buffer.concat([...segment, room]),
  );
  await writeFile(join(`${file}-charges`, 'held.charges'), Buffer.concat(held));
  for (let start = 0; start < 2; start += 1) {
    const storage = await openStorage(`sqlite:${file}`);
    t.after(() => storage.close());
    await storage.migrate();
    assert.equal((await storage.ledger.balance('org_a')).spentTotal, 57n);
    assert.deepEqual(await storage.ledger.verify(), []);
    assert.deepEqual(await readdir(`${file}-charges`), [
      'f00df00df00df00d-00000001.charges.booked',
      'held.charges.booked',
    ]);
  }
});
