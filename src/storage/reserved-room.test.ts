import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { ReservedRoom } from './reserved-room.ts';
import { DatabaseError } from './sql/database.ts';

const full = new DatabaseError({ message: 'disk is full', byStatement: false, trouble: 'full' });

test('a write that finds the disk full is done again in the room, which is reserved anew later', async (t) => {
  const path = join(temporaryFolder(), 'new', 'room');
  const room = new ReservedRoom({ path, retryDelay: 20, size: 1000 });
  t.after(() => room.close());
  await room.reserve();
  assert.equal((await stat(path)).size, 1000);
  // As on a disk whose last bytes the room has.
  const write = async () => {
    if (existsSync(path)) throw full;
    return 'written';
  };
  assert.equal(await room.use(write), 'written');
  assert.equal(room.failure, full);
  await eventually('the room', () => room.failure === undefined);
  assert.equal((await stat(path)).size, 1000);
});

test('a write that fails for another reason leaves the room as it is', async (t) => {
  const path = join(temporaryFolder(), 'room');
  const room = new ReservedRoom({ path, retryDelay: 20, size: 1000 });
  t.after(() => room.close());
  await room.reserve();
  let tries = 0;
  const write = async () => {
    tries += 1;
    throw new Error('another reason');
  };
  await assert.rejects(room.use(write), /another reason/);
  assert.deepEqual([tries, room.failure], [1, undefined]);
});

test('room that cannot be reserved is tried again, also more than the disk has', async (t) => {
  const path = join(temporaryFolder(), 'room');
  await mkdir(path);
  const room = new ReservedRoom({ path, retryDelay: 20, size: 1000 });
  t.after(() => room.close());
  await room.reserve();
  assert.ok(room.failure instanceof Error);
  await rm(path, { recursive: true });
  await eventually('the room', () => room.failure === undefined);
  const huge = new ReservedRoom({ path: `${path}-huge`, retryDelay: 1_000_000, size: 2 ** 52 });
  t.after(() => huge.close());
  await huge.reserve();
  assert.match(String(huge.failure), /full/);
  assert.equal(existsSync(`${path}-huge`), false);
});
