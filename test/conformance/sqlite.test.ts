import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import type { MakeUrl } from './durability.ts';
import type { OpenStorage } from './fixtures.ts';
import { describeBooking, describeStorage } from './storage.ts';

const newDirectory = () => mkdtemp(join(tmpdir(), 'headgate-'));
const remove = (directory: string) => rm(directory, { recursive: true, force: true });
const urlIn = (directory: string) => `sqlite:${join(directory, 'headgate.db')}`;

const makeUrl: MakeUrl = async (test) => {
  const directory = await newDirectory();
  test.after(() => remove(directory));
  return urlIn(directory);
};

async function openFile(test: Parameters<OpenStorage>[0], options: StorageOptions) {
  const directory = await newDirectory();
  const storage = await openStorage(urlIn(directory), options);
  test.after(async () => {
    await storage.close();
    await remove(directory);
  });
  await storage.migrate();
  return storage;
}

describeStorage({ name: 'SQLite file', open: (test, clock) => openFile(test, { clock }), makeUrl });
// Only booking uses the room.
describeBooking({
  name: 'SQLite file with room reserved',
  open: (test, clock) => openFile(test, { clock, reserveRoom: true }),
});
